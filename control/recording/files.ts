/** Recording files: reads them, and writes the journal, which stores a recording on disk while it is made. */

import { type Bytes, writeAll } from "../../core/bytes.ts";
import { CallWorker } from "../../core/worker.ts";
import { attempt, describeFileError, InputError } from "../../core/errors.ts";
import { Mutex } from "../../core/mutex.ts";
import { createLocked, leftFiles } from "../../core/process_record.ts";
import { askState, isStateSilent, removeIfThere } from "../../core/state_files.ts";
import {
  balanced,
  parseRecording,
  parseRecordingBytes,
  type RecordedEvent,
  type Recording,
  RECORDING_LIMIT,
} from "./format.ts";
import { type StoredParts, StoredRecording } from "./stored.ts";
import { join } from "../../core/path.ts";
import type { Desktop } from "../desktop/desktop.ts";
import type { JournalSink } from "./recorder.ts";

// The journal: a recording on disk while it is made, until it is saved or discarded.

// Journal format: one line for the recording's head, then one line per event.

const NAME = /^recording-[0-9a-f-]{36}(?:@(.*))?\.journal$/;

/** A desktop's name in journals: its address, or its kind if it has none. */
export function journaledDesktop(desktop: Pick<Desktop, "kind" | "identity">): string {
  return desktop.identity?.().address ?? desktop.kind;
}

/**
 * A name for a new journal.
 * @param desktop The recorded desktop, as {@linkcode journaledDesktop} returns it.
 */
export function journalName(desktop: string): string {
  return `recording-${crypto.randomUUID()}@${encodeURIComponent(desktop)}.journal`;
}

/** Whether a journal was recorded on a desktop, by its name; a name without a desktop fits all. */
function isMadeOn(name: string, desktop: string): boolean {
  const made = NAME.exec(name)?.[1];
  return made === undefined || made === encodeURIComponent(desktop);
}

function journalLines({ events, ...head }: Recording): string[] {
  return [head, ...events].map((entry) => JSON.stringify(entry));
}

/**
 * Reads a journal. A last line without a line feed was cut off by a crash and is left out.
 * @throws InputError if it is damaged.
 */
function parseJournal(bytes: Uint8Array): Recording {
  const [head, ...events] = new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  let value: object;
  try {
    value = { ...JSON.parse(head ?? ""), events: JSON.parse(`[${events.join(",")}]`) };
  } catch (error) {
    throw new InputError((error as Error).message, { cause: error });
  }
  return parseRecording(value);
}

/** Maximum delay before events are written, in milliseconds; a crash may lose that much. */
const FLUSH_MS = 500;
const NOT_KEPT = "this recording is not kept against a crash";

/** Writes one recording at a time. A full disk ends the journal, not the recording; one that hangs delays it. */
export class Journal implements JournalSink {
  #file: Deno.FsFile | undefined;
  #path = "";
  /** Whether a recording is stored, or will be once the disk answers. */
  #isWanted = false;
  /** Remove journals that are no longer wanted, once the disk answers. */
  #removals: (() => void)[] = [];
  #pending: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param folder The folder of journals, which exists and is inaccessible to other users.
   * @param desktop The recorded desktop.
   */
  constructor(readonly folder: string, readonly desktop: string, readonly notice: (text: string) => void) {}

  begin(recording: Recording): void {
    this.discard();
    this.#path = join(this.folder, journalName(this.desktop));
    this.#isWanted = true;
    this.#pending = journalLines(recording);
    if (isStateSilent()) this.notice(`${NOT_KEPT} until the disk of ${this.folder} answers`);
    this.flush();
  }

  append(events: RecordedEvent[]): void {
    if (this.#isWanted) this.#wait(events.map((event) => JSON.stringify(event)));
  }

  /** Whether the current recording is on disk. */
  get isKept(): boolean {
    return this.#file !== undefined && !this.#pending.length;
  }

  /** Writes the queued events; later if the disk does not answer. */
  flush(): void {
    // `alarm` in core/until.ts explains the cost of a first timer.
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    if (isStateSilent()) return this.#removals.length || this.#pending.length ? this.#wait([]) : undefined;
    for (const remove of this.#removals.splice(0)) remove();
    if (!this.#pending.length) return;
    try {
      this.#file ??= createLocked(this.#path);
      writeAll(this.#file, new TextEncoder().encode(this.#pending.join("\n") + "\n"));
      this.#pending = [];
    } catch (error) {
      this.#giveUp(error);
    }
  }

  discard(): void {
    this.#pending = [];
    this.#isWanted = false;
    const file = this.#file, path = this.#path;
    this.#file = undefined;
    if (file) {
      this.#removals.push(() => {
        file.close();
        removeIfThere(path);
      });
    }
    this.flush();
  }

  #wait(lines: string[]) {
    for (const line of lines) this.#pending.push(line);
    this.#timer ??= setTimeout(async () => {
      await askState();
      this.flush();
    }, FLUSH_MS);
  }

  #giveUp(error: unknown) {
    this.#file?.close();
    this.#file = undefined;
    this.#pending = [];
    this.#isWanted = false;
    this.notice(`${NOT_KEPT}: ${describeFileError(error)}`);
  }
}

