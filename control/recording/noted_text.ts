/** Reads the texts under presses that are on no element, in pictures of the moment before the press. */

import { ExpectedError } from "../../core/errors.ts";
import { contains, isShown, type Point, type Region } from "../desktop/desktop.ts";
import { intersection, united } from "../desktop/geometry.ts";
import type { RecordedText } from "../desktop/input.ts";
import { FrameMemory, type SharedFrame } from "../image/bitmap.ts";
import type { Operator } from "../operator/operator.ts";
import type { Word } from "../read/grey.ts";
import type { TextReader } from "../read/reader.ts";
import type { ReadLine } from "../read/reading.ts";
import { areAlike, lineText, partsOf, placesOf, USUAL_MATCH } from "../read/spans.ts";
import { listWindows } from "../windows/list.ts";

/** The most pictures that wait to be read: each takes the memory of a window. Presses beyond have no text. */
const MOST_PICTURES = 3;
/** The most words of a label, as of a button. Of a longer text the pressed word is taken. */
const LABEL_WORDS = 5;
/** The least letters and digits of a text: icons are read as single letters. */
const LEAST_LETTERS = 2;
/** The longest text, in UTF-16 code units: that of a search. */
const LONGEST = 200;

/** A picture of the window at a place, or of the desktop where none is known. */
export interface PressPicture {
  frame: SharedFrame;
  region: Region;
  title: string | undefined;
  memory: FrameMemory;
}

/** Takes the pictures of one recording, and reads those of presses. */
export class TextNoter {
  /** The memory of the next picture. */
  #memory = new FrameMemory();
  #waiting = 0;
  readonly #ended = new AbortController();

  /** @param reader Loads the reader at the first press on a text. */
  constructor(readonly operator: Operator, readonly reader: () => Promise<TextReader>) {}

  /**
   * Takes a picture, over the last one that is not {@linkcode keep kept}.
   * @returns undefined if there is none: the desktop shows none now, or too many wait to be read.
   */
  async take(point: Point): Promise<PressPicture | undefined> {
    if (this.#waiting >= MOST_PICTURES || this.#ended.signal.aborted) return undefined;
    const memory = this.#memory;
    try {
      const window = await this.#windowAt(point);
      const region = window?.part ?? this.operator.region({});
      const frame = await this.operator.share(region, false, memory);
      return { frame, region, title: window?.title, memory };
    } catch (error) {
      if (error instanceof ExpectedError) return undefined;
      throw error;
    }
  }

  /** Keeps a picture until it is read: the next one takes other memory. */
  keep({ memory }: PressPicture): void {
    if (memory === this.#memory) this.#memory = new FrameMemory();
  }

  /** Reads the text at a place of a kept picture. @returns undefined if there is none, or it cannot be read. */
  async read({ frame, region, title }: PressPicture, point: Point): Promise<RecordedText | undefined> {
    if (this.#waiting >= MOST_PICTURES) return undefined;
    this.#waiting++;
    try {
      const { signal } = this.#ended, reader = await this.reader();
      const { lines } = await reader.read({ region, picture: frame, signal });
      const found = textAt(lines, point);
      return found && { ...found, ...(title ? { title } : {}) };
    } catch (error) {
      if (error instanceof ExpectedError || this.#ended.signal.aborted) return undefined;
      throw error;
    } finally {
      this.#waiting--;
    }
  }

  /** Ends all readings. */
  end(): void {
    this.#ended.abort();
    this.#memory.free();
  }

  async #windowAt(point: Point): Promise<{ part: Region; title: string } | undefined> {
    const windows = await listWindows(this.operator).catch((error) => {
      if (error instanceof ExpectedError) return [];
      throw error;
    });
    const window = windows.find((one) => isShown(one) && contains(one, point));
    const part = window && intersection(window, this.operator.screen());
    return part && { part, title: window.title };
  }
}

/**
 * The text at a place: the label around it, as far as a label's height, or a word of a longer text.
 * @param lines The lines of a window.
 * @returns The text, and its number where a search finds several alike; undefined if a search would not find it there.
 */
export function textAt(lines: readonly ReadLine[], point: Point): Omit<RecordedText, "title"> | undefined {
  const parts = lines.filter(({ words }) => words.length).flatMap(({ words }) => partsOf(words));
  const texts = parts.flatMap((words) => {
    if (words.length > LABEL_WORDS) return words.map((word) => ({ words: [word], place: word, reach: word }));
    const place = around(words);
    return [{ words, place, reach: grown(place) }];
  });
  const [near] = texts.filter(({ reach }) => contains(reach, point))
    .sort((a, b) => distance(a.place, point) - distance(b.place, point));
  const text = near && lineText(near.words);
  if (!text || text.length > LONGEST || (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < LEAST_LETTERS) {
    return undefined;
  }
  const { found } = placesOf(lines.map(({ words }) => words), { text, match: USUAL_MATCH, keepsCase: false });
  const at = found.findIndex((span) => intersection(span, near.place));
  if (at < 0) return undefined;
  const isOnly = at === 0 && !found.slice(1).some((span) => areAlike(span, found[0]));
  return { text, ...(isOnly ? {} : { nth: at + 1 }) };
}

const around = (words: readonly Word[]) => words.reduce<Region | undefined>(united, undefined)!;

/** A place with the padding of a button around its label. */
function grown({ x, y, width, height }: Region): Region {
  return { x: x - height, y: y - height, width: width + 2 * height, height: 3 * height };
}

/** How far a point is from a place; 0 within. */
function distance({ x, y, width, height }: Region, point: Point): number {
  const beyond = (from: number, length: number, at: number) => Math.max(from - at, 0, at - from - length + 1);
  return Math.hypot(beyond(x, width, point.x), beyond(y, height, point.y));
}
