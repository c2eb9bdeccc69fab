/** The journal: a recording on disk while it is made, and until it is saved or discarded. */

import { describeFileError, InputError } from "../../core/errors.ts";
import { join } from "../../core/path.ts";
import { createLocked } from "../../core/process_record.ts";
import { removeIfThere } from "../../core/replace_file.ts";
import type { Desktop } from "../desktop/desktop.ts";
import type { JournalSink } from "./event_recorder.ts";
import { parseRecording, type RecordedEvent, type Recording } from "./format.ts";

// The format of a journal: a line for the recording's head, then a line an event.

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

/** Whether a file is a journal, by its name. */
export function isJournalName(name: string): boolean {
  return NAME.test(name);
}

/** The lines of a recording. */
function journalLines({ events, ...head }: Recording): string[] {
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

/** The longest time until events are written, in milliseconds; a crash may lose that much. */
const FLUSH_MS = 500;

/** Writes one recording at a time. A disk that is full ends the journal, not the recording. */
export class Journal implements JournalSink {
  #file: Deno.FsFile | undefined;
  #path = "";
  #pending: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param folder The folder of journals, which exists and is closed to other users.
   * @param desktop The recorded desktop.
   */
  constructor(readonly folder: string, readonly desktop: string, readonly notice: (text: string) => void) {}

  begin(recording: Recording): void {
    this.discard();
    this.#path = join(this.folder, journalName(this.desktop));
    try {
      this.#file = createLocked(this.#path);
    } catch (error) {
      return this.#giveUp(error);
    }
    this.#wait(journalLines(recording));
  }

  append(events: RecordedEvent[]): void {
    if (this.#file) this.#wait(events.map((event) => JSON.stringify(event)));
  }

  /** Whether the recording that was begun last is on disk. */
  get isKept(): boolean {
    return this.#file !== undefined;
  }

  /** Writes the waiting events. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#file || !this.#pending.length) return;
    try {
      const bytes = new TextEncoder().encode(this.#pending.join("\n") + "\n");
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
      this.#pending = [];
    } catch (error) {
      this.#giveUp(error);
    }
  }

  discard(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = [];
    if (!this.#file) return;
    this.#file.close();
    this.#file = undefined;
    removeIfThere(this.#path);
  }

  #wait(lines: string[]) {
    if (!this.#file) return;
    for (const line of lines) this.#pending.push(line);
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  #giveUp(error: unknown) {
    this.#file?.close();
    this.#file = undefined;
    this.#pending = [];
    this.notice(`this recording is not kept against a crash: ${describeFileError(error)}`);
  }
}
