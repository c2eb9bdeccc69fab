/** Writes files whole or not at all. */

import { InputError } from "./errors.ts";
import { dirname, join } from "./path.ts";

/**
 * Makes a file or replaces it: writes a temporary file beside it, and then renames that file. A link of that name is
 * replaced by the file, and its target stays unchanged.
 * @param mode Permissions of the file, such as 0o600.
 * @throws InputError if a pipe or a device has that name; Deno's error if the file cannot be written. After an error
 * the old file is unchanged.
 * @example
 * replaceFile("token", "secret\n", 0o600);
 */
export function replaceFile(path: string, content: string | Uint8Array, mode: number): void {
  const draft = draftOf(path);
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  try {
    Deno.writeFileSync(draft, bytes, { createNew: true, mode });
    Deno.renameSync(draft, path);
  } catch (error) {
    removeIfThere(draft);
    throw error;
  }
}

/**
 * Does the same as {@linkcode replaceFile} with content that is made piece by piece.
 * @param pieces The content.
 */
export async function replaceFileByPieces(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  mode: number,
): Promise<void> {
  const draft = draftOf(path);
  try {
    await Deno.writeFile(draft, ReadableStream.from(pieces), { createNew: true, mode });
    Deno.renameSync(draft, path);
  } catch (error) {
    removeIfThere(draft);
    throw error;
  }
}

/** @throws InputError if a pipe or a device has the path, which a file must not replace. */
function draftOf(path: string): string {
  if (!isReplaceable(path)) throw new InputError("it is not a file");
  return join(dirname(path), `.deskhand-${crypto.randomUUID()}`);
}

/**
 * Whether a file may replace the present file of a path; a replaced pipe or device would leave its readers
 * waiting in vain.
 */
function isReplaceable(path: string): boolean {
  try {
    const { isFile, isSymlink } = Deno.lstatSync(path);
    return isFile || isSymlink;
  } catch {
    return true; // the file is missing, or the write will report the problem
  }
}

/** Removes a file; a missing file is no error. */
export function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // The file is gone already, or was not made.
  }
}
