/** The bytes of a planned answer: from memory, from a file at once, or streamed from it. */

import { FileChangedError } from "../core/errors.ts";
import { streamOf } from "../http/stream.ts";
import { type FileVersion, hasSameContent } from "./identity.ts";
import type { OpenedFile, OpenFile } from "./resolve.ts";
import { type ByteRange, lengthOf, type Piece, pieceLength } from "./plan.ts";

/** Bodies up to this size leave as one buffer: a stream of small ones costs more than it saves. */
const BUFFER_LIMIT = 1024 * 1024;
/**
 * Bytes of a large file that are read at once. A client that stops reading holds three such chunks: the chunk that is
 * being sent, the next, and a third that is read ahead. Half the size is slower by a tenth, twice the size is no
 * faster.
 */
const CHUNK = 512 * 1024;

/**
 * Reads pieces of an open file, and closes it: small bodies at once, large ones as fast as the client takes them.
 * @param open The file; the answer was planned from its `info`.
 * @param mayGrow As for {@linkcode readAtOnce}.
 * @param sent Receives the number of bytes of each chunk that is passed on.
 * @throws FileChangedError if the file changed since then. A stream fails with it too.
 */
export function readPieces(
  open: OpenFile,
  pieces: readonly Piece[],
  mayGrow: boolean,
  sent: (bytes: number) => void,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (lengthOf(pieces) > BUFFER_LIMIT) return streamPieces(open, pieces, sent);
  const content = readAtOnce(open, pieces, mayGrow);
  sent(content.length);
  return content;
}

/**
 * Reads pieces of an open file into one buffer, and closes the file.
 * @param mayGrow Whether the file may have grown since, as logs do. This is allowed for files with a weak validator,
 * by which clients do not combine ranges.
 * @throws FileChangedError if the file changed otherwise.
 */
export function readAtOnce(
  open: OpenFile,
  pieces: readonly Piece[],
  mayGrow: boolean,
): Uint8Array<ArrayBuffer> {
  using file = open.file;
  const content = joined(pieces, (range, buffer) => readFully(file, range.start, buffer));
  const now = file.statSync();
  if (!hasSameContent(open.info, now) && !(mayGrow && now.size > open.info.size)) {
    throw new FileChangedError("the file changed while it was read");
  }
  return content;
}

/** Pieces of a file that is in memory; all of it without a copy. */
export function slicePieces(
  content: Uint8Array<ArrayBuffer>,
  pieces: readonly Piece[],
): Uint8Array<ArrayBuffer> {
  const [piece] = pieces;
  if (pieces.length > 1 || piece instanceof Uint8Array) {
    return joined(pieces, ({ start, end }, buffer) => buffer.set(content.subarray(start, end + 1)));
  }
  return pieceLength(piece) === content.length ? content : content.subarray(piece.start, piece.end + 1);
}

/** Puts pieces into one buffer. */
function joined(
  pieces: readonly Piece[],
  read: (range: ByteRange, buffer: Uint8Array) => void,
): Uint8Array<ArrayBuffer> {
  const buffer = new Uint8Array(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    const part = buffer.subarray(at, at += pieceLength(piece));
    if (piece instanceof Uint8Array) part.set(piece);
    else read(piece, part);
  }
  return buffer;
}

function readFully(file: OpenedFile, start: number, buffer: Uint8Array) {
  for (let at = 0; at < buffer.length;) {
    const read = file.readSync(buffer.subarray(at), start + at);
    if (!read) throw new FileChangedError("the file became shorter while it was read");
    at += read;
  }
}

/**
 * Streams pieces at constant memory. The file is closed when all is read, or the client goes away. A file that changes
 * on the way fails the stream, which ends the connection.
 */
function streamPieces(
  { file, info }: OpenFile,
  pieces: readonly Piece[],
  sent: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const chunks = chunked(pieces);
  const next = async () => {
    const { value: chunk, done } = chunks.next();
    if (!done) return chunk instanceof Uint8Array ? chunk : await readChunk(file, info, chunk);
  };
  return streamOf(readAhead(next, sent), () => file.close());
}

/**
 * Makes each chunk while the one before it is sent.
 * @param next Makes a chunk; undefined at the end.
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

/** Reads a chunk, and then checks that the file has not changed since it was opened. */
async function readChunk(
  file: OpenedFile,
  info: FileVersion,
  { start, end }: ByteRange,
): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(end - start + 1);
  for (let at = 0; at < buffer.length;) {
    const read = await file.read(buffer.subarray(at), start + at);
    if (!read) throw new FileChangedError("the file became shorter while it was sent");
    at += read;
  }
  if (!hasSameContent(info, file.statSync())) {
    throw new FileChangedError("the file changed while it was sent");
  }
  return buffer;
}
