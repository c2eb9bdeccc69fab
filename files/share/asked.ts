/** The request of an owner: the fields of a form, or of an object in JSON. */

import { RequestError } from "../../http/request_error.ts";

/** The most bytes of a request. */
const BODY_LIMIT = 16 * 1024;
/** The longest time of a share: a year, in hours. */
const HOURS_LIMIT = 24 * 366;
const HOUR_MS = 3600_000;

/** A request for a share, or for the end of a share. */
export interface Asked {
  /** The path of a URL below the served folder. */
  path?: string;
  /** The absolute path of a file on this machine. */
  file?: string;
  ms: number;
  limit?: number;
  password?: string;
  /** The share to end. */
  revoke?: string;
}

/**
 * Reads the body of a request for a share.
 * @throws RequestError 400 that names the field, 413 if the body is too long.
 */
export async function askedOf(request: Request): Promise<Asked> {
  const text = await bodyOf(request);
  const fields = text.trimStart().startsWith("{") ? jsonFields(text) : new Map(new URLSearchParams(text));
  const field = (name: string) => fields.get(name) || undefined;
  return {
    path: field("path"),
    file: field("file"),
    ms: number("hours", field("hours") ?? "24", 1 / 3600, HOURS_LIMIT) * HOUR_MS,
    limit: field("count") === undefined ? undefined : whole("count", field("count")!, 1_000_000),
    password: field("password"),
    revoke: field("revoke"),
  };
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (value >= least && value <= most) return value;
  throw new RequestError(400, `${name} must be a number above 0 and at most ${most}.`);
}

function whole(name: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new RequestError(400, `${name} must be a whole number from 1 to ${most}.`);
}

function jsonFields(text: string): Map<string, string> {
  try {
    return new Map(Object.entries(JSON.parse(text)).map(([name, value]) => [name, String(value ?? "")]));
  } catch {
    throw new RequestError(400, "The body must be a form or an object in JSON.");
  }
}

async function bodyOf({ body }: Request): Promise<string> {
  let text = "";
  for await (const chunk of (body ?? new Blob().stream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.length > BODY_LIMIT) throw new RequestError(413, `The body is longer than ${BODY_LIMIT} bytes.`);
  }
  return text;
}
