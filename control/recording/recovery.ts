/** Recovery of a recording after a crash, or an end without saving. */

import { InputError } from "../../core/errors.ts";
import { leftFiles } from "../../core/process_record.ts";
import { removeIfThere } from "../../core/replace_file.ts";
import { RECORDING_LIMIT } from "./format.ts";
import { isJournalName, isMadeOn } from "./journal_format.ts";
import { readRecordingFile } from "./loading.ts";
import type { StoredRecording } from "./stored.ts";

/** A journal that its writer left behind. */
export interface LeftJournal {
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
export interface Recovered {
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
    throw new InputError(`the recording to recover is damaged (${error.message}); it is now ${aside}`);
  }
}

/** @throws InputError if the journal is damaged. */
async function readJournal(path: string): Promise<StoredRecording> {
  if (Deno.statSync(path).size > RECORDING_LIMIT) throw new InputError("it is too large");
  return await readRecordingFile(path, "journal");
}
