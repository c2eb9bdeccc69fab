/**
 * Reads recordings from bytes. A large one is read on a thread of its own, so that no request waits for it: a million
 * events take seconds.
 */

import type { Bytes } from "../../core/bytes.ts";
import { CallWorker } from "../../core/worker.ts";
import { InputError } from "../../core/errors.ts";
import { Mutex } from "../../core/mutex.ts";
import { leftFiles } from "../../core/process_record.ts";
import { removeIfThere } from "../../core/replace_file.ts";
import { balanced, parseRecordingBytes, type Recording, RECORDING_LIMIT } from "./format.ts";
import { isJournalName, isMadeOn, parseJournal } from "./journal.ts";
import { type StoredParts, StoredRecording } from "./stored.ts";

/** The form of the bytes: a recording's file, or the lines of a journal. */
type RecordingForm = "file" | "journal";

/** Messages to the Worker. */
export interface LoadCall {
  pieces: Bytes[];
  form: RecordingForm;
}

/** Stays for 10 seconds without a recording. */
const worker = new CallWorker<LoadCall, StoredParts>({
  url: new URL("./loading_worker.ts", import.meta.url),
  idleMs: 10_000,
});
const PARSERS: Record<RecordingForm, (bytes: Bytes) => Recording> = {
  file: parseRecordingBytes,
  journal: parseJournal,
};
/** Large recordings are read one after the other: reading one takes some hundred megabytes. */
const LARGE = new Mutex(4, "other recordings are being loaded; try again later");
/** Bytes that are read at once: some 10 ms of work, which is less than a Worker takes to start. */
const AT_ONCE = 128 * 1024;

/**
 * Reads a recording, checks it, and completes its releases (`balanced`).
 * @param pieces All bytes, in order. They move to another thread, so the caller must not read them afterwards.
 * @throws InputError naming what is wrong; BusyError if many large recordings are being read.
 */
export async function readRecording(pieces: Bytes[], form: RecordingForm = "file"): Promise<StoredRecording> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  return await (size <= AT_ONCE ? readAtOnce(pieces, form) : LARGE.run(() => readInWorker(pieces, form)));
}

/**
 * Reads a recording's file, in pieces: reading 50 MB at once would block other work for 50 ms.
 * @throws InputError naming what is wrong; BusyError if many large recordings are being read; Deno's error if the
 * file cannot be read.
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

// Recovery of a recording after a crash, or an end without saving.

/** A journal that its writer left behind. */
interface LeftJournal {
  path: string;
  modified: Date;
}

/**
 * Finds journals of a desktop whose writers are gone, newest first. Never throws.
 * @param desktop As `journalName` takes it; any desktop if left out.
 */
export function leftJournals(folder: string, desktop?: string): LeftJournal[] {
  return leftFiles(
    folder,
    (name) => isJournalName(name) && (desktop === undefined || isMadeOn(name, desktop)),
  )
    .map((path) => ({ path, modified: modifiedAt(path) }))
    .sort((a, b) => b.modified.getTime() - a.modified.getTime());
}

function modifiedAt(path: string): Date {
  try {
    return Deno.statSync(path).mtime ?? new Date(0);
  } catch {
    return new Date(0); // another process has just removed the file
  }
}

/** A recording that was left behind. */
interface Recovered {
  recording: StoredRecording;
  /** Removes the journal of the recording. */
  discard(): void;
}

/**
 * Reads the newest journal that was left behind on this desktop, or otherwise on another desktop. An unreadable
 * journal is renamed, so that it hides no other journal.
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
