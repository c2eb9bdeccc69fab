/** Bytes of a file that an upload has. */

import { RequestError } from "../../http/request_error.ts";

/** The bytes that an upload has. */
export interface Extent {
  /** The place in the file where the bytes begin. */
  start: number;
  /** The first byte behind them; undefined if the client does not give their number. */
  end?: number;
  /** Bytes of the whole file; undefined if the client does not say. */
  total?: number;
  /** Tells whether the upload has nothing and asks how many bytes are there. */
  isQuestion: boolean;
}

/**
 * Reads which part of a file an upload has: the whole file, a part (`Content-Range: bytes 5-9/20`, RFC 9110 section
 * 14.5), or nothing, which asks how many bytes are there (a `Content-Range` with `*` in place of the range).
 * @throws RequestError 400 if the headers contradict each other.
 */
export function extentOf(headers: Headers): Extent {
  const sent = headers.get("content-length"), range = headers.get("content-range");
  const length = sent === null ? undefined : Number(sent);
  if (range === null) return { start: 0, end: length, total: length, isQuestion: false };
  const [, first, last, all] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/i.exec(range.trim()) ?? [];
  const total = Number(all);
  if (all === undefined || !Number.isSafeInteger(total)) throw malformed();
  if (first === undefined) {
    if (length) throw malformed();
    return { start: 0, end: 0, total, isQuestion: true };
  }
  const start = Number(first), end = Number(last) + 1;
  if (start >= end || end > total || length !== undefined && length !== end - start) throw malformed();
  return { start, end, total, isQuestion: false };
}

function malformed(): RequestError {
  return new RequestError(
    400,
    "Content-Range must be `bytes FIRST-LAST/TOTAL` with as many bytes as the upload has, or `bytes */TOTAL` with none.",
  );
}
