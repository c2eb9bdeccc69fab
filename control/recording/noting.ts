/**
 * Records what is pressed while a recording is made: elements, from the list read when the pointer came to
 * rest, and texts under presses that are on no element.
 */

import { ExpectedError, on, UnsupportedError } from "../../core/errors.ts";
import { within } from "../../core/until.ts";
import { contains, type InputAction, isShown, type Point, type Region } from "../desktop/desktop.ts";
import { elementAt, readAt } from "../elements/recorded.ts";
import type { WindowElements } from "../elements/list.ts";
import { isArea } from "../elements/query.ts";
import type { Operator } from "../operator/operator.ts";
import type { TextReader } from "../read/reader.ts";
import { listWindows } from "../windows/list.ts";
import { RECORDED_WINDOWS, type RecordedWindows } from "./format.ts";
import { intersection, united } from "../desktop/geometry.ts";
import type { RecordedText } from "../desktop/input.ts";
import { FrameMemory, type SharedFrame } from "../image/bitmap.ts";
import type { Word } from "../read/grey.ts";
import type { ReadLine } from "../read/reading.ts";
import { areAlike, lineText, partsOf, placesOf, USUAL_MATCH } from "../read/spans.ts";

/** Time at one place after which a pointer rests, in milliseconds. */
const REST_MS = 30;
/** How long the end of a recording waits for elements, and for texts, in milliseconds. */
const END_MS = { elements: 1000, texts: 5000 } as const;

type Press = Extract<InputAction, { type: "button" }>;

/** The elements and the picture at the position of a resting pointer. */
interface Look {
  elements: WindowElements | undefined;
  /** The picture, if a press would be on no element. */
  picture: PressPicture | undefined;
}

/** Records elements and texts for one recording. A desktop without elements is queried only once. */
export class PressNoter {
  #isOver = false;
  #hasElements: boolean;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<unknown> = Promise.resolve();
  #last: Look | undefined;
  readonly #texts: TextNoter | undefined;
  readonly #pending = new Set<Promise<void>>();
  readonly #reading = new Set<Promise<void>>();
  readonly #windowsBefore: Promise<string[] | undefined>;

  /** @param reader Loads the text reader; without one, no texts are recorded. */
  constructor(readonly operator: Operator, reader?: () => Promise<TextReader>) {
    this.#hasElements = operator.desktop.elements !== undefined;
    this.#texts = reader && new TextNoter(operator, reader);
    this.#windowsBefore = titles(operator);
  }

