/** Setting the texts of elements, and giving them the keyboard. */

import { delay } from "@std/async/delay";
import { StateError, UnsupportedError } from "../../core/errors.ts";
import { waiterOf } from "../../core/mutex.ts";
import { timeByLoad } from "../../core/proc.ts";
import { combination } from "../operator/gestures.ts";
import type { Operator } from "../operator/operator.ts";
import { isShown } from "../desktop/desktop.ts";
import { listWindows } from "../windows/list.ts";
import { inBackground, scrollInBackground } from "./background.ts";
import { clickElement, isInView, keyedFound, shownElement } from "./click.ts";
import {
  cellNamed,
  effectMs,
  elementsOf,
  type ListedElement,
  PASSWORD,
  readAll,
  rereadElement,
} from "./list.ts";
import { fieldOf } from "./labels.ts";
import {
  checkEnabled,
  checkNoDialog,
  describeElement as describe,
  type ElementTarget,
  findElement,
  type Found,
} from "./query.ts";
import { isSheetCell } from "./table.ts";

/** The time in which a text may go on changing, in milliseconds. */
const GROWTH_MS = 10_000;
/** Time between two readings, in milliseconds. */
const INTERVAL_MS = 50;

/** Roles of labels. */
const LABELS: ReadonlySet<string> = new Set(["caption", "label", "static"]);

/**
 * What to do with elements that accept no typed text, by role. A click would press or choose them, and Ctrl+A and Delete
 * would then clear the list or the document around them.
 */
const TAKEN: ReadonlyMap<string, string> = new Map(
  ([
    ["button,link,menu,menubar,menuitem", "takes no text: click it"],
    ["heading,paragraph", "takes no text: click it, then type"],
    [
      "cell,checkbox,listitem,menuitemcheckbox,menuitemradio,option,radio,row,switch,tab,togglebutton,treeitem",
      'takes true or false as "to", not a text',
    ],
    [
      "list,listbox,radiogroup,table,tablist,tree,treegrid",
      'takes the name of an option as "to", not a text',
    ],
    ["dial,scrollbar,slider", 'takes a number as "to", not a text'],
    [
      "alert,calendar,columnheader,dialog,frame,icon,img,label,meter,progressbar,rowheader,separator,spreadsheet," +
      "statusbar,titlebar,toolbar,tooltip,window",
      "takes no text",
    ],
  ] as const).flatMap(([roles, taken]) => roles.split(",").map((role) => [role, taken] as const)),
);

/**
 * Sets the text of a field, or of a cell of a spreadsheet, and reads it back. If the program does not set it, deskhand
 * types over the old text.
 * @param target The field, its label, or the cell.
 * @returns The element after the change; a cell then has the value that its program made of the text.
 * @throws StateError if the element takes no text, or the field then has another text. A password cannot be read back.
 */
export async function setElement(
  operator: Operator,
  target: ElementTarget,
  text: string,
  signal: AbortSignal,
): Promise<{ via: "action" | "keys"; element: ListedElement }> {
  const found = await keyedFound(operator, await fieldFound(operator, target, signal), signal);
  const element = await shownElement(operator, found);
  await checkEnabled(operator, { ...found, element }, true);
  if (isSheetCell(element)) return await setCell(operator, { ...found, element }, text, signal);
  if (/^[^\n]*\n$/.test(text) && !element.states.includes("multiline")) {
    return await setAndEnter(operator, { ...found, element }, text.slice(0, -1), signal);
  }
  const { key, ref, role } = element, isPassword = role === PASSWORD;
  if (text.includes("\n") && isOneLine(operator, element)) throw takesOneLine(element);
  // A password cannot be read back, so that only keys are sure to reach the field that has the keyboard.
  if (!isPassword && await elementsOf(operator).change(key, { type: "set", text })) {
    const after = await until(operator, ref, ({ value }) => value === text, signal);
    if (after.value === text) {
      await elementsOf(operator).change(key, { type: "focus" }); // keys that follow go there, as after a click
      return { via: "action", element: after };
    }
  }
  const taken = role === "textbox" && element.states.includes("readonly") ? "is read-only" : TAKEN.get(role);
  if (taken !== undefined) throw new StateError(`${describe(element)} ${taken}`);
  if (text.includes("\t") && isOneLine(operator, element)) {
    throw takesOneLine(element, (await rereadElement(operator, ref)).element.value);
  }
  await clickElement(operator, { element: ref, window: {} }, { button: "left", count: 1, signal });
  const clicked = await until(operator, ref, isFocused, signal);
  if (!isFocused(clicked)) {
    throw new StateError(`${describe(clicked)} did not get the keyboard focus when clicked`);
  }
  await selectAll(operator, signal);
  if (text) await typeInto(operator, element, text, signal);
  else await combination(operator, ["delete"], {}, waiterOf(signal));
  const after = await until(operator, ref, ({ value }) => isPassword || value === text, signal);
  if (isPassword || after.value === text) return { via: "keys", element: after };
  throw new StateError(
    `${describe(after)} has the text ${JSON.stringify(after.value ?? "")} after the change`,
  );
}

