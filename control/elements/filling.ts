/**
 * Sets an element to a value: a text, a number, a state, or one of its options. The result is read back from
 * the element.
 */

import { delay } from "@std/async/delay";
import { ExpectedError, on, StateError } from "../../core/errors.ts";
import { combination } from "../operator/gestures.ts";
import type { Operator } from "../operator/operator.ts";
import { inBackground, needsForeground, setInBackground, switchInBackground } from "./background.ts";
import { isHalfDay } from "./dates.ts";
import { fieldFound, setElement } from "./set.ts";
import { clickElement, shownElement } from "./click.ts";
import { isLabel } from "./labels.ts";
import {
  checkEnabled,
  describeElement as describe,
  type ElementTarget,
  type Found,
  keyedFound,
} from "./query.ts";
import { chosenIn, isSheetCell, listedOptions, type Option, optionIn, optionsOf, within } from "./table.ts";
import { fillParted, findParted, type Parts, partsOf } from "./parted.ts";
import { effectMs, elementsOf, type ListedElement, notAnswering, readAll, rereadElement } from "./list.ts";

/** A value as callers give it: a text or an option, a number, or a state. */
export type FillValue = string | number | boolean;

/** An element that was set to a value. */
export interface Filled {
  /** How it was set: by a click, its program or keys; `none` if it already had the value. */
  via: "click" | "action" | "keys" | "none";
  /** The element afterwards. */
  element: ListedElement;
  /** Describes a focus taken by a background act. */
  focus?: string;
}

/** Polling interval, in milliseconds. */
const INTERVAL_MS = 50;
/** Roles of elements that Qt names after their selection. */
const SHOWING = new Set(["combobox", "tablist"]);
/** Maximum number of arrow key presses to bring a slider or a list to a value. */
const MOST_PRESSES = 400;

/** Roles of elements that can be on or off, and the states that show it. */
const SWITCHES = new Set(
  "checkbox,switch,togglebutton,radio,menuitemcheckbox,menuitemradio,option,listitem,treeitem,row,cell,tab"
    .split(","),
);
const ON = ["checked", "pressed", "selected"];
/** Roles of elements that have a number. */
const RANGES = new Set("slider,spinbutton,scrollbar,dial,progressbar,meter".split(","));
/** Roles of elements that have options. */
const CHOICES = new Set(
  "combobox,list,listbox,tablist,tree,treegrid,table,menu,menubar,radiogroup,group".split(","),
);

/**
 * Sets an element to a value and reads it back.
 * @param to A text for a field or a spreadsheet cell; true or false for a check box, a radio button or an
 * option; a number for a slider or a spin button; the name of an option for a combo box, a list, a tree or a
 * row of tabs.
 * @param isInBackground Whether only the program may act.
 * @throws StateError if the element does not accept the value or does not show it afterwards; the message
 * says what it shows and which options exist. ForegroundError in the background if the program alone cannot
 * set it.
 */
export async function fillElement(
  operator: Operator,
  target: ElementTarget,
  to: FillValue,
  signal: AbortSignal,
  isInBackground = false,
): Promise<Filled> {
  const listed = fieldFound(operator, target, signal).then((found) => keyedFound(operator, found, signal));
  const whole = await listed.catch(async (error) => {
    const parted = error instanceof ExpectedError ? await findParted(operator, target, signal) : undefined;
    if (parted) return parted;
    throw error;
  });
  const found = isLabel(whole.element) ? await findParted(operator, target, signal) ?? whole : whole;
  const { element } = found, parts = await partsIn(operator, found, signal);
  await checkEnabled(operator, found, true);
  if (parts && !isInBackground) return await fillParted(operator, found, parts, String(to), signal);
  const fill = () => filled(new Filling(operator, found, signal, isInBackground), element, to);
  return isInBackground ? await inBackground(operator, found, fill) : await fill();
}

async function partsIn(
  operator: Operator,
  { window, element }: Found,
  signal: AbortSignal,
): Promise<Parts | undefined> {
  if (element.role !== "combobox" || !element.states.includes("hidden")) return undefined;
  return partsOf((await readAll(operator, window, signal)).elements, element.ref);
}

async function filled(fill: Filling, element: ListedElement, to: FillValue): Promise<Filled> {
  const { role } = element;
  if (isSheetCell(element)) return await fill.text(String(to));
  if (SWITCHES.has(role)) return await fill.switchTo(stateOf(to, element));
  if (RANGES.has(role) && !isHalfDay(element, String(to))) return await fill.number(numberOf(to, element));
  if (CHOICES.has(role) || role === "panel" && await fill.hasRadios()) return await fill.choose(String(to));
  return await fill.text(String(to));
}

