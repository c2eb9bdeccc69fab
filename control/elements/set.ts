/** Sets the texts of elements, and focuses elements. */

import { delay } from "@std/async/delay";
import { StateError, UnsupportedError } from "../../core/errors.ts";
import { waiterOf } from "../../core/mutex.ts";
import { timeByLoad } from "../../core/proc.ts";
import { combination } from "../operator/gestures.ts";
import type { Operator } from "../operator/operator.ts";
import { isShown } from "../desktop/desktop.ts";
import { listWindows } from "../windows/list.ts";
import { inBackground, scrollInBackground } from "./background.ts";
import { clickElement, isInView, shownElement } from "./click.ts";
import {
  cellNamed,
  effectMs,
  elementsOf,
  type ListedElement,
  PASSWORD,
  readAll,
  readElements,
  readIn,
  rereadElement,
} from "./list.ts";
import { type DateStep, dateSteps, isDatePart, shows } from "./dates.ts";
import { fieldMeant, isField, maySetOther } from "./labels.ts";
import {
  checkEnabled,
  checkNoDialog,
  describeElement as describe,
  type ElementTarget,
  findElement,
  type Found,
  keyedFound,
} from "./query.ts";
import { isSheetCell, parentsOf, within } from "./table.ts";

/** Maximum time for which a text may keep changing, in milliseconds. */
const GROWTH_MS = 10_000;
/** Polling interval, in milliseconds. */
const INTERVAL_MS = 50;

/**
 * Advice for elements that accept no typed text, by role. A click would press or select them, and Ctrl+A and
 * Delete would then clear the list or the document around them.
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
 * Sets the text of a field or a spreadsheet cell, and reads it back. If the program does not set it, deskhand
 * types over the old text.
 * @param target The field, its label, or the cell.
 * @returns The element after the change; a cell then has the value that its program derived from the text.
 * @throws StateError if the element accepts no text, or the field shows another text afterwards. A password
 * cannot be read back.
 */
export async function setElement(
  operator: Operator,
  target: ElementTarget,
  text: string,
  signal: AbortSignal,
): Promise<{ via: "action" | "keys"; element: ListedElement }> {
  const found = await keyedFound(operator, await fieldFound(operator, target, signal), signal);
  if (isSheetCell(found.element)) return await setCell(operator, found, text, signal);
  const element = await shownElement(operator, found, signal);
  await checkEnabled(operator, { ...found, element }, true);
  if (/^[^\n]*\n$/.test(text) && !element.states.includes("multiline")) {
    return await setAndEnter(operator, { ...found, element }, text.slice(0, -1), signal);
  }
  const { key, ref, role } = element, isPassword = role === PASSWORD;
  if (text.includes("\n") && isOneLine(operator, element)) throw takesOneLine(element);
  // A password cannot be read back, so only keys are certain to reach the focused field.
  if (!isPassword && await elementsOf(operator).change(key, { type: "set", text }, signal)) {
    const after = await until(operator, ref, (now) => shows(now, text), signal);
    if (shows(after, text)) {
      await elementsOf(operator).change(key, { type: "focus" }, signal); // later keys go there, as after a click
      return { via: "action", element: after };
    }
  }
  const fields = HOLDERS.has(role) ? await fieldsInside(operator, { ...found, element }, signal) : [];
  const steps = dateSteps(fields, text);
  if (steps) return await setParts(operator, ref, steps, text, signal);
  const taken = role === "textbox" && element.states.includes("readonly")
    ? "is read-only"
    : TAKEN.get(role) ?? adviceOn(role, fields);
  if (taken !== undefined) throw new StateError(`${describe(element)} ${taken}`);
  if (text.includes("\t") && isOneLine(operator, element)) {
    throw takesOneLine(element, (await rereadElement(operator, ref, signal)).element.value);
  }
  await clickField(operator, ref, signal);
  await selectAll(operator, element, signal);
  if (text) await typeInto(operator, element, text, signal);
  else await combination(operator, ["delete"], {}, waiterOf(signal));
  const isSet = (now: ListedElement) => isPassword || shows(now, text);
  const after = await until(operator, ref, isSet, signal);
  if (isSet(after)) return { via: "keys", element: after };
  if (!after.value && await textInside(operator, { ...found, element: after }, signal) === text) {
    return { via: "keys", element: { ...after, value: text } };
  }
  throw new StateError(
    `${describe(after)} has the text ${JSON.stringify(after.value ?? "")} after the change`,
  );
}

