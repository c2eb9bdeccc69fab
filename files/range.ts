/** Byte ranges (RFC 9110 section 14). */

/** Bytes from `start` to `end`, both included, counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Most parts of an answer, after ranges that overlap or touch were joined; for more the whole file is sent. */
const PARTS_LIMIT = 64;
/** The largest number of ranges in one header; for a longer list the whole file is sent. */
const SPECS_LIMIT = 1024;

/**
 * Reads a Range header.
 * @param header Its value.
 * @param size Bytes of the file.
 * @returns The ranges to send, in the order asked for unless some were joined; an empty list if none can be
 * satisfied (416); undefined if the header is ignored, since it is malformed, of another unit or too long.
 * @example
 * parseRange("bytes=0-99, -1", 1000); // [{ start: 0, end: 99 }, { start: 999, end: 999 }]
 */
export function parseRange(header: string, size: number): ByteRange[] | undefined {
  const list = /^bytes\s*=(.*)$/i.exec(header.trim())?.[1];
  if (list === undefined) return undefined;
  const specs = list.split(",").map((spec) => spec.trim()).filter((spec) => spec !== "");
  if (!specs.length || specs.length > SPECS_LIMIT) return undefined;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const match = /^(\d*)-(\d*)$/.exec(spec);
    if (!match || spec === "-") return undefined;
    const range = resolved(match[1], match[2], size);
    if (range === undefined) return undefined;
    if (range) ranges.push(range);
  }
  if (ranges.length < 2) return ranges;
  const joined = coalesced(ranges);
  return joined.length > PARTS_LIMIT ? undefined : joined;
}

/** @returns null if it is beyond the file, undefined if it is malformed. */
function resolved(first: string, last: string, size: number): ByteRange | null | undefined {
  if (first === "") { // the last bytes
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { start: size - length, end: size - 1 };
  }
  const start = Number(first), end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size ? null : { start, end };
}

/** Joins ranges that overlap or touch; keeps their order if none do (RFC 9110 section 15.3.7.2). */
function coalesced(ranges: ByteRange[]): ByteRange[] {
  const sorted = ranges.toSorted((a, b) => a.start - b.start);
  const joined: ByteRange[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last && range.start <= last.end + 1) last.end = Math.max(last.end, range.end);
    else joined.push({ ...range });
  }
  return joined.length === ranges.length ? ranges : joined;
}
