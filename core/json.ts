/** Reading JSON that others sent. */

import { InputError } from "./errors.ts";

/** Levels of arrays and objects in each other. */
const NESTING_LIMIT = 32;

/**
 * Reads JSON in UTF-8; a byte order mark before it is ignored.
 * @param what What a message calls it, such as `the body`.
 * @throws InputError if it is not JSON, or nested too deeply.
 */
export function parseJson(bytes: Uint8Array, what: string): unknown {
  if (isNestedDeeper(bytes, NESTING_LIMIT)) {
    throw new InputError(`${what} is nested deeper than ${NESTING_LIMIT} levels`);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new InputError(`${what} is not valid JSON: a JSON object in UTF-8 is needed`);
  }
}

/** Whether a value of JSON is an object: no array, not null, no text, number or truth value. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts brackets outside of strings; whether the JSON is well-formed is checked later. */
function isNestedDeeper(json: Uint8Array, limit: number): boolean {
  const [quote, backslash, openArray, closeArray, openObject, closeObject] = [...'"\\[]{}'].map((c) =>
    c.charCodeAt(0)
  );
  let depth = 0, inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openArray || byte === openObject) {
      if (++depth > limit) return true;
    } else if (byte === closeArray || byte === closeObject) depth--;
  }
  return false;
}