/** Clicks a field and waits for the keyboard focus. @throws StateError if the field does not get it. */
async function clickField(operator: Operator, ref: string, signal: AbortSignal): Promise<void> {
  await clickElement(operator, { element: ref, window: {} }, { button: "left", count: 1, signal });
  const clicked = await until(operator, ref, isFocused, signal);
  if (isFocused(clicked)) return;
  throw new StateError(`${describe(clicked)} did not get the keyboard focus when clicked`);
}

/** Roles of elements that only hold fields: a click would press one of them. */
const HOLDERS: ReadonlySet<string> = new Set(["date editor", "group", "panel"]);
/** Maximum number of fields in advice. */
const NEAR = 5;

/** The fields in an element that only holds fields. */
async function fieldsInside(
  operator: Operator,
  { window, element: { ref } }: Found,
  signal: AbortSignal,
): Promise<ListedElement[]> {
  return within((await readAll(operator, window, signal)).elements, ref).filter(isField);
}

/** Advice for an element that only holds fields. */
function adviceOn(role: string, fields: readonly ListedElement[]): string | undefined {
  const names = fields.slice(0, NEAR).map(describe).join(", ");
  const takes = role === "date editor" ? "a date or time such as 2026-05-04 or 14:30" : "no text";
  return fields.length ? `takes ${takes}; set one of its fields: ${names}` : undefined;
}

/** Sets the parts of a date or time. @returns The element that holds them, with the whole text. */
async function setParts(
  operator: Operator,
  ref: string,
  steps: readonly DateStep[],
  text: string,
  signal: AbortSignal,
): Promise<{ via: "keys"; element: ListedElement }> {
  const window = {};
  for (const part of steps) await setElement(operator, { element: part.ref, window }, part.text, signal);
  // A later part may have changed an earlier one, such as a day that its month lacks.
  for (const part of steps) {
    const { element } = await rereadElement(operator, part.ref, signal);
    if (shows(element, part.text)) continue;
    throw new StateError(
      `${describe(element)} has the text ${JSON.stringify(element.value ?? "")} in the end`,
    );
  }
  const { element } = await rereadElement(operator, ref, signal);
  return { via: "keys", element: { ...element, value: text } };
}

/** The text of the paragraphs in an element, as in a part of a web page that can be edited. */
async function textInside(
  operator: Operator,
  { window, element: { ref } }: Found,
  signal: AbortSignal,
): Promise<string> {
  const { elements } = await readIn(operator, window, false, signal);
  return within(elements, ref).filter(({ role }) => role === "static").map(({ name }) => name).join("\n");
}

/** Roles of fields with a single line, unless they report several. */
const FIELDS: ReadonlySet<string> = new Set(["autocomplete", "combobox", "spinbutton", "textbox", PASSWORD]);

function isOneLine(operator: Operator, { role, states, value }: ListedElement): boolean {
  return elementsOf(operator).tellsLines === true && FIELDS.has(role) && !states.includes("multiline") &&
    !value?.includes("\n");
}

/** The error for a text with line feeds or tabs. @param value The field's current text. */
function takesOneLine(element: ListedElement, value = element.value): StateError {
  const now = value === element.value ? "" : `; it has the text ${JSON.stringify(value ?? "")} now`;
  return new StateError(
    `${describe(element)} is a single-line field: Enter and Tab would be key presses${now}`,
  );
}

/**
 * Types a text into the focused field. A tab may move the focus to the next field, which must not receive the
 * rest.
 * @throws StateError if this happens.
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

/**
 * Finds an element to set. Programs often do not link a label to its field: a label stands for the field next
 * to it, and the name of a button for a field with this name or label, if there is one.
 */
