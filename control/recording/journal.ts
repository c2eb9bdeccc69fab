/**
 * A recording on disk while it is made: a line for its head, then a line an event. What a crash leaves behind is
 * offered at the next start.
 */

import { join } from "@std/path/join";
import { InputError } from "../../core/errors.ts";
import { balanced } from "./balance.ts";
import { parseRecording, type RecordedEvent, type Recording, RECORDING_LIMIT } from "./format.ts";
import type { JournalSink } from "./recorder.ts";

/** How long events may wait for being written, in milliseconds: what a crash may lose. */
const FLUSH_MS = 500;
const NAME = /^recording-[0-9a-f-]{36}\.journal$/;

/** Writes one recording at a time. A disk that is full ends the journal, not the recording. */
export class Journal implements JournalSink {
  #file: Deno.FsFile | undefined;
  #path = "";
  #pending: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param folder Where journals are; it is there and closed to others. */
  constructor(readonly folder: string, readonly notice: (text: string) => void) {}

  begin({ events, ...head }: Recording): void {
    this.discard();
    this.#path = join(this.folder, `recording-${crypto.randomUUID()}.journal`);
    try {
      this.#file = Deno.openSync(this.#path, { write: true, createNew: true, mode: 0o600 });
      this.#file.lockSync(true); // tells others that its writer lives
    } catch (error) {
      return this.#giveUp(error);
    }
    this.#pending.push(JSON.stringify(head));
    this.append(events);
  }

  append(events: RecordedEvent[]): void {
    if (!this.#file) return;
    for (const event of events) this.#pending.push(JSON.stringify(event));
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  /** Writes what is waiting. */
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

  #giveUp(error: unknown) {
    this.#file?.close();
    this.#file = undefined;
    this.#pending = [];
    this.notice(`this recording is not kept against a crash: ${(error as Error).message}`);
  }
}

/** A journal that its writer left behind. */
export interface LeftJournal {
  path: string;
  modified: Date;
}

/** Finds journals whose writers are gone, newest first. Never throws. */
export function leftJournals(folder: string): LeftJournal[] {
  return journalNames(folder)
    .map((name) => leftJournal(join(folder, name)))
    .filter((journal) => journal !== undefined)
    .sort((a, b) => b.modified.getTime() - a.modified.getTime());
}

function journalNames(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].filter(({ isFile, name }) => isFile && NAME.test(name))
      .map(({ name }) => name); // a pipe would keep its reader waiting
  } catch {
    return []; // no folder, no journals
  }
}

function leftJournal(path: string): LeftJournal | undefined {
  try {
    return isLocked(path) ? undefined : { path, modified: Deno.statSync(path).mtime ?? new Date(0) };
  } catch {
    return undefined; // its writer has just finished, or it is somebody else's
  }
}

/**
 * Reads the newest journal that was left behind. One that cannot be read is put aside, so that it hides no other.
 * @returns What was recorded up to the crash, and a way to say that it is safe now.
 * @throws InputError if there is none or it cannot be read.
 */
export function recover(folder: string): { recording: Recording; discard: () => void } {
  const [newest] = leftJournals(folder);
  if (!newest) throw new InputError("there is no recording to recover");
  try {
    const recording = readJournal(newest.path);
    return {
      recording: { ...recording, events: balanced(recording.events) },
      discard: () => removeIfThere(newest.path),
    };
  } catch (error) {
    if (!(error instanceof InputError || error instanceof SyntaxError)) throw error;
    const aside = `${newest.path}.damaged`;
    Deno.renameSync(newest.path, aside);
    throw new InputError(`the recording to recover is damaged (${error.message}); it is now ${aside}`);
  }
}

/** @throws InputError or SyntaxError if it is damaged. */
function readJournal(path: string): Recording {
  if (Deno.statSync(path).size > RECORDING_LIMIT) throw new InputError("it is too large");
  const lines = Deno.readTextFileSync(path).split("\n");
  lines.pop(); // empty, or cut off by the crash
  const [head, ...events] = lines;
  return parseRecording({ ...JSON.parse(head ?? ""), events: JSON.parse(`[${events.join(",")}]`) });
}

function isLocked(path: string): boolean {
  using file = Deno.openSync(path, { read: true, write: true });
  return !file.tryLockSync(true); // closing it unlocks it
}

function removeIfThere(path: string) {
  try {
    Deno.removeSync(path);
  } catch {
    // It is gone already.
  }
}
