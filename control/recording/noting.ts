/**
 * Notes what is pressed while a recording is made: elements, by the list that was read when the pointer came to rest, and
 * the texts under presses that are on none.
 */

import { ExpectedError, UnsupportedError } from "../../core/errors.ts";
import { contains, type InputAction, type Point } from "../desktop/desktop.ts";
import { elementAt, readAt } from "../elements/recorded.ts";
import type { WindowElements } from "../elements/list.ts";
import { isArea } from "../elements/query.ts";
import type { Operator } from "../operator/operator.ts";
import type { TextReader } from "../read/reader.ts";
import { listWindows } from "../windows/list.ts";
import { RECORDED_WINDOWS, type RecordedWindows } from "./format.ts";
import { type PressPicture, TextNoter } from "./noted_text.ts";

/** The time at one place after which a pointer rests, in milliseconds. */
const REST_MS = 30;
/** The time that the end of a recording waits for elements, and for texts, in milliseconds. */
const END_MS = { elements: 1000, texts: 5000 } as const;

/** A recorded press. */
type Press = Extract<InputAction, { type: "button" }>;

/** The elements and the picture at the place of a resting pointer. */
interface Look {
  elements: WindowElements | undefined;
  /** The picture, where a press would be on no element. */
  picture: PressPicture | undefined;
}

/** Notes elements and texts of one recording. A desktop without elements is asked once. */
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

  /** @param reader Loads the reader of texts; without one no texts are noted. */
  constructor(readonly operator: Operator, reader?: () => Promise<TextReader>) {
    this.#hasElements = operator.desktop.elements !== undefined;
    this.#texts = reader && new TextNoter(operator, reader);
    this.#windowsBefore = titles(operator);
  }

  /** Takes an observed action; the action of a press gets its element or text, at once or a little later. */
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
   * Ends the noting when all presses have their elements and texts, or after {@linkcode END_MS}.
   * @returns The windows before and after the recording; undefined if they were not listed in time.
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
    if (picture) this.#follow(this.#reading, this.#read(picture, press));
  }

  async #read(picture: PressPicture, press: Press): Promise<void> {
    const text = await this.#texts!.read(picture, press);
    if (text) press.text = text;
  }

  /** Looks at a place, one look at a time. */
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

/** The value of a promise; undefined if it takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>(), timer = setTimeout(() => late.resolve(undefined), ms);
  return await Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

/** The titles of the windows, the front one first; undefined where they are not listed. */
async function titles(operator: Operator): Promise<string[] | undefined> {
  try {
    const all = (await listWindows(operator)).map(({ title }) => title).filter(Boolean);
    return [...new Set(all)].slice(0, RECORDED_WINDOWS);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
  }
}
