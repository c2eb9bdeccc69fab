/** Reading what a client sends, within bounds of size and time. */

import { RequestError } from "../../http/request_error.ts";

/** The largest body of an ordinary request, in bytes. */
export const BODY_LIMIT = 64 * 1024;
/** Levels of arrays and objects in each other. */
const NESTING_LIMIT = 32;
/** How long a client may take to send a body, in milliseconds. */
const BODY_TIME_MS = 10_000;

/**
 * Reads a body.
 * @param limit Bytes allowed.
 * @returns The bytes; the client sent all of them.
 * @throws RequestError 413 if it is longer (as soon as that is known), 408 if it takes too long, 400 if it
 * breaks off.
 */
export async function readBody(request: Request, limit: number, timeMs = BODY_TIME_MS): Promise<Uint8Array> {
  const tooLarge = () =>
    new RequestError(413, `the body is larger than the ${limit} bytes allowed`, { connection: "close" });
  const length = Number(request.headers.get("content-length") ?? NaN);
  if (length > limit) throw tooLarge();
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new RequestError(408, `the body did not arrive within ${timeMs / 1000} s`, { connection: "close" }),
      );
    }, timeMs);
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (true) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return joined(chunks, size);
      size += value.length;
      if (size > limit) throw tooLarge();
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    if (error instanceof RequestError) throw error;
    // The client has closed its sending half: Deno (2.9.6) fails the read that would tell the body's end.
    if (size === length) return joined(chunks, size);
    throw new RequestError(400, "the body broke off");
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads a body as JSON, whatever its Content-Type says. No body at all counts as an empty object.
 * @throws RequestError like {@linkcode readBody}, and 400 if it is not JSON in UTF-8.
 */
export async function readJson(request: Request, limit: number = BODY_LIMIT): Promise<unknown> {
  return parseJson(await readBody(request, limit));
}

/**
 * Reads bytes as JSON. None at all count as an empty object.
 * @throws RequestError 400 if they are not JSON in UTF-8, or nested too deep.
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (!bytes.length) return {};
  if (isNestedDeeper(bytes, NESTING_LIMIT)) {
    throw new RequestError(400, `the body is nested deeper than ${NESTING_LIMIT} levels`);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new RequestError(400, "the body is not valid JSON: send a JSON object in UTF-8");
  }
}

function joined(chunks: Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1) return chunks[0];
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Counts brackets outside of strings; JSON that is not well-formed is found out later. */
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