/** Roles of fields that have one line where they do not say that they have several. */
const FIELDS: ReadonlySet<string> = new Set(["autocomplete", "combobox", "spinbutton", "textbox", PASSWORD]);

function isOneLine(operator: Operator, { role, states, value }: ListedElement): boolean {
  return elementsOf(operator).tellsLines === true && FIELDS.has(role) && !states.includes("multiline") &&
    !value?.includes("\n");
}

/** The error for a text with line feeds or tabs. @param value The text that the field has now. */
function takesOneLine(element: ListedElement, value = element.value): StateError {
  const now = value === element.value ? "" : `; it has the text ${JSON.stringify(value ?? "")} now`;
  return new StateError(
    `${describe(element)} is a single-line field: Enter and Tab would be key presses${now}`,
  );
}

/**
 * Types a text into the field that has the keyboard. A tab may go to the next field instead, which must not get the rest.
 * @throws StateError if it does.
 */
async function typeInto(
  operator: Operator,
  { ref, role }: ListedElement,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const [first, ...rest] = text.split("\t");
  if (first) await operator.type(first, signal);
  for (const [i, part] of rest.entries()) {
    await combination(operator, ["tab"], {}, waiterOf(signal));
    const hasTab = ({ value }: ListedElement) => role !== PASSWORD && value?.split("\t").length === i + 2;
    const now = await until(operator, ref, (element) => !isFocused(element) || hasTab(element), signal);
    if (!isFocused(now)) {
      throw new StateError(`Tab left ${describe(now)}: the text behind it was not typed`);
    }
    if (part) await operator.type(part, signal);
  }
}

/** Finds an element to set. Programs often do not tie a label to its field: the field beside a label is meant. */
export async function fieldFound(
  operator: Operator,
  target: ElementTarget,
  signal: AbortSignal,
): Promise<Found> {
  const found = await findElement(operator, target, signal), { element, window } = found;
  if (!LABELS.has(element.role)) return found;
  const field = fieldOf(element, (await readAll(operator, window, signal)).elements);
  return field ? { ...found, element: field } : found;
}

/**
 * Types a text into a cell of a spreadsheet, as a person does: the cell is chosen, and Enter stores what was typed. The keys
 * that select all of a field's text would select the whole sheet.
 */
async function setCell(
  operator: Operator,
  { window, element }: Found,
  given: string,
  signal: AbortSignal,
): Promise<{ via: "keys"; element: ListedElement }> {
  const text = given.replace(/\n$/, ""), { name, ref } = element;
  if (/[\n\t]/.test(text)) throw new StateError(`${describe(element)} takes one line without tabs`);
  await clickElement(operator, { element: ref, window: {} }, { button: "left", count: 1, signal });
  if (!isFocused(await until(operator, ref, isFocused, signal))) {
    throw new StateError(`${describe(element)} did not get the keyboard focus when clicked`);
  }
  if (text) await operator.type(text, signal);
  // Delete removes the suggestion that the sheet appends to the typed text; without a text, it empties the cell.
  await combination(operator, ["delete"], {}, waiterOf(signal));
  // LibreOffice gives the old text of a cell that it has removed until another cell has the keyboard.
  await combination(operator, ["enter"], {}, waiterOf(signal));
  for (const end = performance.now() + effectMs();; await delay(INTERVAL_MS, { signal })) {
    const now = await cellNamed(operator, window, { name }) ?? element;
    if (isStored(text, element.value ?? "", now)) return { via: "keys", element: now };
    if (performance.now() < end) continue;
    throw new StateError(
      `${describe(now)} has the value ${JSON.stringify(now.value ?? "")} after the change`,
    );
  }
}

/** Whether a cell shows what its program makes of a text: a number or a date in another form, or a formula's value. */
function isStored(text: string, before: string, { value = "", formula = "" }: ListedElement): boolean {
  const plain = (text: string) => text.replaceAll(/[ …]/g, "").toUpperCase();
  if (value === text) return true;
  // The formula may be cut off at an ellipsis.
  if (text.startsWith("=")) return formula !== "" && plain(text).startsWith(plain(formula));
  return text !== "" && value !== "" && (value !== before || Number(value) === Number(text));
}