export async function fieldFound(
  operator: Operator,
  target: ElementTarget,
  signal: AbortSignal,
): Promise<Found> {
  const found = await findElement(operator, target, signal), { element, window } = found;
  const isNamed = target.element === undefined && target.role === undefined;
  if (!maySetOther(element, isNamed)) return found;
  const field = fieldMeant(element, (await readAll(operator, window, signal)).elements, isNamed);
  return field ? { ...found, element: field } : found;
}

/**
 * Types a text into a spreadsheet cell like a person: selects the cell and stores the text with Enter. The
 * keys that select all of a field's text would select the whole sheet.
 */
async function setCell(
  operator: Operator,
  found: Found,
  given: string,
  signal: AbortSignal,
): Promise<{ via: "keys"; element: ListedElement }> {
  const text = given.replace(/\n$/, ""), { name } = found.element;
  if (/[\n\t]/.test(text)) throw new StateError(`${describe(found.element)} takes one line without tabs`);
  const { window, element } = await shownCell(operator, found, signal), { ref } = element;
  await clickField(operator, ref, signal);
  // A click shortly after another one edits the cell's old text, which Escape ends.
  await combination(operator, ["escape"], {}, waiterOf(signal));
  if (text) await operator.type(text, signal);
  // Delete removes the suggestion that the sheet appends to typed text; without a text, it clears the cell.
  await combination(operator, ["delete"], {}, waiterOf(signal));
  // LibreOffice reports the old text of a cleared cell until another cell has the focus.
  await combination(operator, ["enter"], {}, waiterOf(signal));
  for (const end = performance.now() + effectMs();; await delay(INTERVAL_MS, { signal })) {
    const now = await cellNamed(operator, window, { name }, signal) ?? element;
    if (isStored(text, element.value ?? "", now)) return { via: "keys", element: now };
    if (performance.now() < end) continue;
    throw new StateError(
      `${describe(now)} has the value ${JSON.stringify(now.value ?? "")} after the change`,
    );
  }
}

/**
 * The name of the current cell, or of the selected cells, in the field that jumps to the cell whose name is
 * entered.
 */
const PRESENT = /^[A-Z]{1,3}[1-9]\d*(?::[A-Z]{1,3}[1-9]\d*)?$/;

/** A cell that is in view; the sheet jumps to one that is not. */
export async function shownCell(operator: Operator, found: Found, signal: AbortSignal): Promise<Found> {
  return isInView(found.window, found.element) ? found : await goToCell(operator, found, signal);
}

/**
 * Jumps to a spreadsheet cell through the field with the current cell's name: LibreOffice reports success
 * when asked to show or focus a cell, but does neither.
 * @returns The focused cell.
 * @throws StateError if there is no such field, or the sheet does not jump to the cell; the errors of
 * {@linkcode setElement}.
 */
async function goToCell(operator: Operator, found: Found, signal: AbortSignal): Promise<Found> {
  const { window, element } = found;
  await checkEnabled(operator, found);
  const { elements } = await readElements(operator, { id: window.id }, false, signal);
  const parents = parentsOf(elements);
  const box = elements.find(({ role, value = "" }, i) =>
    role === "textbox" && PRESENT.test(value) && elements[parents[i]]?.role === "toolbar"
  );
  if (!box) throw new StateError(`${describe(element)} is not shown: scroll the sheet to it first`);
  await setElement(operator, { element: box.ref, window: {} }, `${element.name}\n`, signal);
  for (const end = performance.now() + effectMs();; await delay(INTERVAL_MS, { signal })) {
    const now = await cellNamed(operator, window, element, signal) ?? element;
    if (isInView(window, now) && isFocused(now)) return { window, element: now };
    if (performance.now() < end) continue;
    throw new StateError(`${describe(now)} is not shown, though its name was entered in ${describe(box)}`);
  }
}

/**
 * Whether a cell shows what its program makes of a text: a reformatted number or date, or a formula's value.
 */
