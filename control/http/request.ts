/**
 * Reads request bodies within the limits that all bodies share, and detects clients that leave before their
 * answer.
 */

import { delay } from "@std/async/delay";
import { parseJson } from "../../core/json.ts";
import { deadline } from "../../core/until.ts";
import { ARRIVING, cutOff, LAST_BODY_MS, type Peer, RequestError } from "../../http/request.ts";
import type { Caller } from "../operator/calls.ts";

// Limits the total memory of request bodies before they are read.

/** Bytes of all bodies in flight: eight of the largest pictures. */
const LIMIT = 128 * 1024 * 1024;
/**
 * Bodies up to this size, in bytes, are not counted: a click is not rejected because others send pictures.
 */
const SMALL = 64 * 1024;

/** A memory budget in bytes, from which each request takes the size of its body. */
export class BodyBudget {
  #held = 0;
  readonly #bytes = new WeakMap<Request, number>();

  /** @param limit Total bytes of all bodies. */
  constructor(readonly limit: number) {}

  /** Bytes taken now. */
  get held(): number {
    return this.#held;
  }

  /**
   * Takes the bytes of a body that is about to be read, or more if the client did not announce a length.
   * @param bytes The total size that the body may have so far.
   * @throws RequestError 503 with Retry-After if other bodies leave no room for this one.
   */
  take(request: Request, bytes: number): void {
    if (bytes <= SMALL) return;
    const more = bytes - (this.#bytes.get(request) ?? 0);
    if (this.#held + more > this.limit) {
      throw new RequestError(503, "too many requests with large bodies are in progress; try again later", {
        "retry-after": "1",
        connection: "close",
      });
    }
    this.#held += more;
    this.#bytes.set(request, bytes);
  }

  /** Frees a request's bytes: its body is no longer in memory. */
  release(request: Request): void {
    this.#held -= this.#bytes.get(request) ?? 0;
    this.#bytes.delete(request);
  }
}

/** The budget of this process. */
export const BODIES = new BodyBudget(LIMIT);

/** Maximum size of an ordinary request's body, in bytes. */
const BODY_LIMIT = 64 * 1024;
/** Maximum time for a client to send a body, in milliseconds. */
const BODY_TIME_MS = 10_000;
/** Maximum size of an incoming piece, in bytes. */
const PIECE = 64 * 1024;
/** Number of pieces read before other requests get a turn: a few milliseconds of work. */
const PIECES_A_TURN = 16;

/**
 * Receives a body in pieces; their memory is taken from the shared budget ({@linkcode BODIES}) until the
 * request has been handled.
 * @param limit Maximum number of bytes.
 * @param add Receives each piece as it arrives, with its offset in the body.
 * @throws RequestError 413 if the body is longer (as soon as that is known), 503 if other bodies leave no
 * room for it, or the program stops before it has arrived, 408 if it takes too long, 400 if it breaks off.
 */
async function receive(
  request: Request,
  limit: number,
  add: (piece: Uint8Array<ArrayBuffer>, at: number) => void,
): Promise<void> {
  const tooLarge = () =>
    new RequestError(413, `the body is larger than the ${limit} bytes allowed`, { connection: "close" });
  const length = lengthOf(request);
  if (length > limit) throw tooLarge();
  if (!request.body) return;
  let room = length || 0;
  BODIES.take(request, room);
  const reader = request.body.getReader();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const withdraw = deadline(BODY_TIME_MS, () => {
    const message = `the body did not arrive within ${BODY_TIME_MS / 1000} s`;
    reject(new RequestError(408, message, { connection: "close" }));
  });
  let hurried: (() => void) | undefined;
  const hurry = () => hurried = deadline(LAST_BODY_MS, () => reject(cutOff()));
  ARRIVING.count++;
  ARRIVING.stop.addEventListener("abort", hurry);
  if (ARRIVING.stop.aborted) hurry();
  let size = 0, pieces = 0;
  try {
    while (true) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return;
      const end = size + value.length;
      if (end > limit) throw tooLarge();
      if (end > room) BODIES.take(request, room = Math.min(2 * end, limit)); // the client announced no length
      add(value, size);
      size = end;
      if (++pieces % PIECES_A_TURN === 0) await delay(0);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    if (error instanceof RequestError) throw error;
    // The client has closed its sending half: Deno (2.9.6) fails the read that would report the end of the
    // body.
    if (size === length) return;
    throw new RequestError(400, "the body is incomplete");
  } finally {
    withdraw();
    hurried?.();
    ARRIVING.count--;
    ARRIVING.stop.removeEventListener("abort", hurry);
  }
}

/** @returns NaN if the client sends none. */
function lengthOf({ headers }: Request): number {
  return Number(headers.get("content-length") ?? NaN);
}

/**
 * Reads a body in pieces.
 * @param limit Maximum number of bytes.
 * @returns The bytes in the pieces in which they arrived; the client sent all of them.
 * @throws RequestError like {@linkcode receive}.
 */
export async function readPieces(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  await receive(request, limit, (piece) => pieces.push(piece));
  return pieces;
}

/**
 * Reads a body. A large body of known length is read into its final buffer, so that memory holds it only
 * once.
 * @param limit Maximum number of bytes.
 * @throws RequestError like {@linkcode receive}.
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const length = lengthOf(request);
  if (!(length > PIECE && length <= limit)) {
    const pieces = await readPieces(request, limit);
    return pieces.length === 1 ? pieces[0] : await new Blob(pieces).bytes();
  }
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  await receive(request, limit, (piece, at) => (bytes ??= new Uint8Array(length)).set(piece, at));
  return bytes ?? new Uint8Array(0);
}

/**
 * Reads a body as JSON, whatever its Content-Type. A missing body counts as an empty object.
 * @throws RequestError like {@linkcode receive}; InputError if it is not JSON in UTF-8.
 */
export function readJson(request: Request): Promise<unknown> {
  return readBody(request, BODY_LIMIT).then(parseJsonBody);
}

/**
 * Reads bytes as JSON. An empty body counts as an empty object.
 * @throws InputError if they are not JSON in UTF-8, or nested too deeply.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  return bytes.length ? parseJson(bytes, "the body") : {};
}

/**
 * Whether a client has closed its connection, or its sending half.
 * @returns undefined if the system cannot tell.
 */
export type HasLeft = (client: Deno.NetAddr) => Promise<boolean | undefined>;

/** Interval between two checks of a waiting client, in milliseconds. */
const INTERVAL_MS = 1000;

/** The name and version at the beginning of `User-Agent`, such as `curl/8.5.0`. */
export function clientOf({ headers }: Request): string | undefined {
  return headers.get("user-agent")?.split(" ", 1)[0];
}

/**
 * The client of an action that may take long: its signal is aborted within a second after the client leaves.
 */
export class WatchedClient implements Caller, Disposable {
  readonly signal: AbortSignal;
  readonly #request: Request;
  readonly #address: Deno.NetAddr;
  readonly #look: HasLeft | undefined;
  readonly #left = new AbortController();
  readonly #timer: ReturnType<typeof setInterval> | undefined;

  /** @param look Left out if the system cannot tell. */
  constructor(request: Request, { remoteAddr }: Peer, look: HasLeft | undefined) {
    this.#request = request;
    this.#address = remoteAddr;
    this.#look = look;
    this.signal = AbortSignal.any([request.signal, this.#left.signal]);
    this.#timer = look && setInterval(() => this.hasLeft(), INTERVAL_MS);
  }

  /** Asks the system whether the client has left; aborts the signal if so. */
  async hasLeft(): Promise<boolean | undefined> {
    if (!this.#look) return undefined;
    const left = await this.#look(this.#address);
    if (left) this.#left.abort();
    return left;
  }

  get client(): string | undefined {
    return clientOf(this.#request);
  }

  /** Frees the request's body: the action no longer needs it. */
  inputRead(): void {
    BODIES.release(this.#request);
  }

  /** Stops checking. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
