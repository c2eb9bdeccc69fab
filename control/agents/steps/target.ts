/**
 * Targets of steps as a model writes them (a ref, a name, text on the screen, or a place), and the search for
 * them. Also menus, whose entries are chosen one after the other, and the conditions that a step waits for,
 * expects or tests.
 */

import {
  attempt,
  ExpectedError,
  InputError,
  NotFoundError,
  OverdueError,
  StateError,
} from "../../../core/errors.ts";
import { isJsonObject } from "../../../core/json.ts";
import { describeValue } from "../../../core/printable.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { ELEMENT_NAME, elementIn } from "../../actions/element_fields.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { contains, intersection, isShown, type Point, type WindowInfo } from "../../desktop/desktop.ts";
import { pointOn } from "../../elements/click.ts";
import { fieldMeant, isLabel } from "../../elements/labels.ts";
import { type ListedElement, readElements } from "../../elements/list.ts";
import {
  chosenElement,
  describeElementQuery,
  type ElementTarget,
  findElement,
  type Found,
  inContainer,
  matchingElements,
} from "../../elements/query.ts";
import { findParted } from "../../elements/parted.ts";
import { isSheetCell, within } from "../../elements/table.ts";
import type { Operator } from "../../operator/operator.ts";
import { desktopPlace, fit } from "../../view/view.ts";
import { activeOf, listWindows, matchingWindows, quotedTitle, titledWindow } from "../../windows/list.ts";
import { LONGEST_OWN_MS, type ToolContext } from "../tool.ts";
import { key } from "../tools/keyboard.ts";
import { click } from "../tools/pointer.ts";
import { wait } from "../tools/screen.ts";
import type { Play } from "./step.ts";

/** A target before the search. */
type Target =
  | { at: "element"; query: ElementTarget; words: string }
  | { at: "mark"; mark: string }
  | { at: "text"; text: string }
  /** A place in the picture, or in a window's picture. */
  | { at: "place"; point: Point; window?: string };

const FORMS = `"e12", "Save", 'button "Save" in "Ask"', "text:Save", [x,y] or [x,y,"window"]`;

/**
 * Parses a target.
 * @param name The field's name, for the message.
 * @throws InputError listing the forms of a target.
 * @example
 * targetOf("Save", "click"); // { at: "element", query: { name: "Save", window: {} }, words: "Save" }
 * targetOf([10, "20"], "click"); // { at: "place", point: { x: 10, y: 20 } }
 */
export function targetOf(value: unknown, name: string): Target {
  if (typeof value === "string" && value.trim()) return targetInWords(value.trim(), name);
  const place = placeIn(value);
  if (place) return place;
  if (isJsonObject(value)) {
    if (typeof value.text === "string") return { at: "text", text: value.text };
    return { at: "element", query: ELEMENT_NAME.parse(value, name), words: JSON.stringify(value) };
  }
  throw new InputError(`${name} must be a target such as ${FORMS}, not ${describeValue(value)}`);
}

/** A place as `[x, y]`, `[x, y, "window"]` or `{x, y}`; numbers may be fractions or texts. */
function placeIn(value: unknown): Target | undefined {
  const [x, y, window, ...more] = Array.isArray(value)
    ? value
    : isJsonObject(value)
    ? [value.x, value.y]
    : [];
  if (more.length || ![x, y].every(isNumber)) return undefined;
  const point = { x: Math.round(Number(x)), y: Math.round(Number(y)) };
  if (window === undefined) return { at: "place", point };
  return typeof window === "string" ? { at: "place", point, window } : undefined;
}

const isNumber = (value: unknown) =>
  (typeof value === "number" || typeof value === "string" && value.trim() !== "") &&
  Number.isFinite(Number(value));

function targetInWords(words: string, name: string): Target {
  const numbers = /^\[?\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)\s*\]?$/.exec(words);
  if (numbers) return placeIn(numbers.slice(1))!;
  if (/^m[1-9]\d*$/.test(words)) return { at: "mark", mark: words };
  const text = /^text:\s*(.+)$/s.exec(words)?.[1];
  if (text) return { at: "text", text: text.replace(/^"(.*)"$/s, "$1") };
  if (words.startsWith("{") || words.startsWith("[")) return targetOf(attempt(() => JSON.parse(words)), name);
  const isPlain = !/^e[1-9]\d*$/.test(words) && !words.includes('"');
  const query = isPlain ? { name: words, window: {} } : elementIn(words, name);
  return { at: "element", query, words };
}

// The search: an element that a step names may not have appeared yet.

/**
 * Maximum wait for an element or a window that a step names, in milliseconds: nothing precedes the first
 * step.
 */
