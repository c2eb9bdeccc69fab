/** Reads files that hold a secret or a setting, and refuses what is none. */

import { InputError } from "./errors.ts";

/**
 * Reads a regular file, or what a link to one names. Nothing else is opened: a pipe would keep its reader waiting.
 * @param limit Its largest size in bytes.
 * @throws InputError if it is no regular file or larger; what Deno throws if it cannot be read.
 */
export function readSmallFile(path: string, limit: number): string {
  if (!Deno.statSync(path).isFile) throw new InputError("it is no regular file");
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(limit + 1);
  let length = 0;
  for (let read: number | null; (read = file.readSync(bytes.subarray(length)));) length += read;
  if (length > limit) throw new InputError(`it is larger than ${limit} bytes`);
  return new TextDecoder().decode(bytes.subarray(0, length));
}
