/** Reads the elements of a window with their refs, without pure layout containers. */

import { delay } from "@std/async/delay";
import { InputError, NotFoundError, StateError, UnsupportedError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import type { ElementInfo, Elements, ElementTree, WindowInfo } from "../desktop/desktop.ts";
import { withoutLayout } from "../desktop/elements.ts";
import type { Region } from "../desktop/input.ts";
import type { Operator } from "../operator/operator.ts";
import { ageOf, listWindows, matchingWindows, windowOrActive, type WindowQuery } from "../windows/list.ts";

// Short names of elements, such as `e12`, each of which permanently stands for one element.

/** Maximum number of remembered elements; the oldest are forgotten. */
const LIMIT = 20_000;

/** The role of password fields, whose text is never read. */
export const PASSWORD = "password";

/** The element that a ref stands for. */
interface Named {
  key: string;
  /** The element's window. */
  windowId: string;
  windowTitle: string;
  role: string;
  name: string;
  /** The element's place when it was listed, in pixels from the window's top left corner. */
  place?: Region;
  /** When the element was seen, on the scale of `performance.now()`. */
  seenAt: number;
}

/**
 * Roles of elements that programs may recreate for each reading, although nothing has changed: Qt's rows and
 * LibreOffice's cells.
 */
const RECREATED: ReadonlySet<string> = new Set(
  "cell,columnheader,listitem,row,rowheader,treeitem".split(","),
);

/** Identifies an element that its program may recreate; undefined for other elements. */
function lookOf({ windowId, role, name, place }: Named): string | undefined {
  return RECREATED.has(role) && name && place ? JSON.stringify([windowId, role, name, place]) : undefined;
}

/** One reading of a window's elements. */
class Reading {
  /** The keys of all elements, which are thus different elements. */
  readonly keys: ReadonlySet<string>;
  /** Roles and names of more than one element: after scrolling, another one may be at the same place. */
  readonly #twins = new Set<string>();

  constructor(elements: readonly ElementInfo[]) {
    this.keys = new Set(elements.map(({ key }) => key));
    const seen = new Set<string>();
    for (const { role, name } of elements) {
      if (!RECREATED.has(role)) continue;
      const both = `${role} ${name}`;
      if (seen.has(both)) this.#twins.add(both);
      else seen.add(both);
    }
  }

  isTwin({ role, name }: Named): boolean {
    return this.#twins.has(`${role} ${name}`);
  }
}

/** Assigns and resolves refs. */
class Refs {
  readonly #byRef = new Map<string, Named>();
  readonly #byKey = new Map<string, string>();
  /** The refs of elements that programs may recreate, by {@linkcode lookOf}. */
  readonly #byLook = new Map<string, string>();
  /** Keys of elements that have been password fields. */
  readonly #secret = new Set<string>();
  #last = 0;

  /**
   * An element's ref: its existing one, or a new one.
   * @param reading The reading that the element is from, if all elements were read.
   */
  of(named: Named, reading?: Reading): string {
    const look = reading?.isTwin(named) ? undefined : lookOf(named);
    const present = this.#byKey.get(named.key) ?? this.#recreated(look, reading);
    const ref = present ?? `e${++this.#last}`, before = this.#byRef.get(ref);
    if (before) this.#forgetNames(ref, before);
    this.#byRef.delete(ref); // the newest is last
    this.#byRef.set(ref, named);
    this.#byKey.set(named.key, ref);
    if (look !== undefined) this.#byLook.set(look, ref);
    if (named.role === PASSWORD) this.#secret.add(named.key);
    if (this.#byRef.size > LIMIT) this.#forgetOldest();
    return ref;
  }

  /** The ref of an element that looked the same where this one is, unless that is in the same reading. */
  #recreated(look: string | undefined, reading: Reading | undefined): string | undefined {
    const ref = look === undefined ? undefined : this.#byLook.get(look);
    return ref !== undefined && reading?.keys.has(this.#byRef.get(ref)!.key) ? undefined : ref;
  }

  #forgetNames(ref: string, named: Named): void {
    const look = lookOf(named);
    this.#byKey.delete(named.key);
    if (look !== undefined && this.#byLook.get(look) === ref) this.#byLook.delete(look);
  }

  #forgetOldest(): void {
    const [[ref, named]] = this.#byRef;
    this.#byRef.delete(ref);
    this.#forgetNames(ref, named);
    this.#secret.delete(named.key);
  }

  /**
   * Whether an element was a password field before: while its letters are visible, it has the role of an
   * ordinary field.
   */
  wasPassword(key: string): boolean {
    return this.#secret.has(key);
  }

  /**
   * Resolves a ref.
   * @throws InputError if the text is not a ref; NotFoundError if no remembered element has this ref.
   */
  get(ref: string): Named {
    if (!/^e[1-9]\d*$/.test(ref)) {
      throw new InputError(`element must be a reference such as e12, not ${JSON.stringify(ref)}`);
    }
    const named = this.#byRef.get(ref);
    if (named) return named;
    throw new NotFoundError(`there is no element ${ref}: list the elements first`);
  }
}

export interface ListedElement extends ElementInfo {
  ref: string;
}

export interface WindowElements extends Omit<ElementTree, "elements"> {
  window: WindowInfo;
  /** The desktop's windows when the window was found; left out if it was given. */
  windows?: readonly WindowInfo[];
  elements: ListedElement[];
}

/** The refs of a desktop's elements. */
const REFS = new WeakMap<Operator, Refs>();

/** The refs of a desktop. */
export function refsOf(operator: Operator): Refs {
  const refs = REFS.get(operator) ?? new Refs();
  REFS.set(operator, refs);
  return refs;
}

/**
 * The elements part of a desktop.
 * @throws UnsupportedError if this desktop cannot read elements.
 */
export function elementsOf(operator: Operator): Elements {
  const { elements, kind } = operator.desktop;
  if (elements) return elements;
  throw new UnsupportedError(
    `elements of the ${kind} desktop cannot be read; use find and screenshot`,
  );
}

/**
 * Reads the elements of a window.
 * @param query The window; the active one if nothing is given.
 * @param hidden Includes elements that the window does not show.
 * @param signal Ends the reading by its reason, while others are read or the window is new.
 * @param atHand As in {@linkcode listWindows}.
 * @throws NotFoundError if there is no such window.
 */
export async function readElements(
  operator: Operator,
  query: WindowQuery,
  hidden = false,
  signal?: AbortSignal,
  atHand?: readonly WindowInfo[],
): Promise<WindowElements> {
  elementsOf(operator);
  const windows = await listWindows(operator, atHand);
  return { ...await readIn(operator, windowOrActive(windows, query), hidden, signal), windows };
}

/**
 * How long a new window's program may take to join the accessibility bus and lay the window out, and the
 * polling interval until then, in milliseconds. GTK 3 and 4 and Qt 5 took up to 500 ms.
 */
const YOUNG = { ms: 1000, every: 60 };

/**
 * Reads the elements of a window like {@linkcode readElements}. A new window without elements or places is
 * read again: its program may not have joined yet.
 */
export async function readIn(
  operator: Operator,
  listed: WindowInfo,
  hidden: boolean,
  signal?: AbortSignal,
): Promise<WindowElements> {
  const own = elementsOf(operator);
  let window = listed, tree = await own.read(window, hidden, signal);
  while (isUnsettled(tree) && ageOf(operator, window) < YOUNG.ms) {
    await delay(YOUNG.every, { signal });
    const [now] = matchingWindows(await listWindows(operator), { id: window.id });
    if (!now) break;
    tree = await own.read(window = now, hidden, signal);
  }
  const { elements, ...rest } = tree, refs = refsOf(operator), reading = new Reading(elements);
  const shown = withoutLayout(elements.map((element) => withoutSecret(element, refs))).map((
    element,
  ): ListedElement => ({
    ref: refs.of(namedOf(element, window), reading),
    ...element,
  }));
  return { ...rest, window, elements: shown };
}

/** Maximum time for a busy program to list all elements, and the polling interval, in milliseconds. */
const BUSY = { ms: 4000, every: 250 };

/**
 * Reads the elements of a window, including hidden ones, to conclude what is missing: reads again while the
 * program answers only partially.
 * @param signal Aborts the wait for the program with its reason.
 * @returns With `isLate` if the program did not answer for four seconds.
 */
export async function readAll(
  operator: Operator,
  listed: WindowInfo,
  signal: AbortSignal,
): Promise<WindowElements> {
  for (const end = performance.now() + BUSY.ms;;) {
    const read = await readIn(operator, listed, true, signal);
    if (!read.isLate || performance.now() >= end) return read;
    await delay(BUSY.every, { signal });
  }
}

/** The error about a program that reports too little to conclude that something is missing. */
export function notAnswering({ title }: WindowInfo): StateError {
  return new StateError(`the program of ${JSON.stringify(title)} does not answer`);
}

function isUnsettled({ silent, places }: ElementTree): boolean {
  return silent !== undefined || places === "none";
}

/** An element without its text if it is a password, even while the program shows its letters. */
function withoutSecret(element: ElementInfo, refs: Refs): ElementInfo {
  if (element.role !== PASSWORD && !refs.wasPassword(element.key)) return element;
  const { value: _, ...rest } = element;
  return { ...rest, role: PASSWORD };
}

/** Reads the spreadsheet cell that a query names, however the sheet is scrolled. */
export async function cellNamed(
  operator: Operator,
  window: WindowInfo,
  { role = "cell", name }: { role?: string; name?: string },
  signal: AbortSignal,
): Promise<ListedElement | undefined> {
  if (role.toLowerCase() !== "cell" || name === undefined) return undefined;
  const cell = await elementsOf(operator).named?.(window, name, signal);
  return cell && { ref: refsOf(operator).of(namedOf(cell, window)), ...cell };
}

function namedOf({ key, role, name, place }: ElementInfo, { id, title, x, y }: WindowInfo): Named {
  const inWindow = place && { ...place, x: place.x - x, y: place.y - y };
  return {
    ...{ key, windowId: id, windowTitle: title, role, name, seenAt: performance.now() },
    ...(inWindow ? { place: inWindow } : {}),
  };
}

/** The element of a ref, as last listed. */
export function lastListed(operator: Operator, ref: string): Named {
  return refsOf(operator).get(ref);
}

/**
 * How long a program may take to show a change, in milliseconds: one second, up to four on a busy machine.
 */
export const effectMs = (): number => timeByLoad(1000);

/**
 * Reads the element of a ref again.
 * @param signal As in `Elements.reread`.
 * @param atHand As in {@linkcode listWindows}.
 * @throws NotFoundError naming the element if it or its window no longer exists.
 */
export async function rereadElement(
  operator: Operator,
  ref: string,
  signal?: AbortSignal,
  atHand?: readonly WindowInfo[],
): Promise<{ window: WindowInfo; element: ListedElement; windows: readonly WindowInfo[] }> {
  const refs = refsOf(operator), named = refs.get(ref), { key, windowId, windowTitle, role, name } = named;
  const windows = await listWindows(operator, atHand), window = windows.find(({ id }) => id === windowId);
  const reread = window && await elementsOf(operator).reread(window, key, signal);
  const element = reread && withoutSecret(reread, refs);
  if (window && element && element.role === role) {
    return { window, element: { ref, ...element, name: element.name || name }, windows };
  }
  const was = `${role} ${JSON.stringify(name)} in ${JSON.stringify(windowTitle)}`;
  throw new NotFoundError(`${ref} is gone; it was ${was}`);
}

/**
 * Checks that a window shows elements.
 * @throws StateError with the reason if it shows none.
 */
export function checkNotSilent({ window, elements, silent }: WindowElements): void {
  if (!silent || elements.length > 1) return;
  throw new StateError(`${JSON.stringify(window.title)} shows no elements: ${silent}`);
}

// Element lists by serial, and the changes between lists.

/** Maximum number of remembered lists and of their elements; the oldest lists are forgotten. */
const LIMITS = { lists: 8, elements: 40_000 };

/** A list of all elements of a window, or of the changes since an earlier list. */
interface SerialElements extends WindowElements {
  serial: number;
  /** Elements that disappeared; only in lists of changes. */
  removed?: ListedElement[];
}

interface Remembered {
  serial: number;
  hidden: boolean;
  read: WindowElements;
}

/** The lists of one desktop, newest last. */
class Lists {
  readonly #lists: Remembered[] = [];
  #last = 0;

  get(serial: number | undefined, windowId: string, hidden: boolean): Remembered | undefined {
    return this.#lists.find((list) =>
      list.serial === serial && list.read.window.id === windowId && list.hidden === hidden
    );
  }

  /**
   * Remembers a list. A list equal to the newest one of its window keeps that one's serial; any other gets a
   * new serial.
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
 * Reads the elements of a window, or the changes since an earlier list. The window is not read if the desktop
 * knows that it is unchanged.
 * @param signal As {@linkcode readElements} takes it.
 * @param since The serial of the earlier list; if left out or forgotten, all elements are listed.
 * @throws The errors of {@linkcode readElements}.
 */
export async function readSince(
  operator: Operator,
  query: WindowQuery,
  hidden: boolean,
  signal: AbortSignal,
  since?: number,
): Promise<SerialElements> {
  const lists = LISTS.get(operator) ?? new Lists();
  LISTS.set(operator, lists);
  if (since === undefined) {
    const { read, serial } = lists.add(await readElements(operator, query, hidden, signal), hidden);
    return { ...read, serial };
  }
  const window = windowOrActive(await listWindows(operator), query), newest = lists.newest(window.id, hidden);
  const isRead = !newest || !isSamePlace(newest.read, window) ||
    !await operator.desktop.elements?.isSame?.(window);
  const { read, serial } = isRead
    ? lists.add(await readIn(operator, window, hidden, signal), hidden)
    : newest;
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

/** Joins all listed values of an element into one text. */
function looksOf({ ref, role, name, value, formula, states, depth, place }: ListedElement): string {
  return JSON.stringify([ref, role, name, value, formula, states, depth, place]);
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
