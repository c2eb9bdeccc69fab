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

/** The time for which a program counts as known, in milliseconds: modules may be loaded later than the window. */
const KNOWN_MS = 2000;

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

/** The program with the keyboard, kept for a while. */
export class FocusedProgram {
  /** The program, by the window with the focus. */
  #known: { focus: number; at: number; program: TextProgram } | undefined;

  read(xcb: XcbConnection, atoms: WindowAtoms): TextProgram {
    const focus = xcb.focus(), now = performance.now();
    if (this.#known?.focus !== focus || now > this.#known.at + KNOWN_MS) {
      this.#known = { focus, at: now, program: programFor([], false, xcb, atoms) };
    }
    return this.#known.program;
  }
}
