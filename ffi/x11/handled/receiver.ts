/** The program that currently receives keys. */

import { StateError } from "../../../core/errors.ts";
import { readProc } from "../../../core/proc.ts";
import { type Pace, paceOf, whyLossy } from "../../quirks.ts";
import { titleOf, type WindowReader } from "../window_rows.ts";
import { numbersOf, TREE_LEVELS, type XcbConnection } from "../xcb_connection.ts";

/** A program that receives keys. */
export interface Receiver {
  /** The window that receives the keys. */
  window: number;
  /** The ancestor window whose program answers `_NET_WM_PING`; undefined if there is none. */
  pinged?: number;
}

/** xcb_get_input_focus's answer for "the window below the pointer" (X11 protocol, SetInputFocus). */
const POINTER_ROOT = 1;

/** Finds the program that currently receives keys; undefined if there is none. */
export function currentReceiver({ xcb, atoms }: WindowReader): Receiver | undefined {
  const focus = xcb.focus();
  const window = focus === POINTER_ROOT ? windowBelowPointer(xcb) : focus;
  if (!window || window === xcb.root) return undefined;
  for (const { window: pinged, value } of xcb.around(window, atoms.WM_PROTOCOLS)) {
    if (numbersOf(value).includes(atoms._NET_WM_PING)) return { window, pinged };
  }
  return { window };
}

/** The innermost window below the pointer; 0 if there is only the root window. */
function windowBelowPointer(xcb: XcbConnection): number {
  let window = 0, child = xcb.childBelowPointer(xcb.root);
  for (let level = 0; child && level < TREE_LEVELS; level++) {
    window = child;
    child = xcb.childBelowPointer(window);
  }
  return window;
}

// The program that receives a text, identified by its mapped files.

/** The facts known about a program. */
export interface TextProgram {
  /** Its process; undefined if its window does not name it. */
  pid?: number;
  pace: Pace;
}

/** How long a program's facts are cached, in milliseconds: modules may be loaded later than the window. */
const KNOWN_MS = 2000;

/** A program about which nothing is known. */
const NO_PROGRAM: TextProgram = { pace: "free" };

/**
 * Examines the focused program.
 * @param characters Code points of the text that the program is to receive.
 * @param hasMethod Whether an input method is running.
 * @throws StateError naming a program that is known to alter the text.
 */
export function programFor(
  characters: readonly number[],
  hasMethod: boolean,
  reader: WindowReader,
): TextProgram {
  const { xcb, atoms } = reader, receiver = currentReceiver(reader);
  if (!receiver) return NO_PROGRAM;
  const window = receiver.pinged ?? receiver.window;
  const [pid] = xcb.numbers(xcb.askProperty(window, atoms._NET_WM_PID));
  if (!pid) return NO_PROGRAM;
  const maps = readProc(`${pid}/maps`), why = whyLossy(maps, characters, hasMethod);
  if (why) throw new StateError(`the program of the window ${titleOf(reader, window)} uses ${why}`);
  return { pid, pace: paceOf(maps) };
}

/** The focused program, cached for a while. */
export class FocusedProgram {
  /** The program, by the focused window. */
  #known: { focus: number; at: number; program: TextProgram } | undefined;

  read(reader: WindowReader): TextProgram {
    const focus = reader.xcb.focus(), now = performance.now();
    if (this.#known?.focus !== focus || now > this.#known.at + KNOWN_MS) {
      this.#known = { focus, at: now, program: programFor([], false, reader) };
    }
    return this.#known.program;
  }
}