function stateOf(to: FillValue, element: ListedElement): boolean {
  const known = { true: true, on: true, false: false, off: false }[String(to).toLowerCase()];
  if (known !== undefined) return known;
  throw new StateError(`${describe(element)} takes true or false, not ${JSON.stringify(to)}`);
}

function numberOf(to: FillValue, element: ListedElement): number {
  const value = typeof to === "boolean" || to === "" ? NaN : Number(to);
  if (Number.isFinite(value)) return value;
  throw new StateError(`${describe(element)} takes a number, not ${JSON.stringify(to)}`);
}

/** One element being set to a value. */
class Filling {
  readonly #ref: string;
  /** The names of the element's options. */
  #labels: ReadonlySet<string> = new Set();
  /** Whether options may be missing because the program did not answer in time. */
  #isLate = false;

  constructor(
    readonly operator: Operator,
    readonly found: Found,
    readonly signal: AbortSignal,
    readonly isInBackground: boolean,
  ) {
    this.#ref = found.element.ref;
  }

  /** Sets the text of a field. */
  async text(text: string, ref = this.#ref): Promise<Filled> {
    const { operator, signal } = this;
    if (this.isInBackground) {
      const { element } = await rereadElement(operator, ref, signal);
      return await setInBackground(operator, element, text, signal);
    }
    return await setElement(operator, { element: ref, window: {} }, text, signal);
  }

  /** The text field inside a Swing spin button or a GTK 3 combo box; the element itself if it has none. */
  async #fieldInside(): Promise<string> {
    const { elements } = await readAll(this.operator, this.found.window, this.signal);
    return within(elements, this.#ref).find(({ role }) => role === "textbox")?.ref ?? this.#ref;
  }

