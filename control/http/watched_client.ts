/**
 * Clients that wait for an answer. The signal of a request is not aborted when its client leaves, if the request's
 * body came in another packet than its head (Deno.serve 2.9.6), so deskhand asks the system.
 */

import type { Peer } from "../../http/handler.ts";
import type { Caller } from "../operator/calls.ts";
import { BODIES } from "./request_body.ts";

/**
 * Whether a client has closed its connection, or its sending half.
 * @returns undefined where the system does not tell.
 */
export type HasLeft = (client: Deno.NetAddr) => Promise<boolean | undefined>;

/** The time between two looks at a client that waits, in milliseconds. */
const INTERVAL_MS = 1000;

/** The name and version at the beginning of `User-Agent`, such as `curl/8.5.0`. */
export function clientOf({ headers }: Request): string | undefined {
  return headers.get("user-agent")?.split(" ", 1)[0];
}

/** The client of an action that may take long: its signal is aborted within a second after it left. */
export class WatchedClient implements Caller, Disposable {
  readonly signal: AbortSignal;
  readonly #request: Request;
  readonly #address: Deno.NetAddr;
  readonly #look: HasLeft | undefined;
  readonly #left = new AbortController();
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  /** Whether the client's connection was seen; a seen connection that is missing later has ended. */
  #wasSeen = false;

  /** @param look Left out where no system can be asked. */
  constructor(request: Request, { remoteAddr }: Peer, look: HasLeft | undefined) {
    this.#request = request;
    this.#address = remoteAddr;
    this.#look = look;
    this.signal = AbortSignal.any([request.signal, this.#left.signal]);
    this.#timer = look && setInterval(() => this.hasLeft(), INTERVAL_MS);
  }

  /** Asks the system whether the client has left; aborts the signal if it has. */
  async hasLeft(): Promise<boolean | undefined> {
    const seen = await this.#look?.(this.#address);
    const left = seen ?? (this.#wasSeen || undefined);
    this.#wasSeen ||= seen !== undefined;
    if (left) this.#left.abort();
    return left;
  }

  get client(): string | undefined {
    return clientOf(this.#request);
  }

  /** Whether the file in the request's body has been read. */
  inputRead(): void {
    BODIES.release(this.#request);
  }

  /** Looks no more. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
