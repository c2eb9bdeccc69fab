/** Reading a screen: its lines, of which only the unknown ones are read. */

import { InputError } from "../../core/errors.ts";
import type { Region } from "../input.ts";
import { type Grey, isSame, partOf } from "./grey.ts";
import { KnownLines } from "./known.ts";
import { linesOf } from "./lines.ts";
import { LINES, readLines, type ReadPage } from "./pages.ts";
import type { Word } from "./word.ts";

/** A line of text and its words, from the left. */
export interface ReadLine extends Region {
  words: Word[];
}

/** How a screen is read. */
export interface ReadingOptions {
  /** Tells, before each page, whether the caller has left. */
  hasLeft(): boolean;
  /** Gets the lines read so far, in no certain order, before each page: true ends the reading. */
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
  readonly #read: ReadPage;
  /** The last picture, and where its lines are. */
  #last: { grey: Grey; places: Region[] } | undefined;

  /** @param read Reads the words of a page. */
  constructor(read: ReadPage) {
    this.#read = read;
  }

  /**
   * Reads the lines of a picture.
   * @returns In reading order; those without words are left out.
   * @throws InputError if there is too much text; DOMException `AbortError` if the caller has left.
   */
  lines(grey: Grey, { hasLeft, isEnough, letters = 0 }: ReadingOptions): ReadLine[] {
    const places = this.#places(grey).filter(({ width, height }) => width >= NARROWEST * height * letters);
    const lines: ReadLine[] = [], unknown: { place: Region; line: Grey }[] = [];
    for (const place of places) {
      const line = partOf(grey, place), words = this.#known.words(line);
      if (words) lines.push(placed(words, place));
      else unknown.push({ place, line });
    }
    checkAmount(unknown.map(({ place }) => place));
    for (const page of pagesOf(unknown, isEnough !== undefined)) {
      if (isEnough?.(lines)) break;
      if (hasLeft()) throw new DOMException("the caller has left", "AbortError");
      const read = readLines(page.map(({ line }) => line), this.#read);
      page.forEach(({ place, line }, i) => {
        this.#known.keep(line, read[i]);
        lines.push(placed(read[i], place));
      });
    }
    return lines.filter(({ words }) => words.length).sort((a, b) => a.y - b.y || a.x - b.x);
  }

  /** Where lines are. They are the same while the picture is. */
  #places(grey: Grey): Region[] {
    if (!this.#last || !isSame(this.#last.grey, grey)) this.#last = { grey, places: linesOf(grey) };
    return this.#last.places;
  }
}

/** Splits lines into pages: in reading order, or those of like lengths together, which takes less time. */
function pagesOf<T extends { place: Region }>(lines: readonly T[], isInOrder: boolean): T[][] {
  const shape = ({ place }: T) => place.width / place.height;
  const sorted = isInOrder ? lines : lines.toSorted((a, b) => shape(a) - shape(b));
  return Array.from(
    { length: Math.ceil(sorted.length / LINES) },
    (_, i) => sorted.slice(i * LINES, (i + 1) * LINES),
  );
}

function checkAmount(lines: readonly Region[]): void {
  const amount = lines.reduce((sum, { width, height }) => sum + width / height, 0);
  if (amount > MOST) throw new InputError("that is too much text: give a region");
}

function placed(words: readonly Word[], place: Region): ReadLine {
  return { ...place, words: words.map((word) => ({ ...word, x: place.x + word.x, y: place.y + word.y })) };
}
