/** The elements and marks that an agent was shown; later calls report their changes. */

import type { Point, WindowInfo } from "../desktop/desktop.ts";
import type { ListedElement } from "../elements/list.ts";
import { isSheetCell } from "../elements/table.ts";
import { describedElement } from "../elements/text.ts";

/** Maximum number of windows whose elements are remembered. */
const MOST_WINDOWS = 8;
/** Maximum number of lines about changes. */
export const MOST_LINES = 30;
/** Maximum number of names in a line about many elements. */
const MOST_NAMES = 6;
/** Maximum length of a name in such a line, in characters. */
const NAME_LENGTH = 40;

/** The fields that identify a window: an X server reuses the ids of a program that has ended. */
type Named = Pick<WindowInfo, "id" | "pid">;
const nameOf = ({ id, pid = 0 }: Named) => `${id} ${pid}`;

/** The elements of windows, as an agent was shown them. */
export class ShownElementLists {
  /** Elements by ref, by window; the newest window is last. */
  readonly #lists = new Map<string, Map<string, ListedElement>>();

  /** Whether the agent was shown the elements of a window. */
  has(window: Named): boolean {
    return this.#lists.has(nameOf(window));
  }

  /** Whether an element of a window was shown with a name that contains the given text. */
  hasName(window: Named, name: string): boolean {
    const wanted = name.toLowerCase();
    return [...this.#lists.get(nameOf(window))?.values() ?? []].some((element) =>
      element.name.toLowerCase().includes(wanted)
    );
  }

  /** Records that the agent knows the elements of a window. */
  keep(window: Named, elements: readonly ListedElement[]): void {
    const name = nameOf(window);
    this.#lists.delete(name);
    this.#lists.set(name, new Map(elements.map((element) => [element.ref, element])));
    if (this.#lists.size > MOST_WINDOWS) this.#lists.delete(this.#lists.keys().next().value!);
  }

  /** A window's changes since then, as lines. */
  changes(window: Named, elements: readonly ListedElement[]): string[] {
    return changeLines(this.#lists.get(nameOf(window)) ?? new Map(), elements);
  }
}

/**
 * Describes the differences between two lists of a window: elements that are new, that show another value or
 * state, or that disappeared. Places are ignored, and so are the refs of spreadsheet cells: LibreOffice makes
 * new ones for each list.
 */
function changeLines(before: ReadonlyMap<string, ListedElement>, now: readonly ListedElement[]): string[] {
  const had = new Map([...before.values()].map((element) => [identityOf(element), element]));
  const oldOf = (element: ListedElement) => had.get(identityOf(element));
  const shown = now.filter(isTold), has = new Set(now.filter(isShown).map(identityOf));
  const fresh = shown.filter((element) => !isShown(oldOf(element)));
  const changed = shown.filter((element) => {
    const old = oldOf(element);
    return isShown(old) && looksOf(old) !== looksOf(element);
  });
  const gone = [...before.values()].filter((element) => isTold(element) && !has.has(identityOf(element)));
  const switched = changed.filter((element) => isSwitched(oldOf(element)!, element));
  const lines = [
    ...changed.filter((element) => !switched.includes(element)).map((element) => describedElement(element)),
    ...fresh.map((element) => `${describedElement(element)} (new)`),
  ];
  const cut = lines.length > MOST_LINES ? [`… ${lines.length - MOST_LINES} more: see lists them`] : [];
  return [
    ...lines.slice(0, MOST_LINES),
    ...cut,
    ...namesLine("now enabled", switched.filter(({ states }) => !states.includes("disabled"))),
    ...namesLine("now disabled", switched.filter(({ states }) => states.includes("disabled"))),
    ...namesLine("gone", gone),
  ];
}

const identityOf = (element: ListedElement) => isSheetCell(element) ? element.name : element.ref;

function isShown(element: ListedElement | undefined): element is ListedElement {
  return element !== undefined && element.place !== undefined && !element.states.includes("hidden");
}

/** Whether an element is meaningful to a reader. */
function isTold(element: ListedElement): boolean {
  return isShown(element) && (element.name !== "" || element.value !== undefined && element.value !== "");
}

function looksOf({ role, name, value, formula, states }: ListedElement): string {
  return JSON.stringify([role, name, value, formula, states]);
}

/** Whether an element was only enabled or disabled: toolbars do so constantly. */
function isSwitched(before: ListedElement, now: ListedElement): boolean {
  const rest = ({ states, ...element }: ListedElement) =>
    looksOf({ ...element, states: states.filter((state) => state !== "disabled" && state !== "focused") });
  return before.states.includes("disabled") !== now.states.includes("disabled") && rest(before) === rest(now);
}

function namesLine(verb: string, elements: readonly ListedElement[]): string[] {
  if (!elements.length) return [];
  const names = [...new Set(elements.map(({ name, value = "", role }) => name || value || role))];
  const listed = names.slice(0, MOST_NAMES).map((name) => JSON.stringify(name.slice(0, NAME_LENGTH)));
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
  return [`${verb}: ${listed.join(", ")}${more}`];
}

/** The target of a mark: an element, or a position on the desktop. */
export type Marked = { ref: string } | { point: Point };

/** The marks of the last picture that had any, such as `m3`. */
export class Marks {
  #marked: readonly Marked[] = [];

  /** Replaces the marks. The first one is `m1`. */
  set(marked: readonly Marked[]): void {
    this.#marked = marked;
  }

  /** The target of a mark; undefined if the mark does not exist. */
  get(mark: string): Marked | undefined {
    return this.#marked[Number(mark.slice(1)) - 1];
  }
}
