/** Notes which elements are pressed while a recording is made: by the list that was read when the pointer came to rest. */

import { ExpectedError, UnsupportedError } from "../../core/errors.ts";
import { contains, type InputAction, type Point } from "../desktop/desktop.ts";
import { elementAt, readAt } from "../elements/recorded.ts";
import type { WindowElements } from "../elements/list.ts";
import type { Operator } from "../operator/operator.ts";
import { listWindows } from "../windows/list.ts";
import { RECORDED_WINDOWS, type RecordedWindows } from "./format.ts";

/** The time at one place after which a pointer rests, in milliseconds. */
const REST_MS = 30;
/** The time that the end of a recording waits for elements, in milliseconds. */
const END_MS = 1000;

/** A recorded press. */
type Press = Extract<InputAction, { type: "button" }>;

/** Notes elements of one recording. A desktop without elements is asked once. */
export class ElementNoter {
  #isOff = false;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #reading: Promise<WindowElements | undefined> | undefined;
  #last: WindowElements | undefined;
  readonly #pending = new Set<Promise<void>>();
  readonly #windowsBefore: Promise<string[] | undefined>;

  constructor(readonly operator: Operator) {
    this.#windowsBefore = titles(operator);
  }

  /** Takes an observed action; the action of a press gets its element, at once or a little later. */
  take(action: InputAction): void {
    if (this.#isOff || action.type === "key") return;
    clearTimeout(this.#rest);
    if (action.type === "button" && action.down) {
      const noted: Promise<void> = this.#note(action, this.#last).finally(() => this.#pending.delete(noted));
      this.#pending.add(noted);
    }
    if (action.type !== "move") this.#last = undefined; // a press may change every place
    this.#rest = setTimeout(() => this.#read(action), REST_MS);
  }

  /**
   * Ends the noting when all presses have their elements, or after a second.
   * @returns The windows before and after the recording; undefined if they were not listed in time.
   */
  async end(): Promise<RecordedWindows | undefined> {
    clearTimeout(this.#rest);
    this.#isOff = true;
    const late = Promise.withResolvers<void>(), timer = setTimeout(late.resolve, END_MS);
    const windows = Promise.all([this.#windowsBefore, titles(this.operator)]);
    await Promise.race([Promise.all(this.#pending), late.promise]);
    const [before, after] = await Promise.race([windows, late.promise]) ?? [];
    clearTimeout(timer);
    return before && after && { before, after };
  }

  async #note(press: Press, seen: WindowElements | undefined): Promise<void> {
    const isSeen = seen && !seen.silent && contains(seen.window, press);
    const read = isSeen ? seen : await this.#read(press);
    const element = read && elementAt(read, press);
    if (element) press.element = element;
  }

  /** Reads the element at a place, one reading at a time. */
  async #read(point: Point): Promise<WindowElements | undefined> {
    try {
      const before = this.#reading ?? Promise.resolve();
      const reading = this.#reading = before.catch(() => {}).then(() => readAt(this.operator, point));
      return this.#last = await reading;
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      this.#isOff ||= error instanceof UnsupportedError; // other errors pass: the program may answer at the next press
    }
  }
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
