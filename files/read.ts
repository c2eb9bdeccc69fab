/** The bytes of a planned response: from memory, read from a file at once, or streamed from it. */

import type { Disk } from "../core/disk.ts";
import { FileChangedError } from "../core/errors.ts";
import { type Bytes, concat } from "../core/bytes.ts";
import { streamOf } from "../http/stream.ts";
import { type FileVersion, hasSameContent } from "./identity.ts";
import type { OpenedFile } from "./open_file.ts";
import type { OpenFile } from "./resolve.ts";
import { type ByteRange, lengthOf, type Piece, pieceLength } from "./plan.ts";

/** Maximum size of a body sent as one buffer: streaming a small one costs more than it saves. */
const BUFFER_LIMIT = 1024 * 1024;
/**
 * Bytes per read of a large file. A client that stops reading holds three such chunks: one being sent, the
 * next, and a third that is read ahead. Half the size is slower by a tenth, twice the size is no faster.
 */
const CHUNK = 512 * 1024;

/** Makes a file system call, which may time out; see `Root.reach`. */
type ReachCall = <T>(call: () => Promise<T>) => Promise<T>;

/** The dependencies of a read. */
interface Reading {
  /** Receives the number of bytes of each chunk that is passed on. */
  sent: (bytes: number) => void;
  /** The file's disk. */
  disk: Disk;
}

/**
 * Reads pieces of an open file, and closes it: small bodies at once, large ones as fast as the client accepts
 * them.
 * @param open The file; the response was planned from its `info`.
 * @param mayGrow As for {@linkcode readAtOnce}.
 * @throws FileChangedError if the file has changed since. A stream fails with it too.
 */
export async function readPieces(
  open: OpenFile,
  pieces: readonly Piece[],
  mayGrow: boolean,
  { sent, disk }: Reading,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  if (lengthOf(pieces) > BUFFER_LIMIT) return streamPieces(open, pieces, mayGrow, { sent, disk });
  const content = await readAtOnce(open, pieces, mayGrow, (call) => disk.call(call));
  sent(content.length);
  return content;
}

/**
 * Reads pieces of an open file into one buffer, and closes the file.
 * @param mayGrow Whether the file may have grown since, as logs do. Allowed for files with a weak validator,
 * with which clients do not combine ranges.
 * @throws FileChangedError if the file changed otherwise.
 */
export async function readAtOnce(
  { file, info }: OpenFile,
  pieces: readonly Piece[],
  mayGrow: boolean,
  reach: ReachCall,
): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(lengthOf(pieces));
  return await reach(async () => {
    using _file = file; // closed when the call ends, however late
    let at = 0;
    for (const piece of pieces) {
      const part = buffer.subarray(at, at += pieceLength(piece));
      if (piece instanceof Uint8Array) part.set(piece);
      else await readFully(file, piece.start, part);
    }
    checkUnchanged(info, await file.stat(), mayGrow);
    return buffer;
  });
}

/**
 * Reads a part of an open file.
 * @param mayGrow As for {@linkcode readAtOnce}.
 * @throws FileChangedError as {@linkcode readAtOnce} does.
 */
export async function readChunk(
  { file, info }: OpenFile,
  { start, end }: ByteRange,
  mayGrow: boolean,
): Promise<Bytes> {
  const buffer = new Uint8Array(end - start + 1);
  await readFully(file, start, buffer);
  checkUnchanged(info, await file.stat(), mayGrow);
  return buffer;
}

/** @throws FileChangedError if a file's content differs from before, or, where it may grow, is shorter. */
function checkUnchanged(before: FileVersion, now: FileVersion, mayGrow: boolean): void {
  if (hasSameContent(before, now) || mayGrow && now.size > before.size) return;
  throw new FileChangedError("the file changed while it was being read");
}

/** Pieces of a file in memory; the whole file without a copy. */
export function slicePieces(
  content: Uint8Array<ArrayBuffer>,
  pieces: readonly Piece[],
): Uint8Array<ArrayBuffer> {
  const [piece] = pieces;
  if (pieces.length > 1 || piece instanceof Uint8Array) {
    return concat(
      ...pieces.map((piece) =>
        piece instanceof Uint8Array ? piece : content.subarray(piece.start, piece.end + 1)
      ),
    );
  }
  return pieceLength(piece) === content.length ? content : content.subarray(piece.start, piece.end + 1);
}

async function readFully(file: OpenedFile, start: number, buffer: Uint8Array): Promise<void> {
  for (let at = 0; at < buffer.length;) {
    const read = await file.read(buffer.subarray(at), start + at);
    if (!read) throw new FileChangedError("the file was truncated while it was being read");
    at += read;
  }
}

/**
 * Streams pieces in constant memory. The file is closed when everything is read, or the client leaves. A file
 * that changes meanwhile fails the stream, which closes the connection.
 */
function streamPieces(
  { file, info }: OpenFile,
  pieces: readonly Piece[],
  mayGrow: boolean,
  { sent, disk }: Reading,
): ReadableStream<Uint8Array> {
  const chunks = chunked(pieces), samples = new Samples();
  const next = async (): Promise<Bytes | undefined> => {
    const chunk = chunks.next().value;
    if (!chunk || chunk instanceof Uint8Array) return chunk ?? undefined;
    return await disk.call(async () => {
      const content = await readChunk({ file, info }, chunk, mayGrow);
      if (mayGrow) await samples.checkAndAdd(file, chunk.start, content);
      return content;
    });
  };
  return streamOf(readAhead(next, sent), () => disk.close(file).catch(() => {})); // later if it does not answer
}

/** Bytes per sample. */
const SAMPLE = 4096;

/**
 * Samples of what was read of a file that may grow: the beginning, and the bytes before the next chunk. A
 * file that only grows preserves them; a file that is rewritten usually does not.
 */
class Samples {
  #kept: { at: number; bytes: Bytes }[] = [];

  /** @throws FileChangedError if the file now has other bytes at the sampled offsets. */
  async checkAndAdd(file: OpenedFile, start: number, content: Bytes): Promise<void> {
    for (const { at, bytes } of this.#kept) {
      const now = new Uint8Array(bytes.length);
      await readFully(file, at, now);
      if (now.some((byte, i) => byte !== bytes[i])) {
        throw new FileChangedError("the file was overwritten while it was being sent");
      }
    }
    const tail = Math.max(content.length - SAMPLE, 0);
    this.#kept = [
      this.#kept[0] ?? { at: start, bytes: content.slice(0, SAMPLE) },
      { at: start + tail, bytes: content.slice(tail) },
    ];
  }
}

/**
 * Prepares each chunk while the previous one is sent.
 * @param next Returns a chunk; undefined at the end.
 * @param sent Called as by {@linkcode readPieces}.
 * @returns A source for `streamOf`.
 */
export function readAhead<T extends Uint8Array | undefined>(
  next: () => Promise<T>,
  sent: (bytes: number) => void,
): () => Promise<T> {
  let ahead: Promise<T> | undefined;
  return async () => {
    const chunk = await (ahead ?? next());
    ahead = next();
    ahead.catch(() => {}); // the next call awaits it and fails with its error
    sent(chunk?.length ?? 0);
    return chunk;
  };
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
