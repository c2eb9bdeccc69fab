/** Listings of large folders: made on a thread of their own, one at a time, and kept compressed while they are sent. */

import { BusyError } from "../../core/errors.ts";
import { Mutex } from "../../core/mutex.ts";
import { runWorker } from "../../core/worker.ts";
import { RequestError } from "../../http/request_error.ts";
import { streamOf } from "../../http/stream.ts";
import { notFound } from "../file_errors.ts";
import { type Deflated, gzipPieces, inflate } from "./deflated.ts";
import type { Listing } from "./write.ts";

/** Listings that may wait for their turn; one more is refused. */
const WAITING_LIMIT = 64;
/** Bytes of compressed listings that clients may be taking, 7 of a million entries; then no more are begun. */
const SENDING_LIMIT = 64 * 1024 * 1024;

/** A listing that is not begun. */
interface Waiting {
  made: Promise<Deflated>;
  /** The signals of those who asked for it; a signal is aborted when its client leaves. */
  clients: AbortSignal[];
}

/** A listing as it goes over the wire. */
export interface Sent {
  /** In bytes. */
  length: number;
  body: ReadableStream<Uint8Array>;
}

/** Makes one listing at a time, so that many clients take no more than one thread and the memory of one folder. */
export class LargeListings {
  readonly #waiting = new Map<string, Waiting>();
  readonly #turns = new Mutex(WAITING_LIMIT, "Too many large folders are being listed; try again later.");
  /** Listings that clients are taking, and how many clients each. */
  readonly #sending = new Map<Deflated, number>();

  /** @param sendingLimit Bytes of compressed listings that clients may be taking when another is begun. */
  constructor(readonly sendingLimit = SENDING_LIMIT) {}

  /**
   * Makes a listing; the same one for all who ask for it before it is begun.
   * @param gzip Whether it is sent in gzip, rather than as it is.
   * @param client Aborted when the client leaves: a listing that no client waits for any more is not begun.
   * @returns A listing that counts as being sent until its body is read to the end or cancelled.
   * @throws RequestError 404 if the folder is gone, 499 if all who asked have left; BusyError if too many wait or are
   * being sent; Error if the folder cannot be listed otherwise.
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
      return writeInWorker(listing);
    });
    if (!begun) this.#waiting.set(key, { made, clients });
    return made;
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

async function writeInWorker(listing: Listing): Promise<Deflated> {
  try {
    return await runWorker<Listing, never, Deflated>(new URL("./worker.ts", import.meta.url), listing).done;
  } catch (error) {
    // A thread's errors arrive without what is beside their names; the one status of a listing is 404.
    throw (error as Error).name === "RequestError" ? notFound() : error;
  }
}
