/** Large folders are listed on a thread of their own, so that no other request waits for it. */

import { notFound } from "../resolve.ts";
import type { Listing } from "./write.ts";

/** From the thread, once: the listing, or why there is none. */
export interface Written {
  content?: Uint8Array<ArrayBuffer>;
  failure?: {
    message: string;
    /** Whether the folder is gone, or may not be read. */
    missing: boolean;
  };
}

/** Lists one folder at a time, so that many who ask take no more than one thread and the memory of one listing. */
export class LargeListings {
  /** Those that are not begun. */
  readonly #waiting = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Writes a listing; the same one for all who ask for it before it is begun.
   * @throws RequestError 404 if the folder is gone; Error if it cannot be listed otherwise.
   */
  write(listing: Listing): Promise<Uint8Array<ArrayBuffer>> {
    const key = JSON.stringify(listing);
    const waiting = this.#waiting.get(key);
    if (waiting) return waiting;
    const written = this.#last.then(() => {
      this.#waiting.delete(key);
      return writeInWorker(listing);
    });
    this.#waiting.set(key, written);
    this.#last = written.catch(() => {});
    return written;
  }
}

async function writeInWorker(listing: Listing): Promise<Uint8Array<ArrayBuffer>> {
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
