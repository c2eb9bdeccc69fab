/**
 * Acts on elements only through their programs, without the user's pointer, keyboard focus or front window. A
 * program's report of success is no proof, so every readable state is read back; an act that would need the
 * foreground is rejected.
 */

import { delay } from "@std/async/delay";
import { ForegroundError, UnsupportedError } from "../../core/errors.ts";
import type { Operator } from "../operator/operator.ts";
import { keepingFocus } from "../windows/given_back.ts";
import { isPlain } from "./press.ts";
import { effectMs, elementsOf, type ListedElement, PASSWORD, readAll, rereadElement } from "./list.ts";
import { within } from "./table.ts";
import { checkEnabled, describeElement as describe, type ElementClick, type Found } from "./query.ts";

/** Polling interval, in milliseconds. */
const INTERVAL_MS = 25;

/** Roles of elements that are selected among their siblings. */
const CHOSEN = new Set("option,listitem,treeitem,row,cell,tab".split(","));
/** Roles of elements that can be on or off. */
const SWITCHES = new Set("checkbox,switch,togglebutton,radio,menuitemcheckbox,menuitemradio".split(","));
/**
 * Roles of elements that the program can press with the effect of a click, and that have no state to read
 * back.
 */
const PRESSED = new Set(["button", "link", "menuitem"]);
/** Roles of elements that open a menu or a list when pressed. */
const OPENING = new Set(["combobox", "menu", "menubar", "menubutton"]);
/** Roles inside an element that opens a menu when pressed. */
const MENUS = new Set(["menu", "menuitem", "menuitemcheckbox", "menuitemradio"]);
const ON = ["checked", "pressed", "selected"] as const;

interface BackgroundAct {
  via: "action" | "none";
  /** The element afterwards. */
  element: ListedElement;
  /** Describes a focus that a window of the program had taken. */
  focus?: string;
}

/**
 * The error for an act that the program does not perform.
 * @param why The reason, placed after the element's name.
 */
export function needsForeground(element: ListedElement, why: string): ForegroundError {
  return new ForegroundError(`${describe(element)} ${why}`);
}

/**
 * Runs an act on an element, and restores the focus if a window opened by the act takes it.
 * @throws UnsupportedError if acts of programs may take the focus or the pointer here, or the focus cannot be
 * restored; ForegroundError if the element is disabled.
 */
export async function inBackground<T>(
  operator: Operator,
  { window, element }: Found,
  act: () => Promise<T>,
): Promise<T & { focus?: string }> {
  const { windows } = operator.desktop;
  if (!elementsOf(operator).isUnobtrusive || !windows || windows.isListOnly) {
    throw new UnsupportedError(
      `the ${operator.desktop.kind} desktop does not support background actions: its programs may take the focus`,
    );
  }
  await checkEnabled(operator, { window, element }, true);
  const { result, focus } = await keepingFocus(operator, window, PRESSED.has(element.role), act);
  return { ...result, ...(focus === undefined ? {} : { focus }) };
}

/**
 * Presses an element through its program, or selects it among its siblings, and reads its state back.
 * @throws ForegroundError with the reason if the program does not do so, or if this would open a menu or a
 * list, which takes the pointer and the keyboard.
 */
export async function pressInBackground(
  operator: Operator,
  found: Found,
  click: ElementClick,
): Promise<BackgroundAct> {
  const { element } = found, { role } = element;
  if (!isPlain(click)) {
    throw needsForeground(element, "can be pressed through its program only once and with the left button");
  }
  if (OPENING.has(role) || await hasMenu(operator, found, click.signal)) {
    throw needsForeground(element, "opens a menu or a list, which takes the pointer and the keyboard");
  }
  if (CHOSEN.has(role)) return await switchInBackground(operator, element, true, click.signal);
  if (element.states.includes("hidden") && !role.startsWith("menuitem")) {
    throw needsForeground(element, "is not shown by its window");
  }
  if (SWITCHES.has(role)) {
    const isOn = role.endsWith("radio") || !isSwitchedOn(element);
    return await switchInBackground(operator, element, isOn, click.signal);
  }
  if (!PRESSED.has(role)) throw needsForeground(element, "can be pressed only with the pointer");
  if (await elementsOf(operator).change(element.key, { type: "trigger" }, click.signal)) {
    return { via: "action", element };
  }
  throw needsForeground(element, "cannot be pressed through its program");
}