/** Sets the text of a field of one line, and presses Enter there: the line feed behind the text. */
async function setAndEnter(
  operator: Operator,
  found: Found,
  text: string,
  signal: AbortSignal,
): Promise<{ via: "action" | "keys"; element: ListedElement }> {
  await checkEnabled(operator, found);
  const { ref } = found.element;
  const set = await setElement(operator, { element: ref, window: {} }, text, signal);
  if (!isFocused(set.element) && !isFocused(await until(operator, ref, isFocused, signal))) {
    // Qt moves the focus within a window that stays behind another one, where Enter would go.
    await clickElement(operator, { element: ref, window: {} }, { button: "left", count: 1, signal });
  }
  if (!isFocused(await until(operator, ref, isFocused, signal))) {
    throw new StateError(
      `${describe(set.element)} has the text, but not the keyboard focus that Enter requires`,
    );
  }
  await combination(operator, ["enter"], {}, waiterOf(signal));
  return set;
}

/**
 * Selects all text of the field that has the keyboard. It does so in two ways, since older fields of Windows do not
 * know Ctrl+A, and fields of Swing do not know Ctrl+Home; old letters left in a password would go unnoticed.
 */
async function selectAll(operator: Operator, signal: AbortSignal): Promise<void> {
  for (const keys of [["ctrl", "a"], ["ctrl", "home"], ["ctrl", "shift", "end"]]) {
    await combination(operator, keys, {}, waiterOf(signal));
  }
}

/** Reads an element until it shows the requested change, or has not changed for as long as the time limit. */
async function until(
  operator: Operator,
  ref: string,
  isDone: (element: ListedElement) => boolean,
  signal: AbortSignal,
): Promise<ListedElement> {
  const first = performance.now(), ms = effectMs();
  for (let last: string | undefined, end = first + ms;;) {
    const { element } = await rereadElement(operator, ref), time = performance.now();
    if (isDone(element) || time > end) return element;
    // A program may still be at the keys of a long text.
    if (element.value !== last) end = Math.min(time + ms, first + GROWTH_MS);
    last = element.value;
    await delay(INTERVAL_MS, { signal });
  }
}

const isFocused = ({ states }: ListedElement) => states.includes("focused");

/** The time in which a program brings its window to the front, in milliseconds; longer on a busy machine. */
const RAISED_MS = 150;

/**
 * Gives an element the keyboard.
 * @returns The element, and whether its program brought its window to the front for that, as GTK 3 does.
 * @throws StateError if its program does not, or its window waits for a dialog.
 */
export async function focusElement(
  operator: Operator,
  target: ElementTarget,
  signal: AbortSignal,
): Promise<{ element: ListedElement; raised: boolean }> {
  const found = await keyedFound(operator, await findElement(operator, target, signal), signal);
  const { element, window: { id } } = found;
  await checkNoDialog(operator, found);
  const isInFront = async () => {
    const windows = operator.desktop.windows && await listWindows(operator), front = windows?.find(isShown);
    return !windows || front?.id === id && front.active;
  };
  const wasInFront = await isInFront();
  if (!await elementsOf(operator).change(element.key, { type: "focus" })) {
    throw new StateError(`${describe(element)} did not accept the keyboard focus`);
  }
  let raised = false;
  for (
    const end = performance.now() + timeByLoad(RAISED_MS);
    !wasInFront && !raised && performance.now() < end;
  ) {
    raised = await isInFront();
    if (!raised) await delay(INTERVAL_MS / 2);
  }
  return { element, raised };
}

/** Scrolls an element into its window, which no pointer is needed for. */
export async function scrollToElement(
  operator: Operator,
  target: ElementTarget,
  signal: AbortSignal,
  isInBackground = false,
): Promise<{ via: "action" | "none"; element: ListedElement; focus?: string }> {
  const found = await findElement(operator, target, signal), { window, element } = found;
  const isShown = (now: ListedElement) => isInView(window, now);
  if (isInBackground) {
    return await inBackground(operator, found, () => scrollInBackground(operator, found, isShown, signal));
  }
  const shown = await shownElement(operator, found);
  return { via: shown === element ? "none" : "action", element: shown };
}

// The switch of the session's accessibility.

/**
 * Switches accessibility on or off. The switch is stored in the person's settings.
 * @returns Whether the setting was changed.
 * @throws UnsupportedError if this desktop has no such switch, or its session has no accessibility.
 */
export async function switchAccessibility(operator: Operator, enabled: boolean): Promise<boolean> {
  const part = elementsOf(operator);
  if (part.setEnabled) return await part.setEnabled(enabled);
  throw new UnsupportedError("elements need no setup on this desktop");
}
