/**
 * The body of a request, read within the bounds that all bodies share, and the client that may leave before its
 * answer.
 */

import { delay } from "@std/async/delay";
import { parseJson } from "../../core/json.ts";
import { deadline } from "../../core/until.ts";
import { type Peer, RequestError } from "../../http/request.ts";
import type { Caller } from "../operator/calls.ts";

// Bounds the memory that the bodies of requests take together, before they are read.

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
      throw new RequestError(503, "too many requests with large bodies are in progress; try again later", {
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

/** The largest body of an ordinary request, in bytes. */
const BODY_LIMIT = 64 * 1024;
/** The time that a client may take to send a body, in milliseconds. */
const BODY_TIME_MS = 10_000;
/** The largest piece in which bytes arrive. */
const PIECE = 64 * 1024;
/** Pieces that are read without a turn for other requests: some milliseconds of work. */
const PIECES_A_TURN = 16;

/**
 * Receives a body in pieces; their memory is taken from the budget of all bodies ({@linkcode BODIES}) until the
 * request has been handled.
 * @param limit Bytes allowed.
 * @param add Receives each piece as it arrives, and its offset in the body.
 * @throws RequestError 413 if the body is longer (as soon as that is known), 503 if other bodies leave no room for
 * it, 408 if it takes too long, 400 if it breaks off.
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
  let size = 0, pieces = 0;
  try {
    while (true) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return;
      const end = size + value.length;
      if (end > limit) throw tooLarge();
      if (end > room) BODIES.take(request, room = Math.min(2 * end, limit)); // the client does not say how much comes
      add(value, size);
      size = end;
      if (++pieces % PIECES_A_TURN === 0) await delay(0);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    if (error instanceof RequestError) throw error;
    // The client has closed its sending half: Deno (2.9.6) fails the read that would tell the body's end.
    if (size === length) return;
    throw new RequestError(400, "the body is incomplete");
  } finally {
    withdraw();
  }
}

/** @returns NaN if the client does not say. */
function lengthOf({ headers }: Request): number {
  return Number(headers.get("content-length") ?? NaN);
}

/**
 * Reads a body in pieces.
 * @param limit Bytes allowed.
 * @returns The bytes in the pieces in which they arrived; the client sent all of them.
 * @throws RequestError like {@linkcode receive}.
 */
export async function readPieces(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  await receive(request, limit, (piece) => pieces.push(piece));
  return pieces;
}

/**
 * Reads a body. A large body of known length is read into its final buffer, so that memory holds it only once.
 * @param limit Bytes allowed.
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
 * Reads a body as JSON, regardless of its Content-Type. No body at all counts as an empty object.
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
