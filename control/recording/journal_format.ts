/** The format of a journal: a line for the recording's head, then a line an event. */

import { InputError } from "../../core/errors.ts";
import { parseRecording, type Recording } from "./format.ts";

const NAME = /^recording-[0-9a-f-]{36}\.journal$/;

/** A name for a new journal. */
export function journalName(): string {
  return `recording-${crypto.randomUUID()}.journal`;
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
