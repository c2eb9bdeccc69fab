/** Large folders are listed on a thread of their own, so that no other request waits for it. */

import { RequestError } from "../../http/request_error.ts";
import { Mutex } from "../../core/mutex.ts";
import { notFound } from "../file_errors.ts";
import type { Listing } from "./write.ts";

/** A listing in UTF-8. */
type Content = Uint8Array<ArrayBuffer>;

/** From the thread, once: the listing, or why there is none. */
export interface Written {
  content?: Content;
  failure?: {
    message: string;
    /** Whether the folder is gone, or may not be read. */
    missing: boolean;
  };
}

/** Listings that may wait for their turn; one more is refused. */
const WAITING_LIMIT = 64;

/** A listing that is not begun. */
interface Waiting {
  written: Content | Promise<Content>;
  /** Whoever waits for it; aborted when they have left. */
  clients: AbortSignal[];
}

/** Lists one folder at a time, so that many who ask take no more than one thread and the memory of one listing. */
export class LargeListings {
  readonly #waiting = new Map<string, Waiting>();
  readonly #turns = new Mutex(
    WAITING_LIMIT,
    "Too many large folders are being listed; try again later.",
  );

  /**
   * Writes a listing; the same one for all who ask for it before it is begun.
   * @param client Aborted when the client leaves: a listing that nobody waits for any more is not begun.
   * @throws BusyError if too many wait; RequestError 404 if the folder is gone, 499 if all who asked have left; Error if it
   * cannot be listed otherwise.
   */
  write(listing: Listing, client: AbortSignal): Content | Promise<Content> {
    const key = JSON.stringify(listing);
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.clients.push(client);
      return waiting.written;
    }
    const clients = [client];
    let begun = false;
    const written = this.#turns.run(() => {
      begun = true;
      this.#waiting.delete(key);
      if (clients.every(({ aborted }) => aborted)) throw new RequestError(499, "The client has left.");
      return writeInWorker(listing);
    });
    if (!begun) this.#waiting.set(key, { written, clients });
    return written;
  }
}

async function writeInWorker(listing: Listing): Promise<Content> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  try {
    const { content, failure } = await new Promise<Written>((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<Written>) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault(); // else it ends the process
        resolve({ failure: { message: event.message, missing: false } });
      };
      worker.postMessage(listing);
    });
    if (content) return content;
    throw failure?.missing
      ? notFound()
      : new Error(`${listing.folder} cannot be listed: ${failure?.message}`);
  } finally {
    worker.terminate();
  }
}
