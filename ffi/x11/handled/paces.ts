/** Parts of a text between which a program is waited for, by the program's pace. */

import { delay } from "@std/async/delay";
import { StateError } from "../../../core/errors.ts";
import { hasWideCharacter, type Pace, QUIRKS } from "../../quirks.ts";
import { cutApart, cutAtRepeats } from "../../text.ts";
import type { KeysHandled } from "./mod.ts";

/** Code points of the characters that Writer handles apart, as it does wide ones. */
const APART: readonly number[] = QUIRKS.writerTimer.apart;

/** The waits of a pace: within a text, and after a combination of keys. */
interface Steps {
  /** Waits before the first key, until the program takes keys; left out if that is not needed. */
  begin?: Wait;
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
const settled: Wait = async (keys, signal) => {
  await keys.wait(signal);
  await keys.rested(signal);
};
/**
 * Waits until a program that has the keyboard answers, since it loses keys while it loads a document. A window of
 * LibreOffice may be active and answer for a moment before its document takes keys.
 */
const awake: Wait = async (keys, signal) => {
  await keys.awake(signal);
  await delay(QUIRKS.writerTimer.ms, { signal });
  await keys.awake(signal);
};
/** Waits until Writer's timer has emptied its buffer, which it starts if other keys have come. */
const flushed: Wait = async (keys, signal) => {
  await keys.wait(signal);
  await delay(QUIRKS.writerTimer.ms, { signal });
  await keys.rested(signal);
};
/** Waits for the keys of a command. The command may take longer than this wait, and is done all the same. */
const commanded: Wait = async (keys, signal) => {
  try {
    await settled(keys, signal);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
  }
};

/** The steps of each pace. */
export const PACES: Readonly<Record<Pace, Steps>> = {
  free: { cut: (characters) => [characters] },
  settled: { cut: (characters) => [characters], wait: handled, ready: commanded },
  apart: {
    begin: awake,
    cut: (characters) => cutApart(characters, (one) => APART.includes(one) || hasWideCharacter([one])),
    wait: flushed,
    ready: commanded,
  },
  unrepeated: { cut: cutAtRepeats, wait: handled, ready: handled },
  single: { cut: (characters) => characters.map((character) => [character]), wait: rested, ready: commanded },
};
