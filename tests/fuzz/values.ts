/** Random values, texts and requests, some valid and some not. */

import type { Handler } from "../../http/request.ts";
import { PEER } from "../support/control.ts";
import { copied } from "../support/pictures.ts";

/** A one-pixel PNG in base64. */
export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==";

/** A JSON value that may be valid for a field or not. */
export function value(random: Random, depth = 0): unknown {
  const makers: (() => unknown)[] = [
    () => random.below(1400),
    () => random.below(800) - 400,
    () => random.pick([1.5, 1e300, -0, 2 ** 31, 1e21, NaN]),
    () => random.pick(["left", "right", "up", "down", "ctrl+a", "f5", "#ff0000", "back"]),
    () => random.text(20),
    () => PICTURE.slice(0, random.once(3) ? random.below(PICTURE.length) : undefined),
    () => random.pick([null, true, false]),
    () => depth < 3 ? Array.from({ length: random.below(4) }, () => value(random, depth + 1)) : [],
    () => depth < 3 ? object(random, depth + 1) : {},
  ];
  return random.pick(makers)();
}

/** Field names, and names that every object inherits. */
export const NAMES = [
  "x",
  "y",
  "button",
  "count",
  "direction",
  "amount",
  "key",
  "keys",
  "text",
  "from",
  "to",
  "pixel",
  "still",
  "hex",
  "ms",
  "timeout_ms",
  "speed",
  "times",
  "keyboard",
  "image",
  "png",
  "change",
  "tolerance",
  "match",
  "limit",
  "gone",
  "__proto__",
  "constructor",
  "toString",
];

/** An object with some of {@linkcode NAMES}. */
export function object(random: Random, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: random.below(6) }, () => [random.pick(NAMES), value(random, depth)]),
  );
}

// Seeded random choices.

/** Pseudo-random number generator (mulberry32). */
export class Random {
  #state: number;

  /** @param seed 32-bit integer. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer from 0 to `below`, exclusive. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ t >>> 15, t | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) % below;
  }

  /** Chooses one of some values. */
  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)];
  }

  /** True with a probability of 1 in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  /** Text of up to `length` characters, including hostile ones. */
  text(length: number): string {
    return Array.from({ length: this.below(length + 1) }, () => this.pick(CHARACTERS)).join("");
  }
}

const CHARACTERS = [
  ..."abcmgkrtsx0123456789-+.,;:/\\%#?&=<>{}[]\"'` ~*",
  "é",
  "漢",
  "😀",
  "\u0000",
  "\u001b",
  "\u202e",
  "\ud800",
  "\n",
  "\r",
  "\t",
  "%00",
  "%2f",
  "%5c",
  "..",
  "__proto__",
  "\u2028",
];

// Requests that anyone may send.

/** The valid token. */
export const TOKEN = "the-token-of-the-fuzzer";
/** Valid and invalid methods. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE", "PATCH", "get"];
/** A response that has been sent. */
interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

/**
 * Sends a handler a request as it may arrive over a socket, without the parts that `Request` refuses.
 * @param url As a client sends it: not normalized.
 */
export async function raw(
  handler: Handler,
  method: string,
  url: string,
  headers: Record<string, string>,
  content?: string,
): Promise<Answer> {
  const sent = new Headers();
  for (const [name, text] of Object.entries(headers)) {
    try {
      sent.set(name, text);
    } catch {
      // Text that is invalid in a header is not sent.
    }
  }
  const request = new Request("http://127.0.0.1/", {
    method,
    headers: sent,
    body: /^(GET|HEAD)$/i.test(method) ? undefined : content,
  });
  Object.defineProperty(request, "url", { value: url });
  const left = Promise.withResolvers<void>();
  const response = await handler(request, { ...PEER, completed: left.promise });
  const bytes = await copied(response).bytes();
  left.resolve();
  return { status: response.status, headers: response.headers, bytes };
}

/** Headers that affect access and the response. */
export function headers(random: Random): Record<string, string> {
  return {
    host: random.once(6)
      ? random.text(20)
      : random.pick(["127.0.0.1:4000", "localhost", "[::1]:4000", "example.com"]),
    ...(random.once(4)
      ? { authorization: random.pick([`Bearer ${TOKEN}`, "Bearer x", random.text(20)]) }
      : {}),
    ...(random.once(4) ? { origin: random.pick(["http://127.0.0.1:4000", "null", random.text(20)]) } : {}),
    ...(random.once(5) ? { "sec-fetch-site": random.pick(["same-origin", "cross-site", "none"]) } : {}),
    ...(random.once(9) ? { "x-forwarded-for": random.text(10) } : {}),
    ...(random.once(3)
      ? { range: random.pick(["bytes=0-5", "bytes=-1", `bytes=${random.text(20)}`, "bytes=1-2,4-5,0-"]) }
      : {}),
    ...(random.once(5) ? { "if-none-match": random.pick(["*", '"x"', random.text(10)]) } : {}),
    ...(random.once(5) ? { "if-range": random.text(20) } : {}),
  };
}