export const COMES_MS = { first: 1000, later: 5000 } as const;
/** Time after which the search includes elements that their window does not show, in milliseconds. */
const HIDDEN_AFTER_MS = 500;
/**
 * Maximum wait for the elements of a new window, which appear after the window, in milliseconds; longer on a
 * busy machine.
 */
const SILENT_MS = 1500;
/** Polling interval, in milliseconds. */
const INTERVAL_MS = 150;

/** A found target, in the form that the tools accept. */
export type FoundTarget =
  | { element: string; found: ListedElement; window: WindowInfo }
  | { text: string }
  /** A place on the desktop; `isChosen` if it was chosen in a picture rather than found now. */
  | { point: Point; isChosen?: boolean };

interface Search {
  context: ToolContext;
  /** Maximum wait, in milliseconds. */
  mostMs: number;
  /** Whether a label stands for its field. */
  isField?: boolean;
}

/**
 * Waits for a target and returns it.
 * @throws NotFoundError if it does not appear in time; StateError if several elements match.
 */
export async function findTarget(target: Target, search: Search): Promise<FoundTarget> {
  const { context } = search;
  if (target.at === "text") return { text: target.text };
  if (target.at === "place") {
    return { point: await placeOn(target, context), isChosen: target.window === undefined };
  }
  if (target.at === "mark") return await markedTarget(target.mark, search);
  const silentMs = timeByLoad(SILENT_MS);
  for (const start = performance.now();;) {
    const ms = performance.now() - start, isLast = ms >= search.mostMs;
    try {
      const found = await elementNow(target.query, search, isLast || ms >= HIDDEN_AFTER_MS);
      if (found) return found;
    } catch (error) {
      const isComing = error instanceof NotFoundError || isSilent(error, LATE) && ms < silentMs;
      if (isLast || !isComing) return await asText(target, error, search);
    }
    await context.pause(INTERVAL_MS);
  }
}

/**
 * Messages for a window without elements, and for one whose program shows elements elsewhere, so that this
 * window's may be late.
 */
const SILENT = /shows no elements/, LATE = /shows no elements: (none of its|its) program/;

function isSilent(error: unknown, kind = SILENT): boolean {
  return error instanceof StateError && kind.test(error.message);
}

async function markedTarget(mark: string, search: Search): Promise<FoundTarget> {
  const marked = search.context.marks.get(mark);
  if (!marked) throw new NotFoundError(`there is no mark ${mark}: see {"what":"marks"} draws marks`);
  if ("point" in marked) return { ...marked, isChosen: true };
  return await findTarget({ at: "element", query: { element: marked.ref, window: {} }, words: mark }, search);
}

/**
 * The text with a plain name that no element has, if the active window shows it exactly once: icons, canvases
 * and programs without elements.
 * @throws The given error if the text is not there.
 */
async function asText(
  { query, words }: Target & { at: "element" },
  error: unknown,
  search: Search,
): Promise<FoundTarget> {
  const isPlain = query.role === undefined && query.element === undefined && query.name === words;
  if (!isPlain || !(error instanceof NotFoundError || isSilent(error))) throw error;
  const { context } = search, { operator, view } = context;
  const active = activeOf(await listWindows(operator));
  const area = active?.width ? intersection(active, view.area) : undefined;
  const { matches: [match, other] } = await context.run(ACTIONS.findText, {
    text: words,
    limit: 2,
    source: "screen",
    ...(area ?? view.area),
  });
  if (!match || other && other.match >= match.match) throw error;
  return { point: match.center };
}

/**
 * Searches for an element once.
 * @param isThorough Includes elements that the window does not show, and throws if the element is missing.
 */
async function elementNow(
  query: ElementTarget,
  { context: { operator, windows, signal }, isField = false }: Search,
  isThorough: boolean,
): Promise<FoundTarget | undefined> {
  const { window: where, ...words } = query, { title } = where, listed = await windows.ifListed();
  const container = title !== undefined && !matchingWindows(listed ?? [], where).length ? title : undefined;
  const read = query.element === undefined
    ? await readElements(operator, container === undefined ? where : {}, false, signal, listed)
    : undefined;
  const elements = read &&
    (container === undefined ? read.elements : inContainer(read.elements, container, words));
  let element = elements && chosenElement(elements, words), window = read?.window;
  const isNamed = query.element === undefined && query.role === undefined;
  const meant = (element: ListedElement) =>
    isField && read ? fieldMeant(element, read.elements, isNamed) ?? element : element;
  element &&= meant(element);
  const isNone = !element || element.role === "panel" || isLabel(element);
  const isCell = isSheetCell({ role: query.role ?? "cell", name: query.name ?? "" }); // empty ones are not listed
  if (isField && container === undefined && isNone && !isCell) {
    const parted = await findParted(operator, query, signal);
    if (parted) return { element: parted.element.ref, found: parted.element, window: parted.window };
  }
  if (!element && (isThorough || isCell || query.element !== undefined)) {
    ({ element, window } = container === undefined
      ? await findElement(operator, query, signal, listed)
      : await elementInside(container, words, operator, signal));
  }
  if (!element || !window) return undefined;
  const found = meant(element);
  return { element: found.ref, found, window };
}

