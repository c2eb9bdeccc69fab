/** Reads the lines of a screen, skipping known ones. */

import { InputError } from "../../core/errors.ts";
import type { Region } from "../desktop/input.ts";
import { type Grey, isSame, partOf, type Word } from "./grey.ts";
import { linesOf } from "./lines.ts";
import { LINES } from "./pages.ts";

// Known lines, recognized by their pixels at any place: unchanged lines are not read again.

/** Maximum number of stored lines, and of their bytes. */
const COUNT = 4000, BYTES = 32 * 1024 * 1024;

interface Known {
  line: Grey;
  words: Word[];
}

/** Stores the words of lines. The least recently used are evicted first. */
export class KnownLines {
  /** Lines by a hash of their pixels. Of two lines with the same hash, the later one is stored. */
  readonly #lines = new Map<number, Known>();
  #bytes = 0;

  constructor(readonly count = COUNT, readonly bytes = BYTES) {}

  /** The words of a stored line with exactly the same pixels; undefined if there is none. */
  words(line: Grey): Word[] | undefined {
    const hash = hashOf(line), known = this.#lines.get(hash);
    if (!known || !isSame(known.line, line)) return undefined;
    this.#lines.delete(hash);
    this.#lines.set(hash, known); // the most recently used is last
    return known.words;
  }

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

// Pages that several readers read in parallel. The first reader takes over late pages of the others.

/** Reads lines as one page. Returns the words of each line, with places in its own pixels. */
export type PageReader = (lines: readonly Grey[]) => Promise<Word[][]>;

/** The result of a reading, which receives the words of each page. */
interface PageResult<Line> {
  /** Called before each page; an error that it throws ends the reading. */
  check(): void;
  /**
   * Called once with the words of each page, in no particular order. If it returns true, no further pages are
   * started; it is still called for the pages in progress.
   */
  onRead(page: readonly Line[], words: Word[][]): boolean;
}

/**
 * Several readers, of which only the first is certain to get a processor. When no other page is left, the
 * first reader also reads the others' pages.
 */
export class SharedReaders {
  readonly #readers: readonly PageReader[];
  /** Readers with a page in progress, which may belong to a finished reading. */
  readonly #busy = new Set<PageReader>();

  /** @param readers At least one. */
  constructor(readers: readonly PageReader[]) {
    this.#readers = readers;
  }

  /** Number of readers that can take pages now: the first, and all idle others. */
  get free(): number {
    return this.#free().length;
  }

  #free(): PageReader[] {
    return this.#readers.filter((read, i) => i === 0 || !this.#busy.has(read));
  }

  /** Reads pages, in order, until all are read or the result is sufficient. */
  async read<Line extends { line: Grey }>(
    pages: readonly (readonly Line[])[],
    result: PageResult<Line>,
  ): Promise<void> {
    const queue = [...pages], unread = new Set(pages), over = Promise.withResolvers<void>();
    const readAll = async (read: PageReader, next: () => readonly Line[] | undefined) => {
      for (let page = next(); page; page = next()) {
        result.check();
        const words = await this.#readBy(read, page);
        if (!unread.delete(page)) continue; // another reader was faster
        if (!result.onRead(page, words) && unread.size) continue;
        queue.length = 0;
        over.resolve();
        return;
      }
    };
    const [first, ...others] = this.#free();
    const all = [
      readAll(first, () => queue.shift() ?? unread.values().next().value),
      ...others.slice(0, pages.length - 1).map((read) => readAll(read, () => queue.shift())),
    ];
    await Promise.race([over.promise, Promise.all(all)]);
  }

  async #readBy(read: PageReader, page: readonly { line: Grey }[]): Promise<Word[][]> {
    this.#busy.add(read);
    try {
      return await read(page.map(({ line }) => line));
    } finally {
      this.#busy.delete(read);
    }
  }
}

/** A line of text with its words, from the left. */
export interface ReadLine extends Region {
  words: Word[];
}

/** A line to read: its place and its pixels. */
interface UnknownLine {
  place: Region;
  line: Grey;
}

interface ReadingOptions {
  /** Whether the caller has left; called before each page. */
  hasLeft(): boolean;
  /**
   * Receives the lines read so far, in no particular order, before the first page and after each page.
   * Reading ends if it returns true.
   */
  isEnough?(lines: readonly ReadLine[]): boolean;
  /** Number of characters of the wanted text; shorter lines are skipped. */
  letters?: number;
}

