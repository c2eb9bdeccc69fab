/** Recording files, which only this user can read, since they may contain typed passwords. */

import { diskOf } from "../../core/disk.ts";
import { describeFileError, InputError } from "../../core/errors.ts";
import { dirname, isThere } from "../../core/path.ts";
import { printable } from "../../core/printable.ts";
import { replaceFileByPieces } from "../../core/state_files.ts";
import { RECORDING_LIMIT } from "./format.ts";
import { readRecordingFile } from "./files.ts";
import { scriptBytes, testBytes } from "./script.ts";
import type { StoredRecording } from "./stored.ts";
import { inTurns } from "../../core/until.ts";

/**
 * Saves a recording completely or not at all: writes a temporary file in the same folder and then renames it.
 * @param file A name ending in .sh gets a script of curl commands, .spec.ts a Playwright Test test, .py a
 * pytest test. A symbolic link stays: its target is replaced.
 * @param url The address of the running control API, which a script calls; undefined if none is running.
 * @throws InputError if the file cannot be written, or is a folder, device or pipe.
 */
export async function saveRecording(file: string, recording: StoredRecording, url?: string): Promise<void> {
  const isScript = file.endsWith(".sh"), bytes = bytesFor(file, recording, url);
  try {
    const target = await diskOf(file).run(() => realTarget(file));
    await replaceFileByPieces(target, bytes, isScript ? 0o700 : 0o600);
  } catch (error) {
    throw new InputError(`cannot save ${printable(file, 80)}: ${reason(error, file)}`, { cause: error });
  }
}

/** The bytes of a file, in the format that its extension requests. */
function bytesFor(file: string, recording: StoredRecording, url: string | undefined) {
  if (file.endsWith(".sh")) return scriptBytes(recording, url);
  const [, name, spec] = /([^/\\]+?)(\.(?:spec|test)\.ts|\.py)$/.exec(file) ?? [];
  if (!spec) return inTurns(recording.file());
  return testBytes(recording, spec === ".py" ? "pytest" : "playwright", name.replace(/^test_|_test$/, ""));
}

/** The path of the file to replace. A device or a pipe would be lost, so it is rejected. */
async function realTarget(file: string): Promise<string> {
  try {
    if (!(await Deno.stat(file)).isFile) throw new InputError("it is not a file");
    return await Deno.realPath(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return file;
    throw error;
  }
}

/**
 * Reads a recording.
 * @throws InputError if the file cannot be read or contains no recording.
 */
export async function loadRecording(file: string): Promise<StoredRecording> {
  try {
    return await diskOf(file).run(async () => {
      const { size, isFile } = await Deno.stat(file);
      if (!isFile) throw new InputError("it is not a file");
      if (size > RECORDING_LIMIT) throw new InputError(`it is larger than ${RECORDING_LIMIT} bytes`);
      return await readRecordingFile(file);
    });
  } catch (error) {
    throw new InputError(`cannot load ${printable(file, 80)}: ${reason(error, file)}`, { cause: error });
  }
}

function reason(error: unknown, file: string): string {
  if (error instanceof Deno.errors.NotFound) {
    return isThere(dirname(file))
      ? "there is no such file"
      : `there is no folder ${printable(dirname(file), 80)}`;
  }
  return describeFileError(error);
}
