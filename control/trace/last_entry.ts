/** Writes the entry that ends a trace's file, whole also on a full disk. */

/** Bytes that are read back at once. */
const PIECE = 64 * 1024;
const LINE_FEED = 10;

/**
 * Writes the last entry of a file, after the complete entries. On a full disk it overwrites as few of the last
 * entries as needed, since overwriting takes no new space.
 * @param file Open for reading and writing; a part of an entry may be its end.
 * @param least The end of the first entries, which stay.
 * @param line The entry, with its line feed.
 */
export function writeLastEntry(file: Deno.FsFile, least: number, line: Uint8Array): void {
  const size = () => file.statSync().size;
  if (writesAt(file, entryBefore(file, size(), least), line)) return;
  const at = entryBefore(file, size() - line.length, least);
  if (writesAt(file, at, line)) return;
  file.truncateSync(at); // a copy-on-write file system may have room now
  if (!writesAt(file, at, line)) file.truncateSync(at);
}

/** Writes a line at a place and lets the file end after it. @returns Whether there was room. */
function writesAt(file: Deno.FsFile, at: number, line: Uint8Array): boolean {
  try {
    file.seekSync(at, Deno.SeekMode.Start);
    writeAll(file, line);
    file.truncateSync(at + line.length);
    return true;
  } catch {
    return false;
  }
}

/** The last end of a line that is not behind `limit`, or `least`. */
function entryBefore(file: Deno.FsFile, limit: number, least: number): number {
  for (let to = limit; to > least; to -= PIECE) {
    const from = Math.max(least, to - PIECE), piece = new Uint8Array(to - from);
    file.seekSync(from, Deno.SeekMode.Start);
    for (let at = 0; at < piece.length;) {
      const count = file.readSync(piece.subarray(at));
      if (!count) break;
      at += count;
    }
    const found = piece.lastIndexOf(LINE_FEED);
    if (found >= 0) return from + found + 1;
  }
  return least;
}

/** Writes all bytes at the file's present position. @throws The errors of Deno if writing fails. */
export function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}