/**
 * Maximum amount of text per reading: the sum of line widths as multiples of their heights. A dense screen of
 * 1920x1080 has 3000 and takes 4 s of processor time.
 */
const MOST = 12_000;
/** No font has letters narrower than this share of the line height. */
const NARROWEST = 0.15;

/** Reads screens, and remembers the lines. */
export class Reading {
  readonly #known = new KnownLines();
  readonly #readers: SharedReaders;
  /** The last picture and the places of its lines. */
  #last: { grey: Grey; places: Region[] } | undefined;

  /**
   * @param readers Page readers that work in parallel; the first reader takes over late pages of the others.
   */
  constructor(readers: readonly PageReader[]) {
    this.#readers = new SharedReaders(readers);
  }

  /**
   * Reads the lines of a picture.
   * @returns In reading order, without lines that have no words.
   * @throws InputError if there is too much text; DOMException `AbortError` if the caller has left.
   */
  async lines(grey: Grey, options: ReadingOptions): Promise<ReadLine[]> {
    const { letters = 0, isEnough } = options, lines: ReadLine[] = [], unknown: UnknownLine[] = [];
    const places = this.#places(grey).filter(({ width, height }) => width >= NARROWEST * height * letters);
    for (const place of places) {
      const line = partOf(grey, place), words = this.#known.words(line);
      if (words) lines.push(placed(words, place));
      else unknown.push({ place, line });
    }
    checkAmount(unknown);
    const pages = pagesOf(unknown, this.#readers.free, isEnough !== undefined);
    if (!isEnough?.(lines)) await this.#readPages(pages, lines, options);
    return lines.filter(({ words }) => words.length).sort((a, b) => a.y - b.y || a.x - b.x);
  }

  /**
   * Reads pages and adds their lines until enough is read. Pages in progress at that moment are stored too.
   */
  async #readPages(
    pages: readonly UnknownLine[][],
    lines: ReadLine[],
    { hasLeft, isEnough }: ReadingOptions,
  ): Promise<void> {
    await this.#readers.read(pages, {
      check() {
        if (hasLeft()) throw new DOMException("the client disconnected", "AbortError");
      },
      onRead: (page, words) => {
        page.forEach(({ place, line }, i) => {
          this.#known.keep(line, words[i]);
          lines.push(placed(words[i], place));
        });
        return isEnough?.(lines) ?? false;
      },
    });
  }

  /** Finds the lines' places, which are reused while the picture is unchanged. */
  #places(grey: Grey): Region[] {
    if (!this.#last || !isSame(this.#last.grey, grey)) this.#last = { grey, places: linesOf(grey) };
    return this.#last.places;
  }
}

/** Number of lines from which pages are split for several readers. */
const SHARED = 16;
/** Minimum size of a page for several readers, in the unit of `sumOf`; such a page takes 50 ms. */
const SMALLEST = 40;

/**
 * Splits lines into pages: in reading order, or grouped by similar length, which takes less time, longest
 * first. For several readers, each page is a share of the remaining lines, so that the last pages are small
 * and all readers finish at about the same time.
 * @param readers Number of pages read in parallel.
 */
function pagesOf(lines: readonly UnknownLine[], readers: number, isInOrder: boolean): UnknownLine[][] {
  const sorted = isInOrder ? lines : lines.toSorted((a, b) => amountOf(b) - amountOf(a));
  const isShared = lines.length >= SHARED && readers > 1, pages: UnknownLine[][] = [];
  let left = sumOf(lines), room = 0;
  for (const line of sorted) {
    if (room <= 0 || pages.at(-1)!.length === LINES) {
      pages.push([]);
      room = isShared ? Math.max(SMALLEST, left / (2 * readers)) : Infinity;
    }
    pages.at(-1)!.push(line);
    left -= amountOf(line);
    room -= amountOf(line);
  }
  return pages;
}

/** Estimates the length of a line's text: its width as a multiple of its height. */
const amountOf = ({ place: { width, height } }: UnknownLine) => width / height;

const sumOf = (lines: readonly UnknownLine[]) => lines.reduce((sum, line) => sum + amountOf(line), 0);

function checkAmount(lines: readonly UnknownLine[]): void {
  if (sumOf(lines) > MOST) throw new InputError("too much text: give a region");
}

function placed(words: readonly Word[], place: Region): ReadLine {
  return { ...place, words: words.map((word) => ({ ...word, x: place.x + word.x, y: place.y + word.y })) };
}