/**
 * Searches for an element in a container, including parts that are scrolled out of view.
 * @throws NotFoundError if there is none; StateError if several match.
 */
async function elementInside(
  container: string,
  words: Omit<ElementTarget, "window">,
  operator: Operator,
  signal: AbortSignal,
): Promise<Found> {
  const { elements, window } = await readElements(operator, {}, true, signal);
  const inside = inContainer(elements, container, words), element = chosenElement(inside, words);
  if (element) return { element, window };
  const what = describeElementQuery(words), where = JSON.stringify(container);
  if (inside.length) throw new StateError(`several elements match ${what} next to ${where}`);
  throw new NotFoundError(`no window is titled ${where}, and there is no ${what} next to that text`);
}

/**
 * The desktop place that a place in the picture, or in a window's picture, stands for.
 * @throws NotFoundError if the window is not on the screen; StateError if another one covers the place.
 */
async function placeOn({ point, window }: Target & { at: "place" }, context: ToolContext): Promise<Point> {
  if (window === undefined) return context.place(point);
  const { operator, view, setting } = context;
  const windows = await listWindows(operator, await context.windows.ifListed());
  const shown = titledWindow(windows, window);
  const area = shown.width ? intersection(shown, view.area) : undefined;
  if (!area) throw new NotFoundError(`${JSON.stringify(shown.title)} is not on the screen`);
  const place = desktopPlace({ ...fit(area, setting), area }, point);
  const front = windows.find((other) => isShown(other) && other.width > 0 && contains(other, place));
  if (front && front.id !== shown.id) {
    throw new StateError(
      `${quotedTitle(front)} covers this position of ${quotedTitle(shown)}: bring ${
        quotedTitle(shown)
      } to the front first`,
    );
  }
  return place;
}

/**
 * The desktop place where the pointer acts on a target.
 * @param isMove Whether the pointer only moves there.
 * @throws The errors of the search; StateError if it is not on the screen.
 */
export async function pointOf(
  found: FoundTarget,
  context: ToolContext,
  isMove = false,
): Promise<Point> {
  if ("point" in found) return found.point;
  if ("element" in found) {
    const { operator, signal } = context;
    return await pointOn(operator, { element: found.element, window: {} }, { signal, isMove });
  }
  const { matches: [match], nearest } = await context.run(ACTIONS.findText, {
    text: found.text,
    ...context.view.area,
  });
  if (match) return match.center;
  const near = nearest?.length ? `; nearest: ${JSON.stringify(nearest[0].text)}` : "";
  throw new NotFoundError(`no text like ${JSON.stringify(found.text)} is on the screen${near}`);
}

/** Roles of menus and their entries. */
const ROLES = /^(menu|menuitem|menuitemcheckbox|menuitemradio|menubutton|tearoff menu item)$/;
/** Polling interval, in milliseconds. */
const MENU_INTERVAL_MS = 100;
/** Maximum number of names in a message. */
const MOST_LISTED = 20;

/** Opens each menu, and clicks the last entry. If an entry is missing, the opened menus are closed again. */
export async function* chooseMenu(names: readonly string[], context: ToolContext): Play {
  const before = new Set((await menuEntries(context)).entries.map(({ ref }) => ref));
  let menu: Opened | undefined;
  for (const [opened, name] of names.entries()) {
    const found = await menuEntry(name, menu, context).catch((error) => error);
    if (!(found instanceof Error)) {
      menu = { ref: found.entry.ref, before: found.shown };
      yield { tool: click, values: { element: menu.ref } };
      continue;
    }
    for (let open = opened; open > 0 && found instanceof NotFoundError; open--) {
      if (!(await menuEntries(context)).entries.some(({ ref }) => !before.has(ref))) break;
      yield { tool: key, values: { keys: "Escape" }, mayMiss: true };
    }
    throw found;
  }
  return undefined;
}

/** A menu that was clicked, and the refs of the entries that were shown before. */
interface Opened {
  ref: string;
  before: ReadonlySet<string>;
}

/** The entries of the active window's menu bar and open menus. */
async function menuEntries({ operator, signal }: ToolContext) {
  const { elements, window } = await readElements(operator, {}, false, signal);
  const entries = elements.filter(({ role, place, states }) =>
    ROLES.test(role) && place !== undefined && !states.includes("hidden")
  );
  return { elements, entries, window };
}

