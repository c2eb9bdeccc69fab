/** Parts of a text between which a program is waited for, by the program's pace. */

import type { Pace } from "../../lossy_programs.ts";
import { cutAtRepeats } from "../../text.ts";
import type { KeysHandled } from "./mod.ts";

/** What a pace means for a text and for combinations of keys. */
interface Steps {
  /** Cuts a text into parts that can be typed without a wait. */
  cut(characters: number[]): Iterable<number[]>;
  /** Waits behind a part; left out if that is not needed. */
  wait?: Wait;
  /** Waits behind a combination; left out if that is not needed. */
  ready?: Wait;
}

type Wait = (handled: KeysHandled, signal?: AbortSignal) => Promise<unknown>;

const handled: Wait = (keys, signal) => keys.wait(signal);
const rested: Wait = (keys, signal) => keys.rested(signal);
/** A command may take longer than this wait, and is done all the same. */
const learnt: Wait = (keys, signal) => keys.learnt(signal);

/** The steps of each pace. */
export const PACES: Readonly<Record<Pace, Steps>> = {
  free: { cut: (characters) => [characters] },
  commands: { cut: (characters) => [characters], ready: learnt },
  unrepeated: { cut: cutAtRepeats, wait: handled, ready: handled },
  single: { cut: (characters) => characters.map((character) => [character]), wait: rested, ready: learnt },
};
