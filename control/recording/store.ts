/** Recordings in files. They may hold what was typed, so nobody else may read them. */

import { dirname, join } from "@std/path";
import { InputError } from "../../errors.ts";
import { printable } from "../../http/printable.ts";
import { formatRecording, parseRecordingText, type Recording, RECORDING_LIMIT } from "./format.ts";
import { recordingScript } from "./script.ts";

/** Whether a file is there already. */
export function exists(file: string): boolean {
  try {
    Deno.lstatSync(file);
    return true;
  } catch {
    return false;
  }
}

/**
 * Saves a recording, whole or not at all: into a file beside it first, which then takes its name.
 * @param file A name that ends in .sh gets a script of curl lines.
 * @throws InputError if it cannot be written.
 */
export function saveRecording(file: string, recording: Recording): void {
  const isScript = file.endsWith(".sh");
  const text = isScript ? recordingScript(recording) : formatRecording(recording);
  const draft = join(dirname(file), `.deskhand-${crypto.randomUUID()}`);
  try {
    Deno.writeTextFileSync(draft, text, { createNew: true, mode: isScript ? 0o700 : 0o600 });
    Deno.renameSync(draft, file);
  } catch (error) {
    try {
      Deno.removeSync(draft);
    } catch {
      // It was not made.
    }
    throw new InputError(`cannot save ${printable(file, 80)}: ${reason(error, file)}`, { cause: error });
  }
}

/**
 * Reads a recording.
 * @throws InputError if the file cannot be read or holds no recording.
 */
export function loadRecording(file: string): Recording {
  try {
    const { size, isFile } = Deno.statSync(file);
    if (!isFile) throw new InputError("it is no file");
    if (size > RECORDING_LIMIT) throw new InputError(`it is larger than ${RECORDING_LIMIT} bytes`);
    return parseRecordingText(Deno.readTextFileSync(file));
  } catch (error) {
    throw new InputError(`cannot load ${printable(file, 80)}: ${reason(error, file)}`, { cause: error });
  }
}

function reason(error: unknown, file: string): string {
  if (error instanceof Deno.errors.NotFound) {
    return exists(dirname(file))
      ? "there is no such file"
      : `there is no folder ${printable(dirname(file), 80)}`;
  }
  if (error instanceof Deno.errors.PermissionDenied) return "this user may not";
  return (error as Error).message;
}
