/** Parses JSON from outside. */

import { attempt, InputError } from "./errors.ts";

/** Maximum nesting depth of arrays and objects. */
const NESTING_LIMIT = 32;
const DECODER = new TextDecoder("utf-8", { fatal: true });
const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = new TextEncoder().encode(
  '"\\[]{}',
);

/**
 * Parses JSON in UTF-8; a leading byte order mark is ignored.
 * @param what What the JSON is, for messages, such as `the body`.
 * @throws InputError if it is not valid JSON, or nested too deeply.
 */
export function parseJson(bytes: Uint8Array, what: string): unknown {
  if (isNestedDeeper(bytes, NESTING_LIMIT)) throw tooDeep(what);
  const needed = `${what} is not valid JSON: a JSON object in UTF-8 is needed`;
  const text = attempt(() => DECODER.decode(bytes));
  if (text === undefined) throw new InputError(needed);
  try {
    return JSON.parse(text);
  } catch {
    const at = faultIn(text), line = text.slice(0, at).split("\n").length;
    const column = at - text.lastIndexOf("\n", at - 1);
    throw new InputError(`${needed}; the error is at line ${line}, column ${column}`);
  }
}

/**
 * Checks a value that others have parsed from JSON.
 * @param what As for {@linkcode parseJson}.
 * @throws InputError if it is nested too deeply.
 */
export function checkNesting(value: unknown, what: string): void {
  if (isDeeper(value, NESTING_LIMIT)) throw tooDeep(what);
}

function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return limit === 0 || Object.values(value).some((entry) => isDeeper(entry, limit - 1));
}

function tooDeep(what: string): InputError {
  return new InputError(`${what} is nested deeper than ${NESTING_LIMIT} levels`);
}

/** Parses a word as JSON; returns it unchanged if it is not valid JSON. */
export function jsonOrWord(word: string): unknown {
  return attempt(() => JSON.parse(word), word);
}

/** JSON tokens other than strings (RFC 8259). */
const TOKEN = /[[\]{}:,]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;
/** An escape sequence in a string, and the end of a run of plain characters. */
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y, SPECIAL = /["\\\p{Cc}]/gu;

/**
 * Finds the first position at which a text is not valid JSON. The runtime's messages give the position of
 * only some errors, and quote the text, which may contain secrets.
 * @returns The position in UTF-16 code units; the text's length if its end is missing.
 * @example
 * faultIn('{"a":1,}'); // 7
 */
export function faultIn(text: string): number {
  const open: string[] = [];
  let at = 0, expected: "value" | "key" | ":" | "more" = "value", mayClose = false;
  for (;;) {
    while (/[ \t\r\n]/.test(text.charAt(at))) at++;
    const isString = text.charAt(at) === '"';
    const end = isString ? endOfString(text, at) : endOfToken(text, at);
    if (end === undefined) return at;
    if (end < 0) return -end;
    const token = isString ? "value" : text.slice(at, end), closes = open.at(-1);
    if (token === closes && (mayClose || expected === "more")) {
      open.pop();
      expected = "more";
    } else if (expected === "more" && token === "," && closes !== undefined) {
      expected = closes === "}" ? "key" : "value";
    } else if (expected === ":" && token === ":") expected = "value";
    else if (expected === "key" && isString) expected = ":";
    else if (expected === "value" && (token === "{" || token === "[")) {
      open.push(token === "{" ? "}" : "]");
      expected = token === "{" ? "key" : "value";
      mayClose = true;
      at = end;
      continue;
    } else if (expected === "value" && /^[^\]}:,]/.test(token)) expected = "more";
    else return at;
    mayClose = false;
    at = end;
  }
}

function endOfToken(text: string, at: number): number | undefined {
  TOKEN.lastIndex = at;
  return TOKEN.test(text) ? TOKEN.lastIndex : undefined;
}

/** @returns The position after a string; the negated position of an error in it. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1;;) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(text);
    if (!found) return -text.length;
    if (found[0] === '"') return found.index + 1;
    if (found[0] > "\x1f" && found[0] !== "\\") { // a control character that JSON allows
      at = found.index + 1;
      continue;
    }
    ESCAPE.lastIndex = found.index;
    if (!ESCAPE.test(text)) return -found.index;
    at = ESCAPE.lastIndex;
  }
}

/**
 * Whether a JSON value is an object.
 * @example
 * isJsonObject([]); // false
 */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts brackets outside of strings; other syntax errors are found later. */
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

// Counts durations in buckets, like Prometheus histograms.

/** Upper bounds of the buckets, in milliseconds: from a response served from memory to a long wait. */
export const BOUNDS_MS: readonly number[] = [1, 10, 100, 1000, 10_000];

/** A histogram: the number of durations in each bucket. Adding one takes about 20 ns. */
export class Histogram {
  /** Number of durations per bucket, not cumulative; the last bucket counts those above all bounds. */
  readonly counts = new Float64Array(BOUNDS_MS.length + 1);
  /** Sum of all durations, in milliseconds. */
  sumMs = 0;

  /** @param ms A duration in milliseconds. */
  add(ms: number): void {
    let bucket = 0;
    while (bucket < BOUNDS_MS.length && ms > BOUNDS_MS[bucket]) bucket++;
    this.counts[bucket]++;
    this.sumMs += ms;
  }
}
