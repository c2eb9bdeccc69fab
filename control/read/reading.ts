/** Reading a screen: its lines, of which only the unknown ones are read. */

import { InputError } from "../../core/errors.ts";
import type { Region } from "../input.ts";
import { type Grey, isSame, partOf } from "./grey.ts";
import { KnownLines } from "./known.ts";
import { linesOf } from "./lines.ts";
import { LINES } from "./pages.ts";
import { type PageReader, SharedReaders } from "./sharing.ts";
import type { Word } from "./word.ts";

/** A line of text and its words, from the left. */
export interface ReadLine extends Region {
  words: Word[];
}

/** A line that is read: where it is, and its pixels. */
interface UnknownLine {
  place: Region;
  line: Grey;
}

/** The options of a reading. */
export interface ReadingOptions {
  /** Tells, before each page, whether the caller has left. */
  hasLeft(): boolean;
  /**
   * Receives the lines read so far, in no certain order, before the first page and after each page. If it returns
   * true, the reading ends.
   */
  isEnough?(lines: readonly ReadLine[]): boolean;
  /** The number of characters of the wanted text; shorter lines are not read. */
  letters?: number;
}

/**
 * The most text of one reading: the widths of lines as multiples of their heights. A dense screen of 1920x1080 has 3000 and
 * takes 4 s of a processor.
 */
const MOST = 12_000;
/** No font has letters of less than this share of their line's height. */
const NARROWEST = 0.15;

/** Reads screens, and remembers the lines. */
export class Reading {
  readonly #known = new KnownLines();
  readonly #readers: SharedReaders;
  /** The last picture, and where its lines are. */
  #last: { grey: Grey; places: Region[] } | undefined;

  /**
   * @param readers Readers of pages, which work at the same time; the first reader takes over late pages of the
   * others.
   */
  constructor(readers: readonly PageReader[]) {
    this.#readers = new SharedReaders(readers);
  }

  /**
   * Reads the lines of a picture.
   * @returns In reading order; those without words are left out.
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
   * Reads pages and adds their lines until enough is read. Pages that are being read at that moment are remembered,
   * too.
   */
  async #readPages(
    pages: readonly UnknownLine[][],
    lines: ReadLine[],
    { hasLeft, isEnough }: ReadingOptions,
  ): Promise<void> {
    await this.#readers.read(pages, {
      check() {
        if (hasLeft()) throw new DOMException("the caller has left", "AbortError");
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

  /** Finds the lines' places. They are the same while the picture is. */
  #places(grey: Grey): Region[] {
    if (!this.#last || !isSame(this.#last.grey, grey)) this.#last = { grey, places: linesOf(grey) };
    return this.#last.places;
  }
}

/** The number of lines from which pages are made for several readers. */
const SHARED = 16;
/** The smallest page for several readers, in the unit of `sumOf`; such a page takes 50 ms. */
const SMALLEST = 40;

/**
 * Splits lines into pages: in reading order, or those of like lengths together, which takes less time, the longest
 * first. For several readers each page is a share of the remaining lines, so that the last pages are small and all
 * readers end at about the same time.
 * @param readers How many pages are read at the same time.
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
  if (sumOf(lines) > MOST) throw new InputError("that is too much text: give a region");
}

function placed(words: readonly Word[], place: Region): ReadLine {
  return { ...place, words: words.map((word) => ({ ...word, x: place.x + word.x, y: place.y + word.y })) };
}