/**
 * Finds an entry of a menu that was clicked, once it is open, or else of the menu bar or any open menu.
 * @returns The entry, and the refs of all entries that are shown.
 */
async function menuEntry(
  name: string,
  menu: Opened | undefined,
  context: ToolContext,
): Promise<{ entry: ListedElement; shown: ReadonlySet<string> }> {
  for (const start = performance.now();;) {
    const { elements, entries, window } = await menuEntries(context);
    const inside = new Set(menu && within(elements, menu.ref));
    const own = entries.filter((entry) => !menu || inside.has(entry) || !menu.before.has(entry.ref));
    const entry = chosenElement(own, { name }) ??
      matchingElements(own, { name, exact: true }).at(-1); // an open submenu follows its menu
    if (entry) return { entry, shown: new Set(entries.map(({ ref }) => ref)) };
    if (performance.now() - start > COMES_MS.later) {
      const others = own.map(({ name }) => name).filter((name) => name).slice(0, MOST_LISTED);
      throw new NotFoundError(
        `no menu in ${JSON.stringify(window.title)} has an entry ${JSON.stringify(name)}; available: ${
          others.map((name) => JSON.stringify(name)).join(", ") || "no entries"
        }`,
      );
    }
    await context.pause(MENU_INTERVAL_MS);
  }
}

/** Kinds of conditions. */
const KINDS = ["element", "text", "window", "ms", "still", "picture"];
/** Maximum wait of a step without a time, in milliseconds. */
const USUAL_MS = 10_000;

/** Converts a condition to fields of the `wait` tool. */
function waited(value: unknown, gone: boolean): Record<string, unknown> {
  if (typeof value === "number") return { ms: value };
  if (typeof value === "string" && /^\d+$/.test(value)) return { ms: Number(value) };
  if (typeof value === "string") return elementOr(value, gone);
  if (!isJsonObject(value)) {
    throw new InputError(
      `wait takes {${KINDS.join("|")}: …}, a name or milliseconds, not ${describeValue(value)}`,
    );
  }
  const { gone: own = gone, timeout_ms: _, ...rest } = value, isGone = own === true || own === "true";
  const [kind] = Object.keys(rest), given = rest[kind];
  if (!KINDS.includes(kind) || Object.keys(rest).length !== 1) {
    throw new InputError(
      `wait takes one of ${KINDS.join(", ")}, not ${describeValue(Object.keys(rest).join(", "))}`,
    );
  }
  if (kind === "ms") return { ms: Number(given) };
  if (kind === "still") return { still: { ms: Number(isJsonObject(given) ? given.ms : given) || 500 } };
  if (kind === "element" && typeof given === "string") return elementOr(given, isGone);
  const named = isJsonObject(given) ? given : { [kind === "window" ? "title" : "text"]: given };
  return { [kind]: { ...named, ...(isGone ? { gone: true } : {}) } };
}

/** An element, or text on the screen, from the words of a target. */
function elementOr(words: string, gone: boolean): Record<string, unknown> {
  const target = targetOf(words, "wait"), isGone = gone ? { gone } : {};
  if (target.at === "text") return { text: { text: target.text, ...isGone } };
  if (target.at !== "element") {
    throw new InputError(`wait takes an element, a text, a window or a time, not ${words}`);
  }
  const { element, window, ...query } = target.query;
  return {
    element: { ...(element ? { ref: element } : query), ...(window.title ? { window } : {}), ...isGone },
  };
}

/** Waits until a condition is met. */
export async function* waitFor(value: unknown, more: Record<string, unknown>, context: ToolContext): Play {
  const { gone = false, timeout_ms = USUAL_MS } = more;
  const fields = waited(value, gone === true || gone === "true");
  const asked = isJsonObject(value) ? value.timeout_ms ?? timeout_ms : timeout_ms; // models put it in either place
  const limit = Math.min(Number(asked) || USUAL_MS, LONGEST_OWN_MS);
  const values = "ms" in fields ? fields : { ...fields, timeout_ms: limit };
  yield { tool: wait, values, run: () => context.call(wait, values) };
  return undefined;
}

/** Whether a condition holds now. */
export async function isMet(value: unknown, gone: boolean, context: ToolContext): Promise<boolean> {
  const fields = waited(value, gone);
  if ("ms" in fields) throw new InputError("if takes an element, a text or a window");
  try {
    await context.call(wait, { ...fields, timeout_ms: 1 });
    return true;
  } catch (error) {
    context.signal.throwIfAborted();
    const isAnswer = !(error instanceof InputError || error instanceof OverdueError);
    if (error instanceof ExpectedError && isAnswer) return false;
    throw error;
  }
}
