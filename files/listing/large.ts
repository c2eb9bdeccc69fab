/** Listings of large folders: a thread makes one listing at a time, and listings stay in memory while they are sent. */

import { CallWorker } from "../../core/call_worker.ts";
import { BusyError } from "../../core/errors.ts";
import { Mutex } from "../../core/mutex.ts";
import { RequestError } from "../../http/request_error.ts";
import { streamOf } from "../../http/stream.ts";
import { notFound } from "../file_errors.ts";
import type { Chunk, Listing } from "./write.ts";

/** The number of listings that may wait for their turn. */
const WAITING_LIMIT = 64;
/**
 * The bytes of listings under way to clients above which no listing is begun. A listing of a million files has 240 MB, in
 * gzip 15 MB.
 */
const SENDING_LIMIT = 256 * 1024 * 1024;
/** The time that the thread stays without a listing, in milliseconds. */
const IDLE_MS = 10_000;

/** A listing to make. */
export interface LargeListing {
  listing: Listing;
  /** Whether clients get it in gzip. */
  gzip: boolean;
}

/** A listing that waits for its turn. */
interface Waiting {
  made: Promise<Chunk[]>;
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
  readonly #worker = new CallWorker<LargeListing, Chunk[]>({
    url: new URL("./worker.ts", import.meta.url),
    idleMs: IDLE_MS,
  });
  /** Listings under way to clients, and to how many each. */
  readonly #sending = new Map<Chunk[], number>();

  /** @param sendingLimit The most bytes of listings under way to clients; above it no listing is begun. */
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
    return this.#send(await this.#make({ listing, gzip }, client));
  }

  #make(large: LargeListing, client: AbortSignal): Promise<Chunk[]> {
    const key = JSON.stringify(large);
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
      if (clients.every(({ aborted }) => aborted)) throw new RequestError(499, "The client disconnected.");
      if (this.#bytesSending() >= this.sendingLimit) {
        throw new BusyError("Too many listings of large folders are being sent; try again later.");
      }
      return this.#write(large);
    });
    if (!begun) this.#waiting.set(key, { made, clients });
    return made;
  }

  async #write(large: LargeListing): Promise<Chunk[]> {
    try {
      return await this.#worker.call(large);
    } catch (error) {
      // Of a thread's error only the name and the message arrive. 404 is the one status that a listing throws.
      throw (error as Error).name === "RequestError" ? notFound() : error;
    }
  }

  #send(chunks: Chunk[]): Sent {
    this.#sending.set(chunks, (this.#sending.get(chunks) ?? 0) + 1);
    const wire = chunks.values();
    return {
      length: lengthOf(chunks),
      body: streamOf(() => wire.next().value?.slice(), () => this.#sent(chunks)), // others may get the same chunk
    };
  }

  #sent(chunks: Chunk[]) {
    const others = this.#sending.get(chunks)! - 1;
    if (others) this.#sending.set(chunks, others);
    else this.#sending.delete(chunks);
  }

  #bytesSending(): number {
    return this.#sending.keys().reduce((sum, chunks) => sum + lengthOf(chunks), 0);
  }
}

function lengthOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
