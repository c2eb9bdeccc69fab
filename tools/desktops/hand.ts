/** deskhand's control API, as called by a user's program. */

import { attempt } from "../../core/errors.ts";
import { RefusedError, SilentError } from "./faults.ts";

/** Maximum time for a call, in milliseconds: typing 200 characters on a busy machine takes seconds. */
const BOUND_MS = 60_000;

/** A JSON object in a response. */
// deno-lint-ignore no-explicit-any
export type Answer = any;

/** A running deskhand. */
export class Hand {
  /**
   * @param url The address of deskhand's API, such as `http://127.0.0.1:4000`.
   * @param lastWords Returns the last lines that deskhand printed.
   */
  constructor(readonly url: string, readonly lastWords: () => string) {}

  /** Whether deskhand answers. */
  async isThere(): Promise<boolean> {
    return await fetch(`${this.url}/healthz`).then(({ ok }) => ok, () => false);
  }

  /** Sends a GET request for a path. @throws RefusedError if the response is an error. */
  async get(path: string): Promise<Answer> {
    return await (await this.#call("GET", path)).json();
  }

  /** Sends an action to deskhand. @throws RefusedError if the response is an error. */
  async post(path: string, body: unknown = {}): Promise<Answer> {
    return await (await this.#call("POST", path, JSON.stringify(body))).json();
  }

  /** Sends a PUT with bytes, or with a value as JSON. @throws RefusedError if the response is an error. */
  async put(path: string, body: Uint8Array<ArrayBuffer> | Record<string, unknown>): Promise<void> {
    const content = body instanceof Uint8Array ? body : JSON.stringify(body);
    await (await this.#call("PUT", path, content)).body?.cancel();
  }

  /** Posts bytes. @throws RefusedError if the response is an error. */
  async postBytes(path: string, body: Uint8Array<ArrayBuffer>): Promise<Answer> {
    return await (await this.#call("POST", path, body)).json();
  }

  /** Fetches the bytes of a picture. @throws RefusedError if the response is an error. */
  async bytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await this.#call("GET", path)).arrayBuffer());
  }

  async type(text: string): Promise<void> {
    await this.post("/api/type", { text });
  }

  /** Presses a key combination. */
  async key(keys: string): Promise<void> {
    await this.post("/api/key", { keys });
  }

  /** Waits until the picture stops changing, if pictures are available, for at most 3 s. */
  async settled(): Promise<void> {
    await this.post("/api/wait", { still: { ms: 400 }, timeout_ms: 3000 }).catch(() => {});
  }

  async #call(method: string, path: string, body?: BodyInit): Promise<Response> {
    const signal = AbortSignal.timeout(BOUND_MS);
    const response = await fetch(this.url + path, { method, body, signal }).catch((error) => {
      throw error instanceof TypeError ? new SilentError(`deskhand is gone: ${this.lastWords()}`) : error;
    });
    if (response.ok) return response;
    const text = await response.text();
    throw new RefusedError(`${response.status}: ${attempt(() => JSON.parse(text).error) ?? text}`);
  }
}
