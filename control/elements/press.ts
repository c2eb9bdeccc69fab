/** Open menus that take an element's presses, and presses through the element's program. */

import { delay } from "@std/async/delay";
import { StateError } from "../../core/errors.ts";
import type { Point } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { effectMs, elementsOf, type ListedElement, readAll, rereadElement } from "./list.ts";
import { describeElement, type ElementClick, type Found, hasOpened } from "./query.ts";
import { parentsOf } from "./table.ts";

// Open menus and popovers: a press elsewhere only closes them.

/** Roles of elements that are in their own windows while they are shown, or whose places are always right. */
export const IN_MENUS = new Set(
  "menu,menubar,menuitem,menuitemcheckbox,menuitemradio,option,listitem".split(","),
);

/** Roles of which elements are both in lists that open and in others. */
const ITEMS: ReadonlySet<string> = new Set(["listitem", "option"]);

/**
 * Whether an open menu would take an element's press at a point.
 * @param found The element; on Wayland, whether its window was read for the press decides if it is read again.
 * @param signal Aborts the reading of the window, which shows whether the element is in the menu.
 */
export async function isUnderMenu(
  operator: Operator,
  { window, element, isRead = false }: Found,
  point: Point | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const { targets, elements: own } = operator.desktop;
  const asked = async () => await own?.isUnderMenu?.(window, element.key, isRead) ?? false;
  if (!targets?.menuAt) return await asked(); // on Wayland, only the program knows its menus
  if (point && ITEMS.has(element.role)) return await targets.menuAt(point) !== undefined && await asked();
  if (!point || IN_MENUS.has(element.role) || hasOpened(element)) return false; // a menu bar opens its next menu
  const menu = await targets.menuAt(point);
  if (menu !== "there") return menu === "elsewhere";
  const { elements } = await readAll(operator, window, signal), parents = parentsOf(elements);
  let at = parents[elements.findIndex(({ ref }) => ref === element.ref)] ?? -1;
  while (at >= 0 && !IN_MENUS.has(elements[at].role) && !hasOpened(elements[at])) at = parents[at];
  return at < 0;
}

// Presses through the program, which have the effect of a click for some roles only.

/** A finished click. */
export interface Clicked {
  via: "click" | "action" | "keys" | "none";
  /** The element when it was clicked. */
  element: ListedElement;
  /** Describes a focus taken by a background act. */
  focus?: string;
}

/**
 * Roles of elements that a program can press with the effect of a click. For other roles the effect may
 * differ: a field would submit its form.
 */
export const PRESSABLE: ReadonlySet<string> = new Set(
  ("button,togglebutton,menubutton,checkbox,radio,switch,link,tab,menu,menuitem,menuitemcheckbox,menuitemradio")
    .split(","),
);

/**
 * Roles of rows and cells, which GTK 3 still calls shown when they are scrolled away, but without a place.
 * Pressing one through its program would open it like a double click.
 */
export const ROWS: ReadonlySet<string> = new Set(["cell", "row", "treeitem"]);
const FIELDS: ReadonlySet<string> = new Set(["password", "searchbox", "spinbutton", "textbox"]);

/** How a program presses an element of a role with the effect of a click: a field would submit its form. */
export const pressOf = (role: string) => ROWS.has(role) || FIELDS.has(role) ? "choose" : "press";

/** The element left its place while it was being clicked and was not clicked. */
export class MovedError extends StateError {}

/** Why it was not clicked. */
export const MOVED = "moved while it was clicked";

/** Whether pressing through the program has the effect of the click. */
export function isPlain({ button, count, hold = [], isByPointer }: ElementClick): boolean {
  return !isByPointer && button === "left" && count === 1 && !hold.length;
}

/** Polling interval, in milliseconds. */
const LOOK_MS = 20;

/**
 * Presses an element through its program.
 * @param why Why it is not clicked.
 * @param roles Roles that may be pressed; all if left out.
 */
export async function pressed(
  operator: Operator,
  element: ListedElement,
  click: ElementClick,
  why: string,
  roles?: ReadonlySet<string>,
): Promise<Clicked> {
  const mayPress = isPlain(click) && (roles?.has(element.role) ?? true), isRow = ROWS.has(element.role);
  const ask = (type: "press" | "choose" | "focus") =>
    elementsOf(operator).change(element.key, { type }, click.signal);
  if (mayPress && await ask(pressOf(element.role))) return { via: "action", element };
  if (mayPress && isRow && await ask("focus") && await isChosen(operator, element, click.signal)) {
    return { via: "action", element };
  }
  const not = isPlain(click) ? "and its program does not press it" : "and a program presses it only once";
  const message = `${describeElement(element)} ${why}${click.isByPointer ? "" : `, ${not}`}`;
  throw why === MOVED ? new MovedError(message) : new StateError(message);
}

/** Whether a row that got the focus is selected, as by a click. */
async function isChosen(operator: Operator, { ref }: ListedElement, signal: AbortSignal): Promise<boolean> {
  for (const end = performance.now() + effectMs();; await delay(LOOK_MS, { signal })) {
    if ((await rereadElement(operator, ref, signal)).element.states.includes("selected")) return true;
    if (performance.now() > end) return false;
  }
}
