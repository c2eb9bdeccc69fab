/** What a crash, or an end without saving, leaves of a recording. */

import { InputError } from "../../core/errors.ts";
import { join } from "../../core/path.ts";
import { RECORDING_LIMIT } from "./format.ts";
import { removeJournal } from "./journal.ts";
import { isJournalName } from "./journal_format.ts";
import { readRecordingFile } from "./loading.ts";
import type { StoredRecording } from "./stored.ts";

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
    return [...Deno.readDirSync(folder)].filter(({ isFile, name }) => isFile && isJournalName(name))
      .map(({ name }) => name); // a pipe would keep its reader waiting
  } catch {
    return []; // no folder, no journals
  }
}

function leftJournal(path: string): LeftJournal | undefined {
  try {
    return isLocked(path) ? undefined : { path, modified: Deno.statSync(path).mtime ?? new Date(0) };
  } catch {
    return undefined; // its writer has just removed it, or another user owns it
  }
}

/** A recording that was left behind. */
export interface Recovered {
  recording: StoredRecording;
  /** Removes its journal. */
  discard(): void;
}

/**
 * Reads the newest journal that was left behind. One that cannot be read is renamed, so that it hides no other.
 * @throws InputError if there is none or it cannot be read.
 */
export async function recover(folder: string): Promise<Recovered> {
  const [newest] = leftJournals(folder);
  if (!newest) throw new InputError("there is no recording to recover");
  const { path } = newest;
  try {
    return { recording: await readJournal(path), discard: () => removeJournal(path) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const aside = `${path}.damaged`;
    Deno.renameSync(path, aside);
    throw new InputError(`the recording to recover is damaged (${error.message}); it is now ${aside}`);
  }
}

/** @throws InputError if it is damaged. */
async function readJournal(path: string): Promise<StoredRecording> {
  if (Deno.statSync(path).size > RECORDING_LIMIT) throw new InputError("it is too large");
  return await readRecordingFile(path, "journal");
}

function isLocked(path: string): boolean {
  using file = Deno.openSync(path, { read: true, write: true });
  return !file.tryLockSync(true); // closing it unlocks it
}
