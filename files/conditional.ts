/** Preconditions (RFC 9110 section 13), in the order of section 13.2.2. */

import { ifMatch, ifNoneMatch } from "@std/http/etag";
import { httpDate } from "./http_date.ts";

/** The marks of one version of a file. */
export interface Validators {
  /** An entity tag; weak while the file's times may not tell it from its next version. */
  etag: string;
  /** Whole seconds since 1970: dates of HTTP have no fractions. */
  modified: number;
}

/** Headers of preconditions. If-Range is not among them: it decides on the Range alone. */
const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

/**
 * Tells whether the answer to a request depends on the version of the file that the client has.
 * @param range The request's Range; empty if it has none.
 */
export function isConditional(headers: Headers, range: string): boolean {
  return hasPrecondition(headers) || range !== "" && headers.has("if-range");
}

/**
 * Evaluates the preconditions of a GET or HEAD.
 * @param validators The file's validators; a listing has none.
 * @returns 304 or 412 if the file is not sent, undefined if it is.
 */
export function precondition(
  headers: Headers,
  { etag, modified }: Partial<Validators>,
): 304 | 412 | undefined {
  if (!hasPrecondition(headers)) return undefined;
  const match = headers.get("if-match");
  if (match !== null) {
    // `*` matches any file; otherwise only equal strong tags match (RFC 9110, section 13.1.1).
    if (match !== "*" && !ifMatch(match, etag)) return 412;
  } else {
    const since = httpDate(headers.get("if-unmodified-since"));
    if (since !== undefined && modified !== undefined && modified > since) return 412;
  }
  const noneMatch = headers.get("if-none-match");
  if (noneMatch !== null) return noneMatch !== "*" && ifNoneMatch(noneMatch, etag) ? undefined : 304;
  const since = httpDate(headers.get("if-modified-since"));
  return since !== undefined && modified !== undefined && modified <= since ? 304 : undefined;
}

function hasPrecondition(headers: Headers): boolean {
  return CONDITIONS.some((name) => headers.has(name));
}

/**
 * Tells whether If-Range lets a Range be honoured (RFC 9110 section 13.1.5): it must equal a strong validator, tag or
 * date. The date is as strong as the tag: both are weak only if another version may have been written within the same
 * second (section 8.8.2.2).
 * @param ifRange The header's value; null if there is none, which honours every Range.
 */
export function rangeApplies(ifRange: string | null, { etag, modified }: Validators): boolean {
  if (ifRange === null) return true;
  const isStrong = etag.startsWith('"');
  return isStrong && (ifRange === etag || httpDate(ifRange) === modified);
}
