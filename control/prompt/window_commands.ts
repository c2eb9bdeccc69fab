/** Prompt commands of windows. */

import type { AnyAction } from "../actions/action.ts";
import { ACTIONS } from "../actions/mod.ts";
import type { WindowInfo } from "../desktop.ts";
import { actionCommand, type Command } from "./command.ts";

/** A window as a line: state, bounds, class and title behind its id. */
function line({ id, title, class: name, x, y, width, height, state, active }: WindowInfo): string {
  return `${active ? "*" : " "} ${id} ${state} ${width}x${height}+${x}+${y} ${name} ${title}`;
}

/** A window named by its id or by a part of its title. */
const query = (text: string | undefined) =>
  /^0x[0-9a-f]+$/i.test(text ?? "") ? { id: text } : { title: text };

function change(name: string, action: AnyAction): Command {
  return actionCommand(action, {
    name,
    usage: `${name} <title or id>`,
    example: `${name} notes`,
    pattern: new RegExp(String.raw`^${name}\s+(.+)$`, "u"),
  }, ([text]) => query(text));
}

/** The commands, in the order of help. */
export const WINDOW_COMMANDS: readonly Command[] = [
  actionCommand(
    ACTIONS.windows,
    {
      name: "win",
      usage: "win [<title>]",
      example: "win notes",
      summary: "list the windows, the front one first; * has the keyboard",
      pattern: /^win(?:\s+(.+))?$/u,
    },
    ([title]) => title === undefined ? {} : { title },
    ({ windows }) => windows.map(line).join("\n"),
  ),
  change("act", ACTIONS.activateWindow),
  change("min", ACTIONS.minimizeWindow),
  change("max", ACTIONS.maximizeWindow),
  change("restore", ACTIONS.restoreWindow),
  change("full", ACTIONS.fullscreenWindow),
  change("close", ACTIONS.closeWindow),
  actionCommand(
    ACTIONS.placeWindow,
    {
      name: "place",
      usage: "place <title or id> <x>-<y> [<width>x<height>]",
      example: "place notes 10-20 640x480",
      pattern: /^place\s+(.+?)\s+(-?\d{1,7})-(-?\d{1,7})(?:\s+(\d{1,7})x(\d{1,7}))?$/u,
    },
    ([text, x, y, width, height]) => ({
      ...query(text),
      x: Number(x),
      y: Number(y),
      ...(width === undefined ? {} : { width: Number(width), height: Number(height) }),
    }),
    line,
  ),
  actionCommand(ACTIONS.wait, {
    name: "waitwin",
    usage: "waitwin <title>",
    example: "waitwin save as",
    summary: "wait until a window has this title, for 10000 ms at most",
    pattern: /^waitwin\s+(.+)$/u,
  }, ([title]) => ({ window: { title } })),
];
