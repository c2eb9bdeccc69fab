/** The bytes of an answer: ranges of a file, with text between them where there are several. */

import { FileChangedError } from "../core/errors.ts";
import { streamOf } from "../http/stream.ts";
import type { ByteRange } from "./range.ts";
import { isUnchanged } from "./version.ts";

/** A piece of a body: bytes of the file, or of our own. */
export type Piece = ByteRange | Uint8Array<ArrayBuffer>;

/** Bodies up to this size leave as one buffer: a stream of small ones costs more than it saves. */
export const BUFFER_LIMIT = 1024 * 1024;
/**
 * Bytes read at once of larger ones. A client that stops reading holds three such chunks: the one that is being sent,
 * the next, and the one that is read ahead. Half of it is slower by a tenth, twice as much is no faster.
 */
const CHUNK = 512 * 1024;

/** How many bytes pieces have together. */
export function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + pieceLength(piece), 0);
}

/**
 * Reads pieces into one buffer.
 * @throws FileChangedError if the file is not long enough any more.
 */
export function readPieces(file: Deno.FsFile, pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
  const buffer = new Uint8Array(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) buffer.set(piece, at);
    else readFully(file, piece.start, buffer.subarray(at, at + pieceLength(piece)));
    at += pieceLength(piece);
  }
  return buffer;
}

/**
 * Whether pieces of a file are the same when they are read once more: then all of them were there together in between,
 * unless somebody wrote something else and the same again.
 * @param read What {@linkcode readPieces} gave for them.
 * @throws FileChangedError like that.
 */
export function areStill(read: Uint8Array, file: Deno.FsFile, pieces: readonly Piece[]): boolean {
  const again = readPieces(file, pieces);
  let at = 0;
  while (at < read.length && again[at] === read[at]) at++; // every() takes ten times as long
  return at === read.length;
}

/** Pieces of a file that is in memory; all of it without a copy. */
export function piecesOf(
  content: Uint8Array<ArrayBuffer>,
  pieces: readonly Piece[],
): Uint8Array<ArrayBuffer> {
  if (pieces.length === 0) return content;
  if (pieces.length === 1) {
    const { start, end } = pieces[0] as ByteRange;
    return end - start + 1 === content.length ? content : content.subarray(start, end + 1);
  }
  const joined = new Uint8Array(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    const part = piece instanceof Uint8Array ? piece : content.subarray(piece.start, piece.end + 1);
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/**
 * Streams pieces, as fast as the client takes them and at constant memory. The file is closed when all is read, or
 * the client goes away. A file that changes meanwhile ends the connection.
 * @param info The file as it was when it was opened.
 */
export function streamPieces(
  file: Deno.FsFile,
  info: Deno.FileInfo,
  pieces: readonly Piece[],
): ReadableStream<Uint8Array> {
  const chunks = chunked(pieces);
  /** Where the file stands: reading on from there needs no seek. */
  let position = -1;
  const read = async ({ start, end }: ByteRange) => {
    if (start !== position) await file.seek(start, Deno.SeekMode.Start);
    position = end + 1;
    return await readChunk(file, info, end - start + 1);
  };
  const next = async () => {
    const { value: chunk, done } = chunks.next();
    if (!done) return chunk instanceof Uint8Array ? chunk : await read(chunk);
  };
  /** The chunk after the one that was given last, read while that is sent. */
  let ahead: ReturnType<typeof next> | undefined;
  return streamOf(async () => {
    const chunk = await (ahead ?? next());
    ahead = next();
    ahead.catch(() => {}); // it is told of when its turn has come
    return chunk;
  }, () => file.close());
}

function pieceLength(piece: Piece): number {
  return piece instanceof Uint8Array ? piece.length : piece.end - piece.start + 1;
}

function* chunked(pieces: readonly Piece[]): Generator<Piece, void> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else {
      for (let start = piece.start; start <= piece.end; start += CHUNK) {
        yield { start, end: Math.min(start + CHUNK - 1, piece.end) };
      }
    }
  }
}

async function readChunk(
  file: Deno.FsFile,
  info: Deno.FileInfo,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(length);
  for (let at = 0; at < buffer.length;) {
    const read = await file.read(buffer.subarray(at));
    if (!read) throw new FileChangedError("the file became shorter while it was sent");
    at += read;
  }
  if (isWritten(info, file.statSync())) throw new FileChangedError("the file changed while it was sent");
  return buffer;
}

/**
 * Whether a file was written to between two looks, as far as the system tells. A name taken from it or other rights are
 * no new content, though they move the time of the last change, as a write does whose time of modification was set back
 * afterwards.
 */
function isWritten(before: Deno.FileInfo, now: Deno.FileInfo): boolean {
  const otherwise = before.nlink !== now.nlink || before.mode !== now.mode;
  return !isUnchanged(before, otherwise ? { ...now, ctime: before.ctime } : now);
}

function readFully(file: Deno.FsFile, start: number, buffer: Uint8Array) {
  file.seekSync(start, Deno.SeekMode.Start);
  for (let at = 0; at < buffer.length;) {
    const read = file.readSync(buffer.subarray(at));
    if (!read) throw new FileChangedError("the file became shorter while it was read");
    at += read;
  }
}
