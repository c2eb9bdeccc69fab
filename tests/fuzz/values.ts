/** JSON values of which some fit a field and others do not. */

import type { Handler } from "../../http/request.ts";
import { PEER } from "../support/control.ts";
import { copied } from "../support/pictures.ts";

/** A PNG of one pixel, in base64. */
export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==";

/** A JSON value that may fit a field or not. */
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

/** Names of fields, and names that every object inherits. */
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

/** An object of such names. */
export function object(random: Random, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: random.below(6) }, () => [random.pick(NAMES), value(random, depth)]),
  );
}

// Random choices that a seed repeats.

/** A generator of pseudo-random numbers (mulberry32). */
export class Random {
  #state: number;

  /** @param seed Whole number of 32 bits. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to, and without, `below`. */
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

  /** Whether an event happens whose probability is 1 in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  /** Text of up to `length` characters, hostile ones among them. */
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

// Requests that a stranger may send.

/** The token that is right. */
export const TOKEN = "the-token-of-the-fuzzer";
/** Methods, right and wrong. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE", "PATCH", "get"];
/** An answer that has left. */
interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

/**
 * Makes a request as it may come over a socket, without the parts that `Request` refuses.
 * @param url As a client sends it: not normalised.
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
      // A text that no header can hold is not sent.
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

/** Headers that decide about access and about the answer. */
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
