/**
 * Listings of large folders: a thread makes one listing at a time, and listings stay compressed in memory while they
 * are sent.
 */

import type { Bytes } from "../../core/bytes.ts";
import { CallWorker } from "../../core/call_worker.ts";
import { BusyError } from "../../core/errors.ts";
import { Mutex } from "../../core/mutex.ts";
import { nodeModule } from "../../core/path.ts";
import { RequestError } from "../../http/request_error.ts";
import { streamOf } from "../../http/stream.ts";
import { notFound } from "../pages.ts";
import type { Listing } from "./write.ts";

// Text that is compressed as it is written, and stays compressed until it is sent: a listing of a million
// files takes 10 to 15 bytes for each file. A client that accepts gzip gets the compressed text; for other
// clients each piece is decompressed when it is sent. The length of both forms is known before the first byte
// is sent.

/** A text in DEFLATE (RFC 1951). It can be sent to another thread. */
export interface Deflated {
  /** Bytes of the text. */
  length: number;
  /** CRC-32 of the text. */
  crc: number;
  /**
   * The compressed pieces. Each consists of whole blocks, none of them final, can be decompressed alone, and has memory
   * of its own.
   */
  pieces: Bytes[];
}

/** Header of RFC 1952 section 2.3: DEFLATE, no name, no time, unknown system. */
const GZIP_HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/** An empty final block (RFC 1951 section 3.2.3, fixed codes). */
const LAST_BLOCK = [3, 0];
/**
 * zlib's level. It makes 15 MB of the 240 MB of 1,000,000 files in 0.3 s; level 1 makes 20 MB in as long, level 6
 * 13 MB in 1 s.
 */
const LEVEL = 2;

/** Bytes that zlib decompresses at once, most often a whole chunk. Its default, 16 KiB, takes twice the time. */
const ROOM = 320 * 1024;

/** Compresses chunks of a text, a piece for each. */
export function deflate(chunks: Iterable<Bytes>): Deflated {
  const { constants, crc32, deflateRawSync } = nodeModule("node:zlib");
  const deflated: Deflated = { length: 0, crc: 0, pieces: [] };
  for (const chunk of chunks) {
    const piece = deflateRawSync(chunk, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH });
    deflated.pieces.push(new Uint8Array(piece)); // a Buffer may share its memory with others
    deflated.length += chunk.length;
    deflated.crc = crc32(chunk, deflated.crc);
  }
  return deflated;
}

/** Decompresses a piece. The result has memory of its own: a Buffer shares it only if it is far smaller than `ROOM`. */
function inflate(piece: Bytes): Bytes {
  const { constants, inflateRawSync } = nodeModule("node:zlib");
  const { buffer, byteOffset, length } = inflateRawSync(piece, {
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: ROOM,
  });
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, length);
}

/** The pieces of the same text in gzip (RFC 1952). */
function gzipPieces({ length, crc, pieces }: Deflated): Bytes[] {
  const trailer = new DataView(new ArrayBuffer(8));
  trailer.setUint32(0, crc, true);
  trailer.setUint32(4, length, true); // modulo 2^32
  const end = new Uint8Array([...LAST_BLOCK, ...new Uint8Array(trailer.buffer)]);
  return [new Uint8Array(GZIP_HEADER), ...pieces, end];
}

/** The number of listings that may wait for their turn. */
const WAITING_LIMIT = 64;
/**
 * The bytes of compressed listings under way to clients above which no listing is begun: four listings of a million
 * files.
 */
const SENDING_LIMIT = 64 * 1024 * 1024;
/** The time that the thread stays without a listing, in milliseconds. */
const IDLE_MS = 10_000;

/** A listing that waits for its turn. */
interface Waiting {
  made: Promise<Deflated>;
  /** The signals of the waiting clients; each is aborted when its client leaves. */
  clients: AbortSignal[];
}

/** A listing as a client gets it. */
export interface Sent {
  /** The length in bytes. */
  length: number;
  body: ReadableStream<Uint8Array>;
}

/** Makes one listing at a time: many clients at once need no more than one thread, and memory for one folder. */
export class LargeListings {
  readonly #waiting = new Map<string, Waiting>();
  readonly #turns = new Mutex(WAITING_LIMIT, "Too many large folders are being listed; try again later.");
  readonly #worker = new CallWorker<Listing, Deflated>({
    url: new URL("./worker.ts", import.meta.url),
    idleMs: IDLE_MS,
  });
  /** Listings under way to clients, and to how many each. */
  readonly #sending = new Map<Deflated, number>();

  /** @param sendingLimit The most bytes of compressed listings under way to clients; above it no listing is begun. */
  constructor(readonly sendingLimit = SENDING_LIMIT) {}

  /**
   * Makes a listing. Requests for the same listing share the result if they arrive before it is begun.
   * @param gzip Whether the client gets it in gzip.
   * @param client Aborted when the client leaves. If all clients of a listing leave before its turn, it is not begun.
   * @returns The listing. It is under way until its body is read to the end or cancelled.
   * @throws RequestError 404 if the folder is gone, 499 if all clients have left; BusyError if too many listings wait
   * or are under way; Error if the folder cannot be listed for another reason.
   */
  async answer(listing: Listing, gzip: boolean, client: AbortSignal): Promise<Sent> {
    return this.#send(await this.#make(listing, client), gzip);
  }

  #make(listing: Listing, client: AbortSignal): Promise<Deflated> {
    const key = JSON.stringify(listing);
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.clients.push(client);
      return waiting.made;
    }
    const clients = [client];
    let begun = false;
    const made = this.#turns.run(() => {
      begun = true;
      this.#waiting.delete(key);
      if (clients.every(({ aborted }) => aborted)) throw new RequestError(499, "The client has left.");
      if (this.#bytesSending() >= this.sendingLimit) {
        throw new BusyError("Too many listings of large folders are being sent; try again later.");
      }
      return this.#write(listing);
    });
    if (!begun) this.#waiting.set(key, { made, clients });
    return made;
  }

  async #write(listing: Listing): Promise<Deflated> {
    try {
      return await this.#worker.call(listing);
    } catch (error) {
      // Of a thread's error only the name and the message arrive. 404 is the one status that a listing throws.
      throw (error as Error).name === "RequestError" ? notFound() : error;
    }
  }

  #send(deflated: Deflated, gzip: boolean): Sent {
    this.#sending.set(deflated, (this.#sending.get(deflated) ?? 0) + 1);
    const pieces = gzip ? gzipPieces(deflated) : deflated.pieces;
    const wire = pieces.values().map((piece) => gzip ? piece.slice() : inflate(piece));
    return {
      length: gzip ? lengthOf(pieces) : deflated.length,
      body: streamOf(() => wire.next().value, () => this.#sent(deflated)),
    };
  }

  #sent(deflated: Deflated) {
    const others = this.#sending.get(deflated)! - 1;
    if (others) this.#sending.set(deflated, others);
    else this.#sending.delete(deflated);
  }

  #bytesSending(): number {
    return this.#sending.keys().reduce((sum, { pieces }) => sum + lengthOf(pieces), 0);
  }
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
