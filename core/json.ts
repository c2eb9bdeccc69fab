/** Reading JSON that others sent. */

import { InputError } from "./errors.ts";

/** The most levels of nested arrays and objects. */
const NESTING_LIMIT = 32;
const DECODER = new TextDecoder("utf-8", { fatal: true });
const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = new TextEncoder().encode(
  '"\\[]{}',
);

/**
 * Reads JSON in UTF-8; a byte order mark before it is ignored.
 * @param what The name of the JSON in messages, such as `the body`.
 * @throws InputError if it is not JSON, or nested too deeply.
 */
export function parseJson(bytes: Uint8Array, what: string): unknown {
  if (isNestedDeeper(bytes, NESTING_LIMIT)) {
    throw new InputError(`${what} is nested deeper than ${NESTING_LIMIT} levels`);
  }
  try {
    return JSON.parse(DECODER.decode(bytes));
  } catch {
    throw new InputError(`${what} is not valid JSON: a JSON object in UTF-8 is needed`);
  }
}

/**
 * Whether a value of JSON is an object.
 * @example
 * isJsonObject([]); // false
 */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts brackets outside of strings; whether the JSON is well-formed is checked later. */
function isNestedDeeper(json: Uint8Array, limit: number): boolean {
  let depth = 0, inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > limit) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}

// Counts durations in buckets, as Prometheus' histograms have them.

/** Upper bounds of the buckets, in milliseconds: from an answer out of memory to a long wait. */
export const BOUNDS_MS: readonly number[] = [1, 10, 100, 1000, 10_000];

/** A histogram: the number of durations in each bucket. To add one takes some 20 ns. */
export class Histogram {
  /** The numbers of durations by bucket, not cumulated; the last one has those above all bounds. */
  readonly counts = new Float64Array(BOUNDS_MS.length + 1);
  /** Milliseconds of all durations together. */
  sumMs = 0;

  /** @param ms A duration in milliseconds. */
  add(ms: number): void {
    let bucket = 0;
    while (bucket < BOUNDS_MS.length && ms > BOUNDS_MS[bucket]) bucket++;
    this.counts[bucket]++;
    this.sumMs += ms;
  }
}
