/**
 * Open menus and popovers, which take the presses that are meant for elements beside and behind them: a press
 * elsewhere only closes them.
 */

import type { Point, WindowInfo } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { type ListedElement, readAll } from "./list.ts";
import { parentsOf } from "./table.ts";

/** Roles of elements that are in their own windows while they are shown, or whose places are always right. */
export const IN_MENUS = new Set(
  "menu,menubar,menuitem,menuitemcheckbox,menuitemradio,option,listitem".split(","),
);
/** Roles of elements that open menus and popovers, and their states while these are shown. */
const OPENERS = new Set(["togglebutton", "menubutton", "combobox", "button"]);
const OPEN = ["checked", "expanded", "pressed"] as const;

/** Whether an element may have opened the menu or popover that is shown: a press on it closes that. */
export function hasOpened({ role, states }: ListedElement): boolean {
  return OPENERS.has(role) && OPEN.some((state) => states.includes(state));
}

/**
 * Whether an open menu takes a press at a point that is meant for an element.
 * @param window The element's window.
 * @param signal Aborts the reading of the element's window, which tells whether it is in the menu.
 */
export async function isUnderMenu(
  operator: Operator,
  { window, element }: { window: WindowInfo; element: ListedElement },
  point: Point,
  signal: AbortSignal,
): Promise<boolean> {
  if (IN_MENUS.has(element.role) || hasOpened(element)) return false; // a menu bar opens its next menu
  const menu = await operator.desktop.targets?.menuAt?.(point);
  if (menu !== "there") return menu === "elsewhere";
  const { elements } = await readAll(operator, window, signal), parents = parentsOf(elements);
  let at = parents[elements.findIndex(({ ref }) => ref === element.ref)] ?? -1;
  while (at >= 0 && !IN_MENUS.has(elements[at].role) && !hasOpened(elements[at])) at = parents[at];
  return at < 0;
}
