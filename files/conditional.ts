/** Preconditions (RFC 9110 section 13), in the order of section 13.2.2. */

import { ifMatch, ifNoneMatch } from "@std/http/etag";

/** What a file is compared by. */
export interface Validators {
  /** A strong entity tag. */
  etag: string;
  /** Whole seconds since 1970: dates of HTTP have no fractions. */
  modified: number;
}

/** Headers that make a request conditional. */
const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

/**
 * Evaluates the preconditions of a GET or HEAD.
 * @returns 304 or 412 if the file is not to be sent, undefined if it is.
 */
export function precondition(headers: Headers, { etag, modified }: Validators): 304 | 412 | undefined {
  if (!CONDITIONS.some((name) => headers.has(name))) return undefined;
  const match = headers.get("if-match");
  if (match !== null) {
    if (!ifMatch(match, etag)) return 412;
  } else {
    const since = httpDate(headers.get("if-unmodified-since"));
    if (since !== undefined && modified > since) return 412;
  }
  const noneMatch = headers.get("if-none-match");
  if (noneMatch !== null) return ifNoneMatch(noneMatch, etag) ? undefined : 304;
  const since = httpDate(headers.get("if-modified-since"));
  return since !== undefined && modified <= since ? 304 : undefined;
}

/**
 * Whether a Range may be honoured as far as If-Range is concerned (RFC 9110 section 13.1.5): a strong tag that is
 * the same, or a date that is the very same.
 */
export function rangeApplies(ifRange: string | null, { etag, modified }: Validators): boolean {
  if (ifRange === null) return true;
  const value = ifRange.trim();
  if (value.startsWith('"') || value.startsWith("W/")) return value === etag;
  return httpDate(value) === modified;
}

/** Seconds since 1970; undefined for what is no date of HTTP (RFC 9110 section 5.6.7), which is to be ignored. */
export function httpDate(text: string | null): number | undefined {
  if (text === null || !/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text.trim())) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
