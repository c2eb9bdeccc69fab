/** The table of actions tried with a desktop. */

import type { Part } from "../cell.ts";
import type { Bench } from "../field.ts";
import type { Row } from "../rows.ts";
import { changeWorkspace, typeBesideHeldKeys, typeBesideLayout, typeWithAids } from "./beside.ts";
import type { DesktopThing } from "./names.ts";
import { findPicture, pressKeys, recordAndReplay, takePictures, useClipboard } from "./page.ts";
import { click, drag, movePointer, turnWheel } from "./pointer.ts";
import { changeResolution, changeWindows, endSession } from "./windows.ts";

/** Actions tried with a desktop, and whether a Chromium page must be in front. */
export const DESKTOP_TABLE: Readonly<
  Record<DesktopThing, { needsPage: boolean; act(bench: Bench, row: Row): Promise<Part[]> }>
> = {
  pointer: { needsPage: false, act: movePointer },
  clicks: { needsPage: true, act: click },
  wheel: { needsPage: true, act: turnWheel },
  drag: { needsPage: true, act: drag },
  keys: { needsPage: true, act: pressKeys },
  clipboard: { needsPage: true, act: useClipboard },
  picture: { needsPage: true, act: takePictures },
  find: { needsPage: true, act: findPicture },
  record: { needsPage: true, act: recordAndReplay },
  keyboards: { needsPage: true, act: typeBesideLayout },
  "held-key": { needsPage: true, act: typeBesideHeldKeys },
  aids: { needsPage: true, act: typeWithAids },
  workspace: { needsPage: true, act: changeWorkspace },
  windows: { needsPage: false, act: changeWindows },
  resolution: { needsPage: false, act: changeResolution },
  end: { needsPage: false, act: endSession },
};
