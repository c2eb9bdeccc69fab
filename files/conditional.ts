/** Preconditions (RFC 9110 section 13), in the order of section 13.2.2. */

import { ifMatch, ifNoneMatch } from "@std/http/etag";

// HTTP dates (RFC 9110 section 5.6.7) have three forms, all in UTC.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH = `(?<month>${MONTHS.join("|")})`;
const SHORT_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const LONG_DAY = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
/** The last second may be a leap second. */
const TIME = "(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)";

/** Most frequent form first. */
const FORMS = [
  `${SHORT_DAY}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`, // IMF-fixdate
  `${LONG_DAY}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT`, // RFC 850
  `${SHORT_DAY} ${MONTH} (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})`, // C's asctime()
].map((form) => new RegExp(`^${form}$`));

/**
 * Parses a date. `Date.parse` does not fit: it accepts `Mon 2030`, and reads asctime's form as local time.
 * @param text A header's value; null if there is none.
 * @param now Milliseconds since 1970, used to interpret two-digit years.
 * @returns Seconds since 1970; undefined for any other text, which preconditions ignore.
 * @example
 * httpDate("Sun, 06 Nov 1994 08:49:37 GMT"); // 784111777
 */
export function httpDate(text: string | null, now = Date.now()): number | undefined {
  if (text === null) return undefined;
  const parts = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups);
  if (!parts) return undefined;
  const month = MONTHS.indexOf(parts.month), day = Number(parts.day);
  const timeIn = (year: number) => {
    const time = new Date(0);
    time.setUTCFullYear(year, month, day); // unlike Date.UTC, does not add 1900 to years below 100
    if (time.getUTCDate() !== day) return undefined; // no such day in this month
    return time.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second)) / 1000;
  };
  if (parts.year.length === 4) return timeIn(Number(parts.year));
  // A two-digit year that seems more than 50 years ahead is in the past (RFC 9110, section 5.6.7).
  const horizon = new Date(now), thisYear = horizon.getUTCFullYear();
  const year = thisYear - thisYear % 100 + Number(parts.year);
  const time = timeIn(year);
  return time !== undefined && time * 1000 > horizon.setUTCFullYear(thisYear + 50)
    ? timeIn(year - 100)
    : time;
}

/** Validators of one version of a file. */
export interface Validators {
  /** An entity tag; weak while the file's times may not distinguish it from its next version. */
  etag: string;
  /** Whole seconds since 1970: HTTP dates have no fractions. */
  modified: number;
  /** Whether several representations of the file share that time; defaults to false. */
  isDateShared?: boolean;
}

/** Precondition headers. If-Range is not among them: it only decides whether Range applies. */
const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

/**
 * Whether the response depends on the version of the file that the client has.
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
 * Whether If-Range lets a Range apply (RFC 9110 section 13.1.5): it must equal a strong validator, tag or
 * date. The date is as strong as the tag: both are weak only if another version may have been written within
 * the same second (section 8.8.2.2).
 * @param ifRange The header's value; null if there is none, in which case every Range applies.
 */
export function rangeApplies(
  ifRange: string | null,
  { etag, modified, isDateShared = false }: Validators,
): boolean {
  if (ifRange === null) return true;
  const isStrong = etag.startsWith('"');
  return isStrong && (ifRange === etag || !isDateShared && httpDate(ifRange) === modified);
}
