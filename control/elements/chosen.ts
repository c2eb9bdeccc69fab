/**
 * Verified clicks on options: some programs report wrong places for the options of an open list, so that a
 * click on one selects its neighbour.
 */

import { delay } from "@std/async/delay";
import { ExpectedError, StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import type { Operator } from "../operator/operator.ts";
import { inBackground, pressInBackground } from "./background.ts";
import { fillElement } from "./filling.ts";
import { shownCell } from "./set.ts";
import { isSheetCell, parentsOf } from "./table.ts";
import { clickFound } from "./click.ts";
import { type Clicked, isPlain } from "./press.ts";
import {
  describeElement,
  type ElementClick,
  type ElementTarget,
  findElement,
  type Found,
  keyedFound,
} from "./query.ts";
import { listWindows } from "../windows/list.ts";
import { effectMs, type ListedElement, readAll, rereadElement } from "./list.ts";

/** Roles of options, and of elements that a click checks. */
const OPTIONS = new Set(["menuitem", "option", "listitem"]), CHECKED = new Set(["radio", "menuitemradio"]);
/** Roles of fields, whose window receives keys after a click. */
const TYPED = new Set(["textbox", "password", "searchbox", "spinbutton"]);
/** Polling interval, in milliseconds. */
const LOOK_MS = 50;
/**
 * Time without an active window after which none is expected any longer, in milliseconds, longer on a busy
 * machine: managers briefly have no active window while they switch to another.
 */
const NONE_MS = 300;

/**
 * Clicks an element like `clickElement`, and ensures that a clicked option is selected.
 * @throws The errors of `clickElement`; StateError if a clicked option or radio button is not selected.
 */
export async function clickChecked(
  operator: Operator,
  target: ElementTarget,
  click: ElementClick,
): Promise<Clicked> {
  const { signal, windows } = click, listed = await findElement(operator, target, signal, windows);
  const found = OPTIONS.has(listed.element.role)
    ? await rereadElement(operator, listed.element.ref, signal, listed.windows)
    : listed;
  const { element, window } = found;
  if (click.isInBackground) {
    return await clickInBackground(operator, await keyedFound(operator, found, signal), click);
  }
  if (isSheetCell(element)) {
    return await clickFound(operator, await shownCell(operator, found, signal), click);
  }
  if (!isPlain(click)) return await clickFound(operator, found, click);
  const chosen = element.states.includes("hidden") && await chooseHidden(operator, found, signal);
  if (chosen) return chosen;
  const clicked = await clickFound(operator, found, click);
  if (clicked.via !== "click") return clicked;
  return { ...clicked, via: await ensureChosen(operator, { window, element: clicked.element }, signal) };
}

/**
 * Presses an element only through its program. A combo box selects its options, and a row of tabs its tabs,
 * whose state Qt does not report.
 */
async function clickInBackground(operator: Operator, found: Found, click: ElementClick): Promise<Clicked> {
  const { element, window } = found;
  const around = element.role === "tab" ? "tablist" : OPTIONS.has(element.role) ? "combobox" : undefined;
  const box = around && await boxAround(operator, { window, ref: element.ref, signal: click.signal }, around);
  if (!box) {
    return await inBackground(operator, found, () => pressInBackground(operator, found, click));
  }
  const { via, focus } = await fillElement(
    operator,
    { element: box.ref, window: {} },
    element.name,
    click.signal,
    true,
  );
  return { via, element, ...(focus === undefined ? {} : { focus }) };
}

/**
 * Ensures that a click on an option selected it, and gives the window of a clicked field time to become
 * active, since later keys would otherwise go to the previous window. If the option's combo box shows another
 * option, the box selects it. Clicks on other elements are left alone.
 * @returns How the option was selected.
 * @throws StateError if it is not selected.
 */
async function ensureChosen(
  operator: Operator,
  { window, element }: Found,
  signal: AbortSignal,
): Promise<"click" | "action" | "keys"> {
  const { role, ref, name } = element;
  if (TYPED.has(role)) {
    await becomesActive(operator, window.id, signal);
    return "click";
  }
  if (CHECKED.has(role)) {
    const isOn = ({ states }: ListedElement) => states.includes("checked") || states.includes("pressed");
    if (await isSeen(operator, ref, isOn, signal)) return "click";
    throw new StateError(`${describeElement(element)} is still not checked after the click`);
  }
  if (!OPTIONS.has(role) || await isSeen(operator, ref, isSelected, signal, 0)) return "click";
  const box = await boxAround(operator, { window, ref, signal });
  if (!box) return "click";
  const shows = ({ value, name: own }: ListedElement) => (value || own) === name;
  if (await isSeen(operator, box.ref, shows, signal) || await isSeen(operator, ref, isSelected, signal, 0)) {
    return "click";
  }
  const { via } = await fillElement(operator, { element: box.ref, window: {} }, name, signal);
  return via === "none" ? "click" : via;
}

/**
 * Selects an option that its program does not show, for example while the list of its combo box is closed.
 * @returns undefined if the element is not an option of a combo box.
 */
async function chooseHidden(
  operator: Operator,
  { window, element }: Found,
  signal: AbortSignal,
): Promise<Clicked | undefined> {
  const box = OPTIONS.has(element.role)
    ? await boxAround(operator, { window, ref: element.ref, signal })
    : undefined;
  if (!box) return undefined;
  const { via } = await fillElement(operator, { element: box.ref, window: {} }, element.name, signal);
  return { via: via === "none" ? "action" : via, element };
}

/** Waits until a window is active, at most as long as a program may take to show a change. */
async function becomesActive(operator: Operator, id: string, signal: AbortSignal): Promise<void> {
  const start = performance.now(), ms = effectMs(), noneMs = timeByLoad(NONE_MS);
  for (let activeAt = start;;) {
    const active = (await listWindows(operator)).find(({ active }) => active), time = performance.now();
    if (active) activeAt = time;
    if (active?.id === id || time - activeAt >= noneMs || time - start >= ms) return;
    await delay(LOOK_MS, { signal });
  }
}

const isSelected = ({ states }: ListedElement) => states.includes("selected");

/** Whether an element reaches a state in time; a list that has closed has served its purpose. */
async function isSeen(
  operator: Operator,
  ref: string,
  looks: (element: ListedElement) => boolean,
  signal: AbortSignal,
  ms = effectMs(),
): Promise<boolean> {
  for (const end = performance.now() + ms;;) {
    try {
      if (looks((await rereadElement(operator, ref, signal)).element)) return true;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ExpectedError) return true;
      throw error;
    }
    if (performance.now() >= end) return false;
    await delay(LOOK_MS, { signal });
  }
}

/** The combo box, or other element, that contains an option. */
async function boxAround(
  operator: Operator,
  { window, ref, signal }: { window: Found["window"]; ref: string; signal: AbortSignal },
  role = "combobox",
): Promise<ListedElement | undefined> {
  const { elements } = await readAll(operator, window, signal);
  const parents = parentsOf(elements);
  let at = elements.findIndex((element) => element.ref === ref);
  do at = parents[at] ?? -1; while (at >= 0 && elements[at].role !== role);
  return elements[at];
}