  /** Processes an observed action; a press receives its element or text immediately or a little later. */
  take(action: InputAction): void {
    if (this.#isOver || action.type === "key") return;
    clearTimeout(this.#rest);
    if (action.type === "button" && action.down) {
      const seen = this.#last;
      if (seen?.picture) this.#texts?.keep(seen.picture);
      this.#follow(this.#pending, this.#note(action, seen));
    }
    if (action.type !== "move") this.#last = undefined; // a press may change every place
    this.#rest = setTimeout(() => this.#look(action), REST_MS);
  }

  /**
   * Ends once all presses have their elements and texts, or after {@linkcode END_MS}.
   * @returns The windows before and after the recording; undefined if they could not be listed in time.
   */
  async end(): Promise<RecordedWindows | undefined> {
    clearTimeout(this.#rest);
    this.#isOver = true;
    const { elements, texts } = END_MS;
    const windows = within(elements, Promise.all([this.#windowsBefore, titles(this.operator)]));
    await within(elements, Promise.all(this.#pending));
    await within(texts, Promise.all(this.#reading));
    this.#texts?.end();
    const [before, after] = await windows ?? [];
    return before && after && { before, after };
  }

  #follow(all: Set<Promise<void>>, work: Promise<void>): void {
    const followed: Promise<void> = work.finally(() => all.delete(followed));
    all.add(followed);
  }

  async #note(press: Press, seen: Look | undefined): Promise<void> {
    const known = seen?.elements;
    const isSeen = known && !known.silent && contains(known.window, press);
    const look = isSeen || !this.#hasElements && seen ? seen : await this.#look(press);
    const element = look.elements && elementAt(look.elements, press);
    if (element) press.element = element;
    if (element && !isArea(element)) return;
    const picture = [seen?.picture, look.picture].find((one) => one && contains(one.region, press));
    if (!picture) return;
    this.#texts!.keep(picture); // the next look must not overwrite it
    this.#follow(this.#reading, this.#read(picture, press));
  }

  async #read(picture: PressPicture, press: Press): Promise<void> {
    const text = await this.#texts!.read(picture, press);
    if (text) press.text = text;
  }

  /** Looks at a position, one look at a time. */
  #look(point: Point): Promise<Look> {
    const look = this.#looking.then(async (): Promise<Look> => {
      const elements = await this.#elementsAt(point), element = elements && elementAt(elements, point);
      const picture = element && !isArea(element) ? undefined : await this.#texts?.take(point);
      return this.#last = { elements, picture };
    });
    this.#looking = look.catch(() => {});
    return look;
  }

  async #elementsAt(point: Point): Promise<WindowElements | undefined> {
    if (!this.#hasElements) return undefined;
    try {
      return await readAt(this.operator, point);
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      this.#hasElements &&= !(error instanceof UnsupportedError); // other errors pass: the program may answer at the next press
    }
  }
}

/** The window titles, front one first; undefined if they are not listed. */
async function titles(operator: Operator): Promise<string[] | undefined> {
  const windows = await listWindows(operator).catch(on(ExpectedError));
  const all = windows?.map(({ title }) => title).filter(Boolean);
  return all && [...new Set(all)].slice(0, RECORDED_WINDOWS);
}

// Reads the texts under presses that are on no element, in pictures taken just before the press.

/**
 * Maximum number of pictures queued for reading: each takes the memory of a window. Further presses have no
 * text.
 */
const MOST_PICTURES = 3;
/**
 * Maximum number of words in a label, such as a button's. In a longer text, only the pressed word is used.
 */
const LABEL_WORDS = 5;
/** Minimum number of letters and digits in a text: icons are read as single letters. */
const LEAST_LETTERS = 2;
/**
 * Minimum confidence in each word, out of 100: shapes that look like letters have less, and framed letters
 * only a little more.
 */
const LEAST_CONFIDENCE = 50;
/** Maximum length of the text, in UTF-16 code units: that of a search. */
const LONGEST = 200;

/** A picture of the window at a position, or of the desktop if no window is known. */
interface PressPicture {
  frame: SharedFrame;
  region: Region;
  title: string | undefined;
  memory: FrameMemory;
}

/** Takes pictures for one recording, and reads those of presses. */
class TextNoter {
  /** Memory for the next picture. */
  #memory = new FrameMemory();
  #waiting = 0;
  readonly #ended = new AbortController();

  /** @param reader Loads the text reader at the first press on a text. */
  constructor(readonly operator: Operator, readonly reader: () => Promise<TextReader>) {}

  /**
   * Takes a picture, overwriting the last one unless it was {@linkcode keep kept}.
   * @returns undefined if there is none: the desktop delivers none now, or too many are queued.
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

  /** Keeps a picture until it is read: the next one uses other memory. */
  keep({ memory }: PressPicture): void {
    if (memory === this.#memory) this.#memory = new FrameMemory();
  }

  /**
   * Reads the text at a position in a kept picture. @returns undefined if there is none, or it cannot be
   * read.
   */
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
    const windows = await listWindows(this.operator).catch(on(ExpectedError, []));
    const window = windows.find((one) => isShown(one) && contains(one, point));
    const part = window && intersection(window, this.operator.screen());
    return part && { part, title: window.title };
  }
}

/**
 * The text at a position: the label around it, within a label's height, or one word of a longer text.
 * @param lines The lines of a window.
 * @returns The text, and its index if a search finds several equal ones; undefined if a search would not find
 * it there.
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
  if (near?.words.some(({ confidence = 100 }) => confidence < LEAST_CONFIDENCE)) return undefined;
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

/** A place extended by a button's padding around its label. */
function grown({ x, y, width, height }: Region): Region {
  return { x: x - height, y: y - height, width: width + 2 * height, height: 3 * height };
}

/** The distance of a point from a place; 0 inside. */
function distance({ x, y, width, height }: Region, point: Point): number {
  const beyond = (from: number, length: number, at: number) => Math.max(from - at, 0, at - from - length + 1);
  return Math.hypot(beyond(x, width, point.x), beyond(y, height, point.y));
}
