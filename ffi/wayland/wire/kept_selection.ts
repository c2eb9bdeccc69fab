/** The content of a selection that makes way for another for a while: all that its program offers. */

import type { Selection } from "../../../control/desktop.ts";
import { ExpectedError } from "../../../core/errors.ts";
import type { Contents, DataControl } from "./data_control.ts";
import { receiveContent } from "./transfer.ts";

/** Programs offer a picture in many formats, and convert it on request, so only the best format is kept. */
const PICTURE = /^image\//, KEPT_PICTURE = "image/png";
/** Types that are requests to X11 programs rather than content (ICCCM 2.6.2). */
const NO_CONTENT: ReadonlySet<string> = new Set([
  "TARGETS",
  "MULTIPLE",
  "TIMESTAMP",
  "SAVE_TARGETS",
  "DELETE",
]);

/**
 * Reads the present content of a selection. A type that its program does not hand over is left out.
 * @returns Contents by type; empty if nothing is selected.
 */
export async function readSelection(control: DataControl, selection: Selection): Promise<Contents> {
  const { c } = control.background.connection;
  const types = new Set(
    control.types(selection).filter((type) =>
      !NO_CONTENT.has(type) && (!PICTURE.test(type) || type === KEPT_PICTURE)
    ),
  );
  const read = await Promise.all(Array.from(types, async (type) => {
    try {
      return [type, await receiveContent(c, (fd) => control.receive(selection, type, fd))] as const;
    } catch (error) {
      if (error instanceof ExpectedError) return undefined;
      throw error;
    }
  }));
  return new Map(read.filter((content) => content !== undefined));
}

/** Restores the content from {@linkcode readSelection}. */
export function putBack(control: DataControl, selection: Selection, contents: Contents): void {
  if (contents.size) control.own(selection, contents);
  else control.clear(selection);
}
