/** The format of a journal: a line for the recording's head, then a line an event. */

import { InputError } from "../../core/errors.ts";
import type { Desktop } from "../desktop.ts";
import { parseRecording, type Recording } from "./format.ts";

const NAME = /^recording-[0-9a-f-]{36}(?:@(.*))?\.journal$/;

/** Names a desktop for journals: by its address, or by its kind where it has none. */
export function journaledDesktop(desktop: Pick<Desktop, "kind" | "identity">): string {
  return desktop.identity?.().address ?? desktop.kind;
}

/**
 * A name for a new journal.
 * @param desktop Which desktop is recorded ({@linkcode journaledDesktop}).
 */
export function journalName(desktop: string): string {
  return `recording-${crypto.randomUUID()}@${encodeURIComponent(desktop)}.journal`;
}

/** Tells by a journal's name whether it was recorded on a desktop; a name without a desktop fits all. */
export function isMadeOn(name: string, desktop: string): boolean {
  const made = NAME.exec(name)?.[1];
  return made === undefined || made === encodeURIComponent(desktop);
}

/** Tells whether a file is a journal, by its name. */
export function isJournalName(name: string): boolean {
  return NAME.test(name);
}

/** The lines of a recording. */
export function journalLines({ events, ...head }: Recording): string[] {
  return [head, ...events].map((entry) => JSON.stringify(entry));
}

/**
 * Reads a journal. A last line without a line feed was cut off by a crash and is left out.
 * @throws InputError if it is damaged.
 */
export function parseJournal(bytes: Uint8Array): Recording {
  const [head, ...events] = new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  let value: object;
  try {
    value = { ...JSON.parse(head ?? ""), events: JSON.parse(`[${events.join(",")}]`) };
  } catch (error) {
    throw new InputError((error as Error).message, { cause: error });
  }
  return parseRecording(value);
}
