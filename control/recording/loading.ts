/**
 * Reads recordings from bytes. A large one is read on a thread of its own, so that no request waits for it: a million
 * events take seconds.
 */

import type { Bytes } from "../../core/bytes.ts";
import { CallWorker } from "../../core/call_worker.ts";
import { Mutex } from "../../core/mutex.ts";
import { balanced } from "./balance.ts";
import { parseRecordingBytes, type Recording } from "./format.ts";
import { parseJournal } from "./journal_format.ts";
import { type StoredParts, StoredRecording } from "./stored.ts";

/** The form of the bytes: a recording's file, or the lines of a journal. */
export type RecordingForm = "file" | "journal";

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