/** Whether an element has a menu, which some programs list inside the button or item that opens it. */
async function hasMenu(
  operator: Operator,
  { window, element }: Found,
  signal: AbortSignal,
): Promise<boolean> {
  if (element.role !== "togglebutton" && !PRESSED.has(element.role)) return false;
  const { elements } = await readAll(operator, window, signal);
  return within(elements, element.ref).some(({ role }) => MENUS.has(role));
}

const isSwitchedOn = ({ states }: ListedElement) => ON.some((state) => states.includes(state));

/**
 * Switches an element on or off through its program and reads it back. An option that is already on is not
 * pressed, since its action may be a toggle.
 */
export async function switchInBackground(
  operator: Operator,
  element: ListedElement,
  isOn: boolean,
  signal: AbortSignal,
): Promise<BackgroundAct> {
  const is = (now: ListedElement) => isSwitchedOn(now) === isOn && !now.states.includes("mixed");
  const { element: first } = await rereadElement(operator, element.ref, signal);
  if (is(first)) return { via: "none", element: first };
  const ways = !CHOSEN.has(element.role)
    ? ["trigger"] as const
    : isOn
    ? ["select", "choose"] as const
    : ["choose"] as const;
  let isAnswered = false;
  for (const type of ways) {
    if (!await elementsOf(operator).change(element.key, { type }, signal)) continue;
    isAnswered = true;
    const now = await untilShown(operator, element.ref, is, signal);
    if (is(now)) return { via: "action", element: now };
  }
  const state = isOn ? "stays off" : "stays on";
  throw needsForeground(
    element,
    isAnswered ? `${state}, though its program was asked` : "cannot be pressed through its program",
  );
}

/** Sets a field's text through its program and reads it back. */
export async function setInBackground(
  operator: Operator,
  element: ListedElement,
  text: string,
  signal: AbortSignal,
): Promise<BackgroundAct> {
  if (element.role === PASSWORD) throw needsForeground(element, "is a password, which cannot be read back");
  if (!element.states.includes("multiline") && /[\n\t]/.test(text)) {
    throw needsForeground(element, "is a single-line field: Enter and Tab would be key presses");
  }
  if (!await elementsOf(operator).change(element.key, { type: "set", text }, signal)) {
    throw needsForeground(element, "does not accept text through its program");
  }
  const now = await untilShown(operator, element.ref, ({ value }) => value === text, signal);
  if (now.value === text) return { via: "action", element: now };
  throw needsForeground(now, `has the text ${JSON.stringify(now.value ?? "")} after the change`);
}

/** Scrolls an element into view through its program and reads its place back. */
export async function scrollInBackground(
  operator: Operator,
  { window, element }: Found,
  isInside: (now: ListedElement) => boolean,
  signal: AbortSignal,
): Promise<BackgroundAct> {
  if (isInside(element)) return { via: "none", element };
  if (await elementsOf(operator).change(element.key, { type: "scroll" }, signal)) {
    const now = await untilShown(operator, element.ref, isInside, signal);
    if (isInside(now)) return { via: "action", element: now };
  }
  throw needsForeground(
    element,
    `cannot be scrolled into view in ${JSON.stringify(window.title)} through its program`,
  );
}

/** Reads an element until it shows a change or the time is over. */
async function untilShown(
  operator: Operator,
  ref: string,
  shows: (element: ListedElement) => boolean,
  signal: AbortSignal,
): Promise<ListedElement> {
  for (const end = performance.now() + effectMs();;) {
    const { element } = await rereadElement(operator, ref, signal);
    if (shows(element) || performance.now() > end) return element;
    await delay(INTERVAL_MS, { signal });
  }
}
