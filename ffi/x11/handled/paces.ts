/** Parts of a text between which a program is waited for, by the program's pace. */

import type { Pace } from "../../lossy_programs.ts";
import { cutAtRepeats } from "../../text.ts";
import type { KeysHandled } from "./mod.ts";

/** What a pace means for a text. */
interface Steps {
  /** Cuts a text into parts that can be typed without a wait. */
  cut(characters: number[]): Iterable<number[]>;
  /** Waits behind a part; left out if that is not needed. */
  wait?(handled: KeysHandled, signal?: AbortSignal): Promise<void>;
}

/** The steps of each pace. */
export const PACES: Readonly<Record<Pace, Steps>> = {
  free: { cut: (characters) => [characters] },
  unrepeated: { cut: cutAtRepeats, wait: (handled, signal) => handled.wait(signal) },
  single: {
    cut: (characters) => characters.map((character) => [character]),
    wait: (handled, signal) => handled.rested(signal),
  },
};
