/** Lines that were read before, recognized by their pixels at any place: unchanged lines are not read again. */

import { type Grey, isSame } from "./grey.ts";
import type { Word } from "./word.ts";

/** The largest number of kept lines, and of their bytes. */
const COUNT = 4000, BYTES = 32 * 1024 * 1024;

interface Known {
  line: Grey;
  words: Word[];
}

/** Keeps the words of lines. The least recently used are forgotten first. */
export class KnownLines {
  /** Lines by a hash of their pixels. Of two lines with one hash the later is kept. */
  readonly #lines = new Map<number, Known>();
  #bytes = 0;

  constructor(readonly count = COUNT, readonly bytes = BYTES) {}

  /** The number of lines that are kept. */
  get size(): number {
    return this.#lines.size;
  }

  /** The words of a known line with exactly the same pixels; undefined if there is none. */
  words(line: Grey): Word[] | undefined {
    const hash = hashOf(line), known = this.#lines.get(hash);
    if (!known || !isSame(known.line, line)) return undefined;
    this.#lines.delete(hash);
    this.#lines.set(hash, known); // the latest used is the last
    return known.words;
  }

  /** Keeps the words of a line. */
  keep(line: Grey, words: Word[]): void {
    const hash = hashOf(line);
    this.#forget(hash);
    this.#lines.set(hash, { line, words });
    this.#bytes += line.data.length;
    for (const oldest of this.#lines.keys()) {
      if (this.#lines.size <= this.count && this.#bytes <= this.bytes) break;
      this.#forget(oldest);
    }
  }

  #forget(hash: number): void {
    this.#bytes -= this.#lines.get(hash)?.line.data.length ?? 0;
    this.#lines.delete(hash);
  }
}

/** FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). */
function hashOf({ width, height, data }: Grey): number {
  let hash = 0x811c9dc5 ^ width * 65_537 + height;
  for (let i = 0; i < data.length; i++) hash = Math.imul(hash ^ data[i], 0x01000193);
  return hash >>> 0;
}
