/**
 * Natural order by keys: names as numbers, which the runtime sorts by itself in a tenth of the time that comparing takes.
 */

/** The length of a key, in bytes; the common beginning of all names is sought within it. */
export const KEY_LENGTH = 64;
/** Stands where a number begins; with the count of its digits it is itself a digit of ASCII, up to `9`. */
const NUMBER = 0x30;
/** The most digits that {@linkcode NUMBER} counts; a byte behind it counts more. */
const COUNTED = 9;

/**
 * Writes the beginning of a text's key. Keys in the order of their bytes are texts in natural order; equal keys say
 * nothing. A number is written as the count of its digits, without leading zeros, and then two digits a byte, so that
 * few bytes distinguish many names. Among other characters, a number is sorted where a digit is.
 * @param bytes Holds the text in UTF-8, without U+0000, from `start` to `end`.
 * @param key Of {@linkcode KEY_LENGTH} bytes; the rest is filled with zeros.
 */
export function writeNaturalKey(bytes: Uint8Array, start: number, end: number, key: Uint8Array): void {
  let to = 0, at = start;
  while (at < end && to < KEY_LENGTH) {
    if (!isDigit(bytes[at])) {
      key[to++] = bytes[at++];
      continue;
    }
    at = afterZeros(bytes, at, end);
    const next = afterDigits(bytes, at, end), digits = next - at;
    key[to++] = NUMBER + Math.min(digits, COUNTED);
    if (digits >= COUNTED) key[to++] = Math.min(digits, 0xff);
    if (digits >= 0xff) break; // the key does not order longer numbers
    for (; at < next; at += 2) key[to++] = (bytes[at] & 15) << 4 | (at + 1 < next ? bytes[at + 1] & 15 : 0);
    at = next;
  }
  key.fill(0, to);
}

/** Tells whether a byte is a digit of ASCII. */
export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Finds the first digit that counts of the number that begins at an index. */
export function afterZeros(bytes: Uint8Array, at: number, end: number): number {
  while (bytes[at] === 0x30 && at + 1 < end && isDigit(bytes[at + 1])) at++;
  return at;
}

/** Finds the end of the digits from an index on. */
export function afterDigits(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && isDigit(bytes[at])) at++;
  return at;
}