// Reads recordings from bytes. A large one is read on a separate thread, so that no request has to wait: a
// million events take seconds.

/** The format of the bytes: a recording's file, or the lines of a journal. */
type RecordingForm = "file" | "journal";

/** Messages to the Worker. */
export interface LoadCall {
  pieces: Bytes[];
  form: RecordingForm;
}

/** Ends after 10 seconds without a recording. */
const worker = new CallWorker<LoadCall, StoredParts>({
  url: new URL("./loading_worker.ts", import.meta.url),
  idleMs: 10_000,
});
const PARSERS: Record<RecordingForm, (bytes: Bytes) => Recording> = {
  file: parseRecordingBytes,
  journal: parseJournal,
};
/** Large recordings are read one at a time: each takes a few hundred megabytes. */
const LARGE = new Mutex(4, "other recordings are being loaded; try again later");
/** Maximum number of bytes read on this thread: some 10 ms of work, less than starting a Worker takes. */
const AT_ONCE = 128 * 1024;

/**
 * Reads a recording, checks it, and adds missing releases (`balanced`).
 * @param pieces All bytes, in order. They move to another thread, so the caller must not read them
 * afterwards.
 * @throws InputError naming what is wrong; BusyError if many large recordings are being read.
 */
export async function readRecording(pieces: Bytes[], form: RecordingForm = "file"): Promise<StoredRecording> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  return await (size <= AT_ONCE ? readAtOnce(pieces, form) : LARGE.run(() => readInWorker(pieces, form)));
}

/**
 * Reads a recording's file in pieces: reading 50 MB in one go would block other work for 50 ms.
 * @throws InputError naming what is wrong; BusyError if many large recordings are being read; Deno's error if
 * the file cannot be read.
 */
export async function readRecordingFile(path: string, form?: RecordingForm): Promise<StoredRecording> {
  return await readRecording(await Array.fromAsync((await Deno.open(path)).readable), form);
}

/** Reads a recording on this thread. */
export async function readAtOnce(pieces: Bytes[], form: RecordingForm): Promise<StoredRecording> {
  const bytes = pieces.length === 1 ? pieces[0] : await new Blob(pieces).bytes();
  const { events, ...head } = PARSERS[form](bytes);
  return StoredRecording.of({ ...head, events: balanced(events) });
}

async function readInWorker(pieces: Bytes[], form: RecordingForm): Promise<StoredRecording> {
  const buffers = [...new Set(pieces.map(({ buffer }) => buffer))];
  return new StoredRecording(await worker.call({ pieces, form }, buffers));
}

// Recovers a recording after a crash or an exit without saving.

/** A journal left behind by its writer. */
interface LeftJournal {
  path: string;
  modified: Date;
}

/**
 * Finds journals of a desktop whose writers no longer run, newest first. Never throws.
 * @param desktop As in `journalName`; any desktop if left out.
 */
export function leftJournals(folder: string, desktop?: string): LeftJournal[] {
  return leftFiles(folder, (name) => NAME.test(name) && (desktop === undefined || isMadeOn(name, desktop)))
    .map((path) => ({ path, modified: modifiedAt(path) }))
    .sort((a, b) => b.modified.getTime() - a.modified.getTime());
}

function modifiedAt(path: string): Date {
  return attempt(() => Deno.statSync(path).mtime) ?? new Date(0); // another process has just removed the file
}

/** A recovered recording. */
interface Recovered {
  recording: StoredRecording;
  /** Removes the recording's journal. */
  discard(): void;
}

/**
 * Reads the newest journal left behind on this desktop, or otherwise on another one. An unreadable journal is
 * renamed, so that it hides no other journal.
 * @throws InputError if there is no journal, or it cannot be read.
 */
export async function recover(folder: string, desktop?: string): Promise<Recovered> {
  const [newest] = [...leftJournals(folder, desktop), ...leftJournals(folder)];
  if (!newest) throw new InputError("there is no recording to recover");
  const { path } = newest;
  try {
    return { recording: await readJournal(path), discard: () => removeIfThere(path) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const aside = `${path}.damaged`;
    Deno.renameSync(path, aside);
    throw new InputError(
      `the recording to recover is damaged (${error.message}); it was renamed to ${aside}`,
    );
  }
}

/** @throws InputError if the journal is damaged. */
async function readJournal(path: string): Promise<StoredRecording> {
  if (Deno.statSync(path).size > RECORDING_LIMIT) throw new InputError("it is too large");
  return await readRecordingFile(path, "journal");
}
