/** Many strings in little memory. */

// Natural order by keys: names as numbers, which the runtime sorts by itself in a tenth of the time that
// comparing takes.

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
function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Finds the first digit that counts of the number that begins at an index. */
function afterZeros(bytes: Uint8Array, at: number, end: number): number {
  while (bytes[at] === 0x30 && at + 1 < end && isDigit(bytes[at + 1])) at++;
  return at;
}

/** Finds the end of the digits from an index on. */
function afterDigits(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && isDigit(bytes[at])) at++;
  return at;
}

const ENCODER = new TextEncoder();
/** A name may begin with U+FEFF, which is taken for a mark of the encoding and left out without the option. */
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A list of strings in one buffer of UTF-8. A JavaScript string takes some 50 bytes in addition to its characters (V8
 * 15), and a folder may have a million names.
 */
export class Texts {
  /** The number of texts. */
  count = 0;
  #bytes = new Uint8Array(1024);
  /** The beginning of each text; the last is where the next text will begin. */
  #starts = new Uint32Array(64);

  /**
   * Adds a string at the end.
   * @param text Well-formed: a lone surrogate has no UTF-8.
   */
  add(text: string): void {
    const start = this.#starts[this.count];
    this.#bytes = withRoom(this.#bytes, start + 3 * text.length); // a UTF-16 code unit takes three bytes at most
    const written = this.#writeAscii(text, start) ??
      ENCODER.encodeInto(text, this.#bytes.subarray(start)).written;
    this.#starts = withRoom(this.#starts, ++this.count + 1);
    this.#starts[this.count] = start + written;
  }

  /** @returns undefined if a character is not of ASCII. To call the encoder takes five times as long. */
  #writeAscii(text: string, start: number): number | undefined {
    const bytes = this.#bytes;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return undefined;
      bytes[start + i] = code;
    }
    return text.length;
  }

  /** The string at an index. */
  get(index: number): string {
    return DECODER.decode(this.#bytes.subarray(this.#starts[index], this.#starts[index + 1]));
  }

  /**
   * The strings at several indexes. To decode them together takes a fifth of the time.
   * @param indexes The indexes of strings without U+0000.
   */
  getAll(indexes: Uint32Array): string[] {
    const bytes = this.#bytes, starts = this.#starts;
    let length = 0;
    for (const index of indexes) length += starts[index + 1] - starts[index] + 1;
    const joined = new Uint8Array(length);
    let to = 0;
    for (const index of indexes) {
      for (let at = starts[index]; at < starts[index + 1]; at++) joined[to++] = bytes[at];
      to++;
    }
    return DECODER.decode(joined.subarray(0, -1)).split("\0");
  }

  /** Writes the key of the string at an index, as {@linkcode writeNaturalKey} does. */
  writeKey(index: number, key: Uint8Array): void {
    writeNaturalKey(this.#bytes, this.#starts[index], this.#starts[index + 1], key);
  }

  /**
   * Compares the strings at two indexes by their code points.
   * @returns Negative if the first comes first, positive if the second does, 0 if they are equal.
   */
  compare(first: number, second: number): number {
    const bytes = this.#bytes, starts = this.#starts;
    let a = starts[first], b = starts[second];
    const aEnd = starts[first + 1], bEnd = starts[second + 1];
    while (a < aEnd && b < bEnd && bytes[a] === bytes[b]) a++, b++;
    return a < aEnd && b < bEnd ? bytes[a] - bytes[b] : aEnd - a - (bEnd - b);
  }

  /**
   * Compares two texts in natural order: digits count as numbers, so that `a9` comes before `a10`.
   * @returns As {@linkcode Texts.compare}; 0 also if they differ only in zeros before a number.
   */
  compareNaturally(first: number, second: number): number {
    const bytes = this.#bytes, starts = this.#starts;
    let a = starts[first], b = starts[second];
    const aEnd = starts[first + 1], bEnd = starts[second + 1];
    for (;;) {
      const begin = a;
      while (a < aEnd && b < bEnd && bytes[a] === bytes[b]) a++, b++;
      if (a === aEnd && b === bEnd) return 0;
      while (a > begin && isDigit(bytes[a - 1])) a--, b--; // the texts may differ in the midst of a number
      if (a === aEnd || b === bEnd) return aEnd - a - (bEnd - b);
      if (!isDigit(bytes[a]) || !isDigit(bytes[b])) return bytes[a] - bytes[b];
      a = afterZeros(bytes, a, aEnd);
      b = afterZeros(bytes, b, bEnd);
      const aNext = afterDigits(bytes, a, aEnd), bNext = afterDigits(bytes, b, bEnd);
      if (aNext - a !== bNext - b) return aNext - a - (bNext - b);
      for (; a < aNext; a++, b++) {
        if (bytes[a] !== bytes[b]) return bytes[a] - bytes[b];
      }
    }
  }
}

/** An array that can grow. */
type Growing = Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/**
 * Makes room in an array.
 * @param length In elements.
 * @returns The array, or a copy of at least twice its length that holds `length` elements.
 */
export function withRoom<T extends Growing>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}

// Keys of names, for comparing and searching.

/**
 * A name without case and accents. To compare such keys in UTF-8 takes a tenth of the time that Intl.Collator takes.
 * `page/filter.js` does the same in the browser.
 * @example
 * nameKey("Éclair.TXT") // "eclair.txt"
 */
export function nameKey(name: string): string {
  const lower = name.toLowerCase();
  // deno-lint-ignore no-control-regex -- the ASCII range begins there
  return /^[\x00-\x7f]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "");
}

/**
 * Makes a test for the names that a search finds.
 * @param text Words with blanks between them. A name must have all of them, in any order; case and accents do not count.
 * @example
 * nameFilter("beach 2024")("2024-08 At the Beach.jpg") // true
 */
export function nameFilter(text: string): (name: string) => boolean {
  const words = nameKey(text).split(/\s+/).filter((word) => word !== "");
  if (!words.length) return () => true;
  return (name) => {
    const key = nameKey(name);
    return words.every((word) => key.includes(word));
  };
}