function isStored(text: string, before: string, { value = "", formula = "" }: ListedElement): boolean {
  const plain = (text: string) => text.replaceAll(/[ …]/g, "").toUpperCase();
  if (value === text) return true;
  if (before && value === before + text) return false;
  // The formula may be truncated with an ellipsis.
  if (text.startsWith("=")) return formula !== "" && plain(text).startsWith(plain(formula));
  return text !== "" && value !== "" && (value !== before || Number(value) === Number(text));
}

/** Sets the text of a single-line field, and presses Enter for the line feed at the end of the text. */
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
    // Qt moves the focus within a window that stays behind the one where Enter would go.
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
 * Selects all text of the focused field. It uses two methods, since older Windows fields do not know Ctrl+A
 * and Swing fields do not know Ctrl+Home; letters left in a password would go unnoticed. In a part of a date,
 * where typing replaces all, Ctrl+Home and Ctrl+Shift+End would scroll the page.
 */
async function selectAll(operator: Operator, element: ListedElement, signal: AbortSignal): Promise<void> {
  const ways = [["ctrl", "a"], ["ctrl", "home"], ["ctrl", "shift", "end"]];
  for (const keys of isDatePart(element) ? ways.slice(0, 1) : ways) {
    await combination(operator, keys, {}, waiterOf(signal));
  }
}

/** Reads an element until it shows the requested change, or has stopped changing for the maximum time. */
async function until(
  operator: Operator,
  ref: string,
  isDone: (element: ListedElement) => boolean,
  signal: AbortSignal,
): Promise<ListedElement> {
  const first = performance.now(), ms = effectMs();
  for (let last: string | undefined, end = first + ms;;) {
    const { element } = await rereadElement(operator, ref, signal), time = performance.now();
    if (isDone(element) || time > end) return element;
    // A program may still be handling the keys of a long text.
    if (element.value !== last) end = Math.min(time + ms, first + GROWTH_MS);
    last = element.value;
    await delay(INTERVAL_MS, { signal });
  }
}

const isFocused = ({ states }: ListedElement) => states.includes("focused");

/** Maximum time for a program to bring its window to the front, in milliseconds; longer on a busy machine. */
const RAISED_MS = 150;

/**
 * Focuses an element.
 * @returns The element, and whether its program brought its window to the front to do so, like GTK 3.
 * @throws StateError if its program does not focus it, or its window waits for a dialog.
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
  if (isSheetCell(element)) {
    return { element: (await goToCell(operator, found, signal)).element, raised: !wasInFront };
  }
  if (!await elementsOf(operator).change(element.key, { type: "focus" }, signal)) {
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

/**
 * Scrolls an element into view, which needs no pointer.
 * @throws StateError if it does not come into view, or has no place, so that this is unknown.
 */
export async function scrollToElement(
  operator: Operator,
  target: ElementTarget,
  signal: AbortSignal,
  isInBackground = false,
): Promise<{ via: "action" | "none"; element: ListedElement; focus?: string }> {
  // A list calls elements of GTK 4 shown that are scrolled away, which the element alone does not.
  const { element: { ref } } = await findElement(operator, target, signal);
  const found = await rereadElement(operator, ref, signal);
  const { window, element } = found;
  const isShown = (now: ListedElement) => now.place !== undefined && isInView(window, now);
  if (isInBackground) {
    return await inBackground(operator, found, () => scrollInBackground(operator, found, isShown, signal));
  }
  const shown = isSheetCell(element)
    ? (await shownCell(operator, found, signal)).element
    : await shownElement(operator, found, signal);
  if (!shown.place) throw new StateError(`${describe(shown)} has no place, so it may be out of view`);
  return { via: shown === element ? "none" : "action", element: shown };
}

// Turns the session's accessibility on or off.

/**
 * Turns accessibility on or off. The switch is stored in the user's settings.
 * @returns Whether the setting changed.
 * @throws UnsupportedError if this desktop has no such switch, or its session has no accessibility.
 */
export async function switchAccessibility(operator: Operator, enabled: boolean): Promise<boolean> {
  const part = elementsOf(operator);
  if (part.setEnabled) return await part.setEnabled(enabled);
  throw new UnsupportedError("elements need no setup on this desktop");
}
