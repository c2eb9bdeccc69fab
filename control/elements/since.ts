/** Lists of elements by serial, and the changes from one list to the next. */

import type { Operator } from "../operator.ts";
import type { WindowQuery } from "../windows/selection.ts";
import { type ListedElement, readElements, readIn, type WindowElements, windowIn } from "./reading.ts";

/** The largest numbers of remembered lists and of their elements; the oldest lists are forgotten. */
const LIMITS = { lists: 8, elements: 40_000 };

/** A list of all elements of a window, or of the changes since another list. */
export interface SerialElements extends WindowElements {
  serial: number;
  /** The elements that are gone; only lists of changes have them. */
  removed?: ListedElement[];
}

/** A list that is remembered. */
interface Remembered {
  serial: number;
  hidden: boolean;
  read: WindowElements;
}

/** The lists of one desktop, the newest last. */
class Lists {
  readonly #lists: Remembered[] = [];
  #last = 0;

  get(serial: number | undefined, windowId: string, hidden: boolean): Remembered | undefined {
    return this.#lists.find((list) =>
      list.serial === serial && list.read.window.id === windowId && list.hidden === hidden
    );
  }

  /**
   * Remembers a list. If it equals the newest list of its window, that list's serial is kept; otherwise the list gets
   * a new serial.
   */
  add(read: WindowElements, hidden: boolean): Remembered {
    const newest = this.newest(read.window.id, hidden);
    const serial = newest && isSame(newest.read, read) ? newest.serial : ++this.#last;
    const list = { serial, hidden, read };
    if (newest && newest.serial === serial) this.#lists.splice(this.#lists.indexOf(newest), 1);
    this.#lists.push(list);
    while (this.#isFull()) this.#lists.shift();
    return list;
  }

  newest(windowId: string, hidden: boolean): Remembered | undefined {
    return this.#lists.findLast((list) => list.read.window.id === windowId && list.hidden === hidden);
  }

  #isFull(): boolean {
    const elements = this.#lists.reduce((sum, { read }) => sum + read.elements.length, 0);
    return this.#lists.length > 1 && (this.#lists.length > LIMITS.lists || elements > LIMITS.elements);
  }
}

const LISTS = new WeakMap<Operator, Lists>();

/**
 * Reads the elements of a window, or the changes since an earlier list. The window is not read if the desktop knows
 * that it has not changed.
 * @param since The serial of the earlier list; if left out or forgotten, all elements are listed.
 * @throws The errors of {@linkcode readElements}.
 */
export async function readSince(
  operator: Operator,
  query: WindowQuery,
  hidden: boolean,
  since?: number,
): Promise<SerialElements> {
  const lists = LISTS.get(operator) ?? new Lists();
  LISTS.set(operator, lists);
  if (since === undefined) {
    const { read, serial } = lists.add(await readElements(operator, query, hidden), hidden);
    return { ...read, serial };
  }
  const window = await windowIn(operator, query), newest = lists.newest(window.id, hidden);
  const isRead = !newest || !isSamePlace(newest.read, window) ||
    !await operator.desktop.elements?.isSame?.(window);
  const { read, serial } = isRead ? lists.add(await readIn(operator, window, hidden), hidden) : newest;
  const before = lists.get(since, window.id, hidden);
  if (!before) return { ...read, serial };
  return { ...read, window, serial, ...changesOf(before.read.elements, read.elements) };
}

function changesOf(before: readonly ListedElement[], now: readonly ListedElement[]) {
  const had = new Map(before.map((element) => [element.ref, looksOf(element)]));
  const has = new Set(now.map(({ ref }) => ref));
  return {
    elements: now.filter((element) => had.get(element.ref) !== looksOf(element)),
    removed: before.filter(({ ref }) => !has.has(ref)),
  };
}

/** Joins all listed values of an element in one text. */
function looksOf({ ref, role, name, value, states, depth, place }: ListedElement): string {
  return JSON.stringify([ref, role, name, value, states, depth, place]);
}

function isSame(one: WindowElements, other: WindowElements): boolean {
  return isSamePlace(one, other.window) && one.places === other.places && one.isWhole === other.isWhole &&
    one.silent === other.silent && one.elements.length === other.elements.length &&
    one.elements.every((element, i) => looksOf(element) === looksOf(other.elements[i]));
}

function isSamePlace(
  { window: { title, x, y, width, height } }: WindowElements,
  now: WindowElements["window"],
): boolean {
  return title === now.title && x === now.x && y === now.y && width === now.width && height === now.height;
}
