/** Reading a screen: its lines, of which only the unknown ones are read. */

import { InputError } from "../../core/errors.ts";
import type { Region } from "../input.ts";
import { type Grey, isSame, partOf } from "./grey.ts";
import { KnownLines } from "./known.ts";
import { linesOf } from "./lines.ts";
import { LINES } from "./pages.ts";
import type { Word } from "./word.ts";

/** A line of text and its words, from the left. */
export interface ReadLine extends Region {
  words: Word[];
}

/** Reads lines as one page. Gives the words of each, with places in its own pixels. */
export type PageReader = (lines: readonly Grey[]) => Promise<Word[][]>;

/** A line that is read: where it is, and its pixels. */
interface UnknownLine {
  place: Region;
  line: Grey;
}

/** How a screen is read. */
export interface ReadingOptions {
  /** Tells, before each page, whether the caller has left. */
  hasLeft(): boolean;
  /** Gets the lines read so far, in no certain order, before the first page and after each: true ends the reading. */
  isEnough?(lines: readonly ReadLine[]): boolean;
  /** Characters of the text that is looked for: lines that are too short for it are not read. */
  letters?: number;
}

/**
 * The most text of one reading: the widths of lines as multiples of their heights. A dense screen of 1920x1080 has 3000 and
 * takes 4 s of a processor.
 */
const MOST = 12_000;
/** No font has letters of less than this share of their line's height. */
const NARROWEST = 0.15;

/** Reads screens, and keeps what it read. */
export class Reading {
  readonly #known = new KnownLines();
  readonly #readers: readonly PageReader[];
  /** The last picture, and where its lines are. */
  #last: { grey: Grey; places: Region[] } | undefined;

  /** @param readers Read pages, all at the same time; one at least. */
  constructor(readers: readonly PageReader[]) {
    this.#readers = readers;
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
    const pages = pagesOf(unknown, this.#readers.length, isEnough !== undefined);
    if (!isEnough?.(lines)) await this.#readPages(pages, lines, options);
    return lines.filter(({ words }) => words.length).sort((a, b) => a.y - b.y || a.x - b.x);
  }

  /** Has pages read and adds their lines, until that is enough. A page that is being read then becomes known all the same. */
  async #readPages(
    pages: readonly UnknownLine[][],
    lines: ReadLine[],
    { hasLeft, isEnough }: ReadingOptions,
  ): Promise<void> {
    const queue = [...pages], enough = Promise.withResolvers<void>();
    const readAll = async (read: PageReader) => {
      for (let page = queue.shift(); page; page = queue.shift()) {
        if (hasLeft()) throw new DOMException("the caller has left", "AbortError");
        const words = await read(page.map(({ line }) => line));
        page.forEach(({ place, line }, i) => {
          this.#known.keep(line, words[i]);
          lines.push(placed(words[i], place));
        });
        if (!isEnough?.(lines)) continue;
        queue.length = 0;
        enough.resolve();
      }
    };
    const readers = this.#readers.slice(0, pages.length);
    await Promise.race([enough.promise, Promise.all(readers.map(readAll))]);
  }

  /** Where lines are. They are the same while the picture is. */
  #places(grey: Grey): Region[] {
    if (!this.#last || !isSame(this.#last.grey, grey)) this.#last = { grey, places: linesOf(grey) };
    return this.#last.places;
  }
}

/** From so many lines on, pages are made for several readers. */
const SHARED = 16;

/**
 * Splits lines into pages of about as much text each: in reading order, or those of like lengths together, which takes
 * less time, the longest first.
 * @param readers How many pages are read at the same time.
 */
function pagesOf(lines: readonly UnknownLine[], readers: number, isInOrder: boolean): UnknownLine[][] {
  const sorted = isInOrder ? lines : lines.toSorted((a, b) => amountOf(b) - amountOf(a));
  const shared = lines.length < SHARED ? 1 : readers;
  const count = Math.ceil(lines.length / LINES / shared) * shared;
  const amount = shared > 1 ? sumOf(lines) / count : Infinity;
  const pages: UnknownLine[][] = [];
  for (const line of sorted) {
    const last = pages.at(-1);
    if (last && last.length < LINES && sumOf(last) < amount) last.push(line);
    else pages.push([line]);
  }
  return pages;
}

/** How much text a line may have: its width as a multiple of its height. */
const amountOf = ({ place: { width, height } }: UnknownLine) => width / height;

const sumOf = (lines: readonly UnknownLine[]) => lines.reduce((sum, line) => sum + amountOf(line), 0);

function checkAmount(lines: readonly UnknownLine[]): void {
  if (sumOf(lines) > MOST) throw new InputError("that is too much text: give a region");
}

function placed(words: readonly Word[], place: Region): ReadLine {
  return { ...place, words: words.map((word) => ({ ...word, x: place.x + word.x, y: place.y + word.y })) };
}
