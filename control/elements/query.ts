/** Selects elements by role and name. */

import { abortable } from "@std/async/abortable";
import { delay } from "@std/async/delay";
import { levenshteinDistance } from "@std/text/levenshtein-distance";
import { InputError, NotFoundError, StateError, TimeLimitError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { printableJson } from "../../core/printable.ts";
import { type Button, contains, type WindowInfo } from "../desktop/desktop.ts";
import { middleOf, type RecordedElement } from "../desktop/input.ts";
import type { Operator } from "../operator/operator.ts";
import { DialogError, dialogOver, dialogText, type WindowQuery } from "../windows/list.ts";
import { fieldsOf } from "./labels.ts";
import {
  cellNamed,
  checkNotSilent,
  elementsOf,
  type ListedElement,
  notAnswering,
  readAll,
  readElements,
  rereadElement,
} from "./list.ts";
import { parentsOf, subtree } from "./table.ts";

// Elements in words, for messages.

/**
 * A query in words.
 * @example
 * describeElementQuery({ role: "button", name: "Save" }); // 'button "Save"'
 */
export function describeElementQuery({ role, name }: { role?: string; name?: string }): string {
  return `${role ?? "element"}${name === undefined ? "" : ` ${quoted(name)}`}`;
}

/**
 * A recorded element in words.
 * @example
 * describeRecorded({ role: "button", name: "OK", nth: 2, title: "Ask" }); // 'button "OK" 2 in "Ask"'
 */
export function describeRecorded(
  { role, name, nth, title }: Pick<RecordedElement, "role" | "name" | "nth" | "title">,
): string {
  return `${describeElementQuery({ role, name })}${nth === undefined ? "" : ` ${nth}`} in ${quoted(title)}`;
}

function quoted(text: string): string {
  return printableJson(JSON.stringify(text));
}

export interface ElementQuery {
  /** A role, case-insensitive. */
  role?: string;
  /** A part of the name, case-insensitive. */
  name?: string;
  /** Requires the whole name instead of a part. */
  exact?: boolean;
  /** Index of the element among the matches, from 1. */
  nth?: number;
}

/** Maximum number of elements and of roles in an error. */
const NEAR = 5, ROLES = 12;
/** Number of characters of a name that are compared for similarity. */
const COMPARED = 80;

/**
 * The elements that match a query, in tree order. If none has the name, it may be the name of a field's
 * label.
 */
export function matchingElements(
  elements: readonly ListedElement[],
  query: ElementQuery,
): ListedElement[] {
  const found = namedElements(elements, query), { role, name } = query;
  if (found.length || role === undefined || name === undefined) return found;
  const labelled = (name: string, exact: boolean) =>
    fieldsOf(namedElements(elements, { name, exact }), elements);
  const whole = [...labelled(name, true), ...labelled(`${name}:`, true)];
  const fields = whole.length || query.exact ? whole : labelled(name, false);
  return namedElements(fields, { role });
}

function namedElements(
  elements: readonly ListedElement[],
  { role, name, exact = false }: ElementQuery,
): ListedElement[] {
  const wantedRole = role?.toLowerCase(), wanted = name === undefined ? undefined : comparable(name);
  return elements.filter((element) => {
    const own = comparable(element.name);
    return (wantedRole === undefined || element.role === wantedRole) &&
      (wanted === undefined || (exact ? own === wanted : own.includes(wanted)));
  });
}

/** A name in comparable form: programs write three dots in two ways, and use non-breaking spaces. */
function comparable(name: string): string {
  return name.toLowerCase().replaceAll("…", "...").replaceAll("\u00a0", " ");
}

/** Roles of texts and pictures: a control with the same name takes precedence. */
export const TEXTS: ReadonlySet<string> = new Set(
  "label,static,text,img,icon,paragraph,heading,status,statusbar".split(","),
);

/** Roles of elements that contain controls: a control with the name of the window around it takes precedence. */
const CONTAINERS: ReadonlySet<string> = new Set(
  "alert,article,dialog,document,form,frame,group,landmark,page,panel,root pane,section,toolbar,window".split(
    ",",
  ),
);

/**
 * Roles of elements on which a press targets a place, such as in a game's canvas, rather than the element.
 */
const AREAS: ReadonlySet<string> = new Set(
  ("animation,application,article,calendar,canvas,chart,color chooser,desktop frame,dialog,document,drawing area,embedded,extended,filler,form," +
    "frame,glass pane,group,html container,image map,internal frame,landmark,layered pane,page,panel,redundant,root,root pane," +
    "scroll pane,scrollbar,section,slider,split pane,terminal,unknown,video,viewport,window").split(","),
);

/** Whether a press on an element targets a place in it rather than the element. */
export function isArea({ role }: { role: string }): boolean {
  return AREAS.has(role);
}

/**
 * The only element that a query means. Whole names take precedence over parts, shown elements over hidden
 * ones, and controls over texts and over what contains them.
 * @returns undefined if none matches, or several do.
 */
export function chosenElement(
  elements: readonly ListedElement[],
  query: ElementQuery,
): ListedElement | undefined {
  const found = matchingElements(elements, query), { nth } = query;
  if (nth !== undefined) return numbered(elements, query)[nth - 1];
  const [element, ...others] = narrowed(found, query);
  return others.length ? undefined : element;
}

/**
 * The elements that match a query, in numbering order: those that an error lists come first, so that items of
 * closed menus are not numbered before what is on the screen.
 */
export function numbered(elements: readonly ListedElement[], query: ElementQuery): readonly ListedElement[] {
  const found = matchingElements(elements, query);
  return [...new Set([...narrowed(found, query), ...found])];
}

function narrowed(found: readonly ListedElement[], query: ElementQuery): readonly ListedElement[] {
  const narrower = (from: readonly ListedElement[], fits: (element: ListedElement) => boolean) => {
    const some = from.filter(fits);
    return some.length ? some : from;
  };
  const exact = query.name === undefined ? [] : matchingElements(found, { ...query, exact: true });
  const whole = exact.length ? exact : found;
  const shown = narrower(whole, ({ place, states }) => place !== undefined && !states.includes("hidden"));
  const controls = narrower(shown, ({ role }) => !TEXTS.has(role) && !CONTAINERS.has(role));
  const outer = controls.filter((one, i) => i === 0 || !isPartOf(one, controls[i - 1]));
  return narrower(outer, ({ role }) => !TEXTS.has(role));
}

/** Whether an element is the inner part of one with the same role and name, such as of a GTK 4 menu button. */
function isPartOf(inner: ListedElement, outer: ListedElement): boolean {
  return inner.depth > outer.depth && inner.role === outer.role && inner.name === outer.name &&
    inner.name !== "" && inner.place !== undefined && outer.place !== undefined &&
    contains(outer.place, middleOf(inner.place)) && contains(inner.place, middleOf(outer.place));
}

/**
 * Selects the only element that matches a query. If several names contain the word, a name equal to it wins.
 * @param where The window, for messages.
 * @throws NotFoundError with the nearest elements if none matches; StateError with all matches if several do.
 */
function oneElement(
  elements: readonly ListedElement[],
  query: ElementQuery,
  where: string,
): ListedElement {
  if (query.role === undefined && query.name === undefined) {
    throw new InputError("Missing element, role or name");
  }
  const found = matchingElements(elements, query), { nth } = query;
  const what = describeElementQuery(query), chosen = chosenElement(elements, query);
  if (chosen) return chosen;
  if (nth !== undefined && found.length) {
    throw new NotFoundError(`only ${found.length} elements match ${what} in ${where}, but nth is ${nth}`);
  }
  if (!found.length) throw new NotFoundError(`there is no ${what} in ${where}${near(elements, query)}`);
  const fitting = narrowed(found, query);
  throw new StateError(
    `${fitting.length} elements match ${what}: ${listed(fitting)}; specify element or nth`,
  );
}

/**
 * Lists alternatives to a missing element for an error: the elements with the most similar names; otherwise
 * those of the wanted role, or the first named ones. Adds the window's roles if the wanted role is not among
 * them.
 * @returns The end of a sentence, such as `; near: button "Save" (e2)`; empty if the window has no elements.
 */
export function near(elements: readonly ListedElement[], { role, name }: ElementQuery): string {
  const named = elements.filter(({ name }) => name !== "");
  const ofRole = elements.filter((element) => element.role === role?.toLowerCase());
  const close = name === undefined ? [] : nearestNames([...new Set([...named, ...ofRole])], name, ofRole);
  const there = role === undefined ? named : ofRole;
  const shown = close.length ? `; near: ${listed(close)}` : there.length ? `; there: ${listed(there)}` : "";
  if (role === undefined || ofRole.length || !elements.length) return shown;
  const roles = [...new Set(elements.map(({ role }) => role))], more = roles.length - ROLES;
  return `${shown}; roles there: ${roles.slice(0, ROLES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/**
 * The elements with the most similar names, best first; an element of another role counts as less similar.
 */
function nearestNames(
  elements: readonly ListedElement[],
  name: string,
  ofRole: readonly ListedElement[],
): ListedElement[] {
  const wanted = name.toLowerCase().slice(0, COMPARED);
  const distanceTo = (element: ListedElement) =>
    levenshteinDistance(element.name.toLowerCase().slice(0, COMPARED), wanted) +
    (ofRole.length && !ofRole.includes(element) ? 3 : 0);
  return elements.map((element) => ({ element, distance: distanceTo(element) }))
    .filter(({ distance }) => distance <= Math.max(3, wanted.length))
    .sort((a, b) => a.distance - b.distance).slice(0, NEAR).map(({ element }) => element);
}

function listed(elements: readonly ListedElement[]): string {
  const more = elements.length > NEAR ? ` and ${elements.length - NEAR} more` : "";
  return elements.slice(0, NEAR).map(({ ref, role, name }) => `${role} ${JSON.stringify(name)} (${ref})`)
    .join(", ") +
    more;
}

// Elements by a nearby text.

/**
 * The elements of the smallest container that has both a text and an element matching a query.
 * @param elements The elements of a window, in tree order.
 * @param text A part of the name or value of an element in the container.
 * @returns Those of all smallest containers if several elements have the text; none if no container has both.
 * If several match in a container, those on the text's line.
 * @example
 * const row = { ref: "e1", key: "", role: "row", name: "", states: [], depth: 0 };
 * const id = { ...row, ref: "e2", role: "cell", name: "#4523", depth: 1 };
 * const button = { ...row, ref: "e3", role: "button", name: "Reject", depth: 1 };
 * inContainer([row, id, button], "#4523", { name: "Reject" }).length; // 3
 */
export function inContainer(
  elements: readonly ListedElement[],
  text: string,
  query: { role?: string; name?: string },
): ListedElement[] {
  const wanted = text.toLowerCase();
  const has = ({ name, value = "" }: ListedElement) =>
    name.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted);
  const parents = parentsOf(elements), containers = new Map<number, ReturnType<typeof containerAt>>();
  const containerAt = (at: number) => {
    const part = subtree(elements, at);
    return { part, fitting: matchingElements(part, query) };
  };
  let found = new Set<ListedElement>(), whole = new Set<number>(), nearest = Infinity;
  elements.forEach((element, i) => {
    if (!has(element)) return;
    for (let at = i, levels = 0; at >= 0 && levels <= nearest; at = parents[at], levels++) {
      const known = containers.get(at), { part, fitting } = known ?? containerAt(at);
      if (!known) containers.set(at, { part, fitting });
      if (!fitting.length) continue;
      if (levels < nearest) [found, whole, nearest] = [new Set(), new Set(), levels];
      const line = inLine(element, fitting);
      if (line || !whole.has(at)) (line ?? part).forEach((element) => found.add(element));
      if (!line) whole.add(at);
      return;
    }
  });
  return [...found];
}

/** The elements on the line of a text, out of several: not every page shows its rows as elements. */
function inLine({ place }: ListedElement, elements: ListedElement[]): ListedElement[] | undefined {
  if (elements.length < 2 || !place?.height) return undefined;
  const middle = place.y + place.height / 2;
  const found = elements.filter(({ place }) => place && place.y <= middle && middle < place.y + place.height);
  return found.length ? found : undefined;
}

// Finds the one element that a caller means.

/** An element by its ref, or by role and name in a window. */
export interface ElementTarget extends ElementQuery {
  element?: string;
  window: WindowQuery;
}

/** A found element and its window. */
export interface Found {
  window: WindowInfo;
  element: ListedElement;
  /** The desktop's windows when it was found, as `listWindows` takes them. */
  windows?: readonly WindowInfo[] | undefined;
  /** Whether the window was read to find it. */
  isRead?: boolean;
}

export interface ElementClick {
  button: Button;
  count: number;
  /** Canonical keys held during the click. */
  hold?: readonly string[];
  /** Whether only a real click will do: the element's program must not press it. */
  isByPointer?: boolean;
  /** Whether only the program may act: without the pointer, the keyboard focus or the front window. */
  isInBackground?: boolean;
  /** The desktop's windows just before the click, as `listWindows` takes them. */
  windows?: readonly WindowInfo[] | undefined;
  signal: AbortSignal;
}

/**
 * Finds an element.
 * @param signal Aborts the wait for a busy program with its reason.
 * @param atHand As in `listWindows`.
 * @throws NotFoundError with the nearest elements if none matches; StateError if several match, or the window
 * shows no elements.
 */
export async function findElement(
  operator: Operator,
  { element, window, ...query }: ElementTarget,
  signal: AbortSignal,
  atHand?: readonly WindowInfo[],
): Promise<Found> {
  if (element !== undefined) return await rereadElement(operator, element, signal, atHand);
  const read = await readElements(operator, window, false, signal, atHand),
    title = JSON.stringify(read.window.title),
    there = { window: read.window, windows: read.windows, isRead: true };
  checkNotSilent(read);
  if (isNamed(query) && !matchingElements(read.elements, query).length) {
    const cell = await cellNamed(operator, read.window, query, signal);
    if (cell) return { ...there, element: cell };
    const all = await readAll(operator, read.window, signal); // a part scrolled out of view, or a long list
    checkNotSilent(all); // it may have become busy
    if (matchingElements(all.elements, query).length) {
      return { ...there, window: all.window, element: oneElement(all.elements, query, title) };
    }
    if (all.isLate) throw notAnswering(all.window);
    if (!all.isWhole) {
      const count = all.elements.length, what = describeElementQuery(query);
      throw new NotFoundError(
        `there is no ${what} among the first ${count} elements of ${title}, which has more`,
      );
    }
  }
  return { ...there, element: oneElement(read.elements, query, title) };
}

/**
 * How long a program may take to handle the keys before a change, normally and on a busy machine, and to
 * answer if no keys were sent, in milliseconds.
 */
const KEYS_MS = 15_000, KEYS_MOST_MS = 40_000, ANSWER_MS = 2000;

/**
 * The state of an element once its program has handled all keys sent so far: a change over the accessibility
 * bus would overtake them.
 * @param signal Aborts the wait with its reason.
 * @throws TimeLimitError if the program is still handling them after the maximum wait; StateError if it does
 * not answer, though no keys were sent.
 */
export async function keyedFound(operator: Operator, found: Found, signal: AbortSignal): Promise<Found> {
  const { window } = found, { windows } = operator.desktop;
  const keysMs = timeByLoad(KEYS_MS, KEYS_MOST_MS), leftMs = operator.keysAt + keysMs - performance.now();
  const ms = Math.max(timeByLoad(ANSWER_MS), leftMs);
  const handling = windows?.hasHandled?.(window, ms).catch(() => undefined);
  const isHandled = handling && await abortable(handling, signal);
  if (isHandled !== false) await keysReturned(operator, found.element.key, signal);
  if (isHandled) return await rereadElement(operator, found.element.ref, signal);
  if (isHandled === undefined) return found;
  if (leftMs < 0) throw notAnswering(window);
  const title = JSON.stringify(window.title), s = Math.round(keysMs / 1000);
  throw new TimeLimitError(`the program of ${title} has not handled the keys before within ${s} s`);
}

/** How long Qt waits for a key to come back before it handles the key (100 ms), and a little more, in milliseconds. */
const RETURN_MS = 150;

/**
 * Waits until the last keys have come back to a program, as defined by `Elements.keysReturned`.
 * @param key The key of one of its elements.
 * @param signal Aborts the wait with its reason.
 */
export async function keysReturned(operator: Operator, key: string, signal?: AbortSignal): Promise<void> {
  if (performance.now() - operator.keysAt > timeByLoad(KEYS_MS, KEYS_MOST_MS)) return;
  const isKnown = await elementsOf(operator).keysReturned?.(key, signal);
  if (isKnown === false) await delay(RETURN_MS, { signal });
}

/**
 * Checks that an element accepts input.
 * @param isByProgram Whether only its program acts, which many do even in a window that waits for a dialog.
 * @throws StateError if it is disabled; the error of {@linkcode checkNoDialog}.
 */
export async function checkEnabled(operator: Operator, found: Found, isByProgram = false): Promise<void> {
  const isDisabled = found.element.states.includes("disabled");
  if (isDisabled || !isByProgram) await checkNoDialog(operator, found);
  if (isDisabled) throw new StateError(`${describeElement(found.element)} is disabled`);
}

/**
 * Waits until the dialog that an element is in accepts presses.
 * @throws DialogError if an element's window waits for a dialog, which the message names.
 */
export async function checkNoDialog(operator: Operator, { window, element, windows }: Found): Promise<void> {
  const dialog = await dialogOver(operator, window, windows, element.key);
  if (!dialog || dialog.isPopover && hasOpened(element)) return;
  if (dialog.ignoresMs !== undefined) return await delay(dialog.ignoresMs);
  throw new DialogError(
    `${describeElement(element)} is disabled: ${dialogText(dialog)} is in the way`,
  );
}

/** Roles of elements that open menus and popovers, and their states while these are shown. */
const OPENERS = new Set(["togglebutton", "menubutton", "combobox", "button"]);
const OPEN = ["checked", "expanded", "pressed"] as const;

/** Whether an element may have opened the menu or popover that is shown: a press on it closes that. */
export function hasOpened({ role, states }: ListedElement): boolean {
  return OPENERS.has(role) && OPEN.some((state) => states.includes(state));
}

const isNamed = ({ role, name }: ElementQuery) => role !== undefined || name !== undefined;

/** An element in words, with its ref. */
export function describeElement({ ref, ...query }: ListedElement): string {
  return `${describeElementQuery(query)} (${ref})`;
}