  /** Whether the element holds radio buttons. */
  async hasRadios(): Promise<boolean> {
    const { elements } = await readAll(this.operator, this.found.window, this.signal);
    return within(elements, this.#ref).some(({ role }) => role === "radio");
  }

  /** Clicks the element until it is on or off; asks its program if a click has no effect. */
  async switchTo(isOn: boolean): Promise<Filled> {
    const is = ({ states }: ListedElement) =>
      ON.some((state) => states.includes(state as never)) === isOn && !states.includes("mixed");
    const { element } = await rereadElement(this.operator, this.#ref, this.signal);
    if (is(element)) return { via: "none", element };
    if (this.isInBackground) return await switchInBackground(this.operator, element, isOn, this.signal);
    const clicked = await this.#click();
    let now = await this.#until(is);
    if (!is(now) && now.states.includes("mixed") && clicked === "click") {
      await this.#click(); // some change from mixed to the wrong state first
      now = await this.#until(is);
    }
    if (is(now)) return { via: clicked, element: now };
    const change = isOn ? "select" : "press";
    if (await elementsOf(this.operator).change(now.key, { type: change }, this.signal)) {
      now = await this.#until(is);
      if (is(now)) return { via: "action", element: now };
    }
    throw new StateError(`${describe(now)} is ${isOn ? "still off" : "still on"} after the click`);
  }

  async #click(): Promise<Filled["via"]> {
    const { signal } = this, target = { element: this.#ref, window: {} };
    return (await clickElement(this.operator, target, { button: "left", count: 1, signal })).via;
  }

  /** Sets a number through the program, as the text of a spin button, or with arrow keys. */
  async number(value: number): Promise<Filled> {
    const is = ({ value: now }: ListedElement) => now !== undefined && isNear(Number(now), value);
    const { element } = await rereadElement(this.operator, this.#ref, this.signal);
    if (is(element)) return { via: "none", element };
    if (await elementsOf(this.operator).change(element.key, { type: "value", value }, this.signal)) {
      const now = await this.#until(is);
      if (is(now)) return { via: "action", element: now };
    }
    if (element.role === "spinbutton") {
      const field = await this.#fieldInside(), isInside = field !== this.#ref;
      if (isInside && this.isInBackground) {
        throw needsForeground(element, "takes a number only when the keyboard leaves its field");
      }
      const { via } = await this.text(String(value), field);
      if (isInside) await this.#press("tab", 1); // only then does Swing's spinner read the text of its field
      const now = await this.#until(is);
      if (is(now)) return { via, element: now };
    } else if (!this.isInBackground && await this.#focus()) {
      const now = await this.#byArrows(value);
      if (is(now)) return { via: "keys", element: now };
    }
    const { element: now } = await rereadElement(this.operator, this.#ref, this.signal);
    if (this.isInBackground) throw needsForeground(now, "keeps its value, though its program was asked");
    throw new StateError(
      `${describe(now)} has the value ${now.value ?? "(unreadable)"}, not ${value}`,
    );
  }

  /** Presses arrow keys until a slider has a value or gets no closer. */
  async #byArrows(value: number): Promise<ListedElement> {
    let { element } = await rereadElement(this.operator, this.#ref, this.signal), step = 0;
    for (let pressed = 0; pressed < MOST_PRESSES;) {
      const now = Number(element.value), left = value - now;
      if (element.value === undefined || isNear(now, value)) break;
      const times = step ? Math.max(1, Math.min(100, Math.round(Math.abs(left) / step))) : 1;
      await this.#press(left > 0 ? "right" : "left", times);
      pressed += times;
      element = await this.#until((after) => after.value !== String(now));
      const moved = Math.abs(Number(element.value) - now);
      if (!moved || Math.abs(value - Number(element.value)) >= Math.abs(left)) break;
      step = moved / times;
    }
    return element;
  }

  /** Selects an option by name: through the program, by clicking it if it is shown, or with the keyboard. */
  async choose(name: string): Promise<Filled> {
    const { element } = this.found, options = await this.#options(), option = optionIn(options, name);
    if (!option && this.#isLate) throw notAnswering(this.found.window);
    if (!option) return await this.#enter(name, options);
    if (await this.#hasChosen(option)) return { via: "none", element: await this.#now() };
    // Chromium selects an option of a closed list only when the option is pressed.
    const pressing = this.isInBackground ? "choose" as const : "press" as const;
    const types = element.role === "combobox" || this.isInBackground
      ? ["select", pressing] as const
      : ["select"] as const;
    for (const type of types) {
      if (!await elementsOf(this.operator).change(option.key, { type }, this.signal)) continue;
      if (await this.#isSettledOn(option)) return { via: "action", element: await this.#now() };
    }
    if (this.isInBackground) {
      throw needsForeground(
        element,
        `does not show ${JSON.stringify(option.label)}, though its program was asked`,
      );
    }
    const ways = element.role === "combobox"
      ? [() => this.#chooseInOpenList(option), () => this.#chooseByKeys(options, option)]
      : [() => this.#chooseByClick(option)];
    for (const way of ways) {
      const via = await way();
      if (via && await this.#isSettledOn(option)) return { via, element: await this.#now() };
    }
    const now = await this.#now(), shows = chosenIn(await this.#options()) ?? now.value;
    throw new StateError(
      `${describe(now)} shows ${shows === undefined ? "no choice" : JSON.stringify(shows)} after ${
        JSON.stringify(option.label)
      } was chosen`,
    );
  }

  /** Sets the text of a combo box that accepts texts other than its options. */
  async #enter(name: string, options: readonly Option[]): Promise<Filled> {
    const { element } = this.found, isBox = element.role === "combobox";
    const field = isBox ? await this.#fieldInside() : this.#ref;
    if (isBox && (field !== this.#ref || !options.length || element.states.includes("multiline"))) {
      try {
        return await this.text(name, field);
      } catch (error) {
        this.signal.throwIfAborted();
        if (!(error instanceof ExpectedError) || this.isInBackground) throw error;
        await this.#closeList();
        await this.#restore();
      }
    }
    const { value } = await this.#now(), isOther = value !== undefined && value !== element.value;
    throw new StateError(
      `${describe(element)} has no option ${JSON.stringify(name)}${
        options.length
          ? `; it has ${listedOptions(options)}`
          : `, since its options have no names: click it, then click the text ${JSON.stringify(name)}`
      }${isOther ? `; it shows ${JSON.stringify(value)} now` : ""}`,
    );
  }

  /** Restores a selection that a rejected text has changed: in some boxes, typed letters select options. */
  async #restore(): Promise<void> {
    const { value } = this.found.element;
    if (!value || (await this.#now()).value === value) return;
    await this.text(value).catch(on(ExpectedError));
    await this.#closeList();
  }

  /** Closes the list that a click on a combo box opened: the box, or its button, reports that it is open. */
  async #closeList(): Promise<void> {
    const { elements } = await readAll(this.operator, this.found.window, this.signal);
    const parts = [...elements.filter(({ ref }) => ref === this.#ref), ...within(elements, this.#ref)];
    const isOpen = parts.some(({ states }) => states.includes("expanded") || states.includes("pressed"));
    if (isOpen) await this.#press("escape", 1);
  }

  async #chooseByClick(option: Option): Promise<Filled["via"]> {
    const { operator, signal } = this, target = { element: option.ref, window: {} };
    return (await clickElement(operator, target, { button: "left", count: 1, signal })).via;
  }

  /**
   * Opens the list of a combo box, which changes nothing yet, and clicks an option; closes a list that lacks
   * the option.
   */
  async #chooseInOpenList(option: Option): Promise<Filled["via"] | undefined> {
    await this.#click();
    for (const end = performance.now() + effectMs(); performance.now() < end;) {
      const { element } = await rereadElement(this.operator, option.ref, this.signal).catch(
        on(ExpectedError, { element: undefined }),
      );
      if (element?.place && !element.states.includes("hidden")) return await this.#chooseByClick(option);
      await delay(INTERVAL_MS, { signal: this.signal });
    }
    await this.#press("escape", 1);
  }

  /** Moves to an option of a closed combo box with arrow keys, which also select every option on the way. */
  async #chooseByKeys(options: readonly Option[], option: Option): Promise<"keys" | undefined> {
    const at = options.indexOf(option);
    if (at > MOST_PRESSES || !await this.#focus()) return undefined;
    await this.#press("home", 1);
    await this.#until(({ name, value }) => (value || name) === options[0].label);
    await this.#press("down", at);
    return "keys";
  }

  /** Focuses the element without a click, which would open a list or move a slider. */
  async #focus(): Promise<boolean> {
    const found = await rereadElement(this.operator, this.#ref, this.signal);
    await checkEnabled(this.operator, found);
    const element = await shownElement(this.operator, found, this.signal);
    const isFocused = ({ states }: ListedElement) => states.includes("focused");
    if (isFocused(element)) return true;
    await elementsOf(this.operator).change(element.key, { type: "focus" }, this.signal);
    return isFocused(await this.#until(isFocused));
  }

  async #press(key: string, repeat: number): Promise<void> {
    if (repeat) await combination(this.operator, [key], { repeat }, { signal: this.signal });
  }

  async #options(): Promise<Option[]> {
    const { elements, isLate = false } = await readAll(this.operator, this.found.window, this.signal);
    const options = optionsOf(elements, this.#ref);
    this.#isLate = isLate;
    this.#labels = new Set(options.map(({ label }) => label));
    return options;
  }

  async #now(): Promise<ListedElement> {
    return (await rereadElement(this.operator, this.#ref, this.signal)).element;
  }

  async #hasChosen({ ref, label, isSelected }: Option): Promise<boolean> {
    const { role, name, value } = await this.#now(), isNamed = SHOWING.has(role) && this.#labels.has(name);
    if (role === "combobox" && (value || isNamed)) return (value || name) === label;
    if (isSelected || isNamed && name === label) return true;
    const { element } = await rereadElement(this.operator, ref, this.signal).catch(
      on(ExpectedError, { element: undefined }),
    );
    return element?.states.some((state) => ON.includes(state)) ?? false;
  }

  /** Whether an option stays selected, even after closing a list that its program leaves open. */
  async #isSettledOn(option: Option): Promise<boolean> {
    if (!await this.#waitFor(option)) return false;
    if (this.isInBackground) return true;
    const isOpen = ({ role, states }: ListedElement) => role === "combobox" && states.includes("expanded");
    if (!isOpen(await this.#until((element) => !isOpen(element)))) return true;
    await this.#press("escape", 1);
    return await this.#waitFor(option);
  }

  async #waitFor(option: Option): Promise<boolean> {
    const awaited = { ...option, isSelected: false };
    for (const end = performance.now() + effectMs();;) {
      if (await this.#hasChosen(awaited)) return true;
      if (performance.now() > end) return false;
      await delay(INTERVAL_MS, { signal: this.signal });
    }
  }

  /** Reads the element until it shows the requested change or the time is over. */
  async #until(isDone: (element: ListedElement) => boolean): Promise<ListedElement> {
    for (const end = performance.now() + effectMs();;) {
      const element = await this.#now();
      if (isDone(element) || performance.now() > end) return element;
      await delay(INTERVAL_MS, { signal: this.signal });
    }
  }
}

/** Whether two numbers are equal except for rounding. */
function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-6 * Math.max(1, Math.abs(other));
}
