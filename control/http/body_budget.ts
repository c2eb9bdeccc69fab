/** Bounds the memory that the bodies of requests take together, before they are read. */

import { RequestError } from "../../http/request_error.ts";

/** Bytes of the bodies under way: eight of the largest pictures. */
const LIMIT = 128 * 1024 * 1024;
/** Bodies of this size, in bytes, are not counted: a click is not refused because others send pictures. */
const SMALL = 64 * 1024;

/** A number of bytes in memory, from which each request takes the size of its body. */
export class BodyBudget {
  #held = 0;
  readonly #bytes = new WeakMap<Request, number>();

  /** @param limit Bytes of all bodies together. */
  constructor(readonly limit: number) {}

  /** Bytes that are taken now. */
  get held(): number {
    return this.#held;
  }

  /**
   * Takes the bytes of a body that is about to be read, or more of them where a client did not say how many will
   * come.
   * @param bytes The total size that the body may have so far.
   * @throws RequestError 503 with Retry-After if other bodies leave no room for this one.
   */
  take(request: Request, bytes: number): void {
    if (bytes <= SMALL) return;
    const more = bytes - (this.#bytes.get(request) ?? 0);
    if (this.#held + more > this.limit) {
      throw new RequestError(503, "other requests with large bodies are under way; try again later", {
        "retry-after": "1",
        connection: "close",
      });
    }
    this.#held += more;
    this.#bytes.set(request, bytes);
  }

  /** Frees the bytes that a request took: its body is no longer in memory. */
  release(request: Request): void {
    this.#held -= this.#bytes.get(request) ?? 0;
    this.#bytes.delete(request);
  }
}

/** The budget of this process. */
export const BODIES = new BodyBudget(LIMIT);
