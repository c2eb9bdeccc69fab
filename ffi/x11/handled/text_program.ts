/** The program that gets a text, known by the files that it maps. */

import { StateError } from "../../../core/errors.ts";
import { readProc } from "../../../core/proc.ts";
import { type Pace, paceOf, whyLossy } from "../../lossy_programs.ts";
import type { WindowAtoms } from "../window_atoms.ts";
import { titleOf } from "../window_title.ts";
import type { XcbConnection } from "../xcb_connection.ts";
import { currentReceiver } from "./receiver.ts";

/** Facts of a program. */
export interface TextProgram {
  /** Its process; undefined if its window does not name it. */
  pid?: number;
  pace: Pace;
}

/** A program of which nothing is known. */
export const NO_PROGRAM: TextProgram = { pace: "free" };

/**
 * Examines the program with the keyboard.
 * @param characters Code points of the text that the program is to receive.
 * @param hasMethod Tells whether an input method runs.
 * @throws StateError naming a program that is known to change the text.
 */
export function programFor(
  characters: readonly number[],
  hasMethod: boolean,
  xcb: XcbConnection,
  atoms: WindowAtoms,
): TextProgram {
  const receiver = currentReceiver(xcb, atoms);
  if (!receiver) return NO_PROGRAM;
  const window = receiver.pinged ?? receiver.window;
  const [pid] = xcb.numbers(xcb.askProperty(window, atoms._NET_WM_PID));
  if (!pid) return NO_PROGRAM;
  const maps = readProc(`${pid}/maps`), why = whyLossy(maps, characters, hasMethod);
  if (why) throw new StateError(`the program of the window ${titleOf(xcb, atoms, window)} is of ${why}`);
  return { pid, pace: paceOf(maps) };
}
