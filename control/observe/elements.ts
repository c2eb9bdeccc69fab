/** The elements of windows before and after an action. */

import { ExpectedError } from "../../core/errors.ts";
import type { WindowInfo } from "../desktop.ts";
import { type ListedElement, readElements } from "../elements/reading.ts";
import type { Operator } from "../operator.ts";
import { activeOf } from "../windows/difference.ts";

/** The most elements of each kind in an answer. */
const MOST = 30;

/** Changes of the elements. */
export interface ElementsSeen {
  added: ListedElement[];
  /** Elements whose name, value or states have changed, as they are now. */
  changed: ListedElement[];
  removed: ListedElement[];
  /** The element of the active window that has the keyboard. */
  focus?: ListedElement;
  /** The reason why elements cannot be read. */
  silent?: string;
}

/** The elements of one window at one time. */
export interface ElementsRead {
  windowId?: string;
  elements: readonly ListedElement[];
  silent?: string;
}

/**
 * Reads the elements of a window.
 * @param window None has no elements.
 */
export async function elementsIn(
  operator: Operator,
  window: WindowInfo | undefined,
): Promise<ElementsRead> {
  if (!window) return { elements: [] };
  const { id: windowId, title } = window;
  try {
    const { elements, silent } = await readElements(operator, { id: windowId });
    const reason = silent && `${JSON.stringify(title)} shows no elements: ${silent}`;
    return { windowId, elements, ...(reason ? { silent: reason } : {}) };
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    return { windowId, elements: [], silent: error.message };
  }
}

/**
 * Reads the changes of elements. Elements of a closed window are not listed one by one; all elements of a newly
 * opened active window are new.
 * @param before The elements of the action's window, before the action.
 * @param windows The windows before the action, and now.
 */
export async function elementsSince(
  operator: Operator,
  before: ElementsRead,
  windows: { before: readonly WindowInfo[]; after: readonly WindowInfo[] },
): Promise<ElementsSeen> {
  const active = activeOf(windows.after);
  const same = windows.after.find(({ id }) => id === before.windowId);
  const after = await elementsIn(operator, same);
  const front = active && active.id !== same?.id ? await elementsIn(operator, active) : after;
  const isNew = front !== after && !windows.before.some(({ id }) => id === active?.id);
  const difference = same ? elementsDifference(before.elements, after.elements) : NONE;
  const focus = front.elements.find(({ states }) => states.includes("focused"));
  const silent = front.silent ?? after.silent;
  return {
    ...difference,
    added: [...difference.added, ...isNew ? front.elements : []].slice(0, MOST),
    ...(focus ? { focus } : {}),
    ...(silent ? { silent } : {}),
  };
}

const NONE = { added: [], changed: [], removed: [] };

/**
 * Compares the elements of a window at two times. Their places do not count: a list that scrolls moves all of them.
 */
export function elementsDifference(
  before: readonly ListedElement[],
  after: readonly ListedElement[],
): Pick<ElementsSeen, "added" | "changed" | "removed"> {
  const had = new Map(before.map((element) => [element.key, element]));
  const has = new Set(after.map(({ key }) => key));
  return {
    added: after.filter(({ key }) => !had.has(key)).slice(0, MOST),
    changed: after.filter((element) =>
      had.has(element.key) && looks(element) !== looks(had.get(element.key)!)
    )
      .slice(0, MOST),
    removed: before.filter(({ key }) => !has.has(key)).slice(0, MOST),
  };
}

/** The properties of an element that are compared to find changes. */
const looks = ({ role, name, value, states }: ListedElement) => JSON.stringify([role, name, value, states]);

/** Describes changes of elements in words; undefined if there are none. */
export function elementsText({ added, changed, removed }: ElementsSeen): string | undefined {
  if (added.length) return "an element appeared";
  if (removed.length) return "an element vanished";
  return changed.length ? "an element changed" : undefined;
}
