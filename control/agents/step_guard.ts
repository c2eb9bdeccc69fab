/**
 * Stops several steps before one that would press or type blindly: after a press or a text that changed nothing, and in
 * a window that became active without a step that waited for it.
 */

import { ExpectedError, UnsupportedError } from "../../core/errors.ts";
import { ELEMENT_PLACE } from "../actions/elements.ts";
import { contains, type WindowInfo } from "../desktop/desktop.ts";
import { lastListed, readElements } from "../elements/list.ts";
import { windowAt } from "../observe/aims.ts";
import type { Seen } from "../observe/mod.ts";
import type { Operator } from "../operator/operator.ts";
import { activeOf } from "../windows/difference.ts";
import { listWindows, matchingWindows, type WindowQuery } from "../windows/list.ts";
import type { Answer, Tool } from "./tool.ts";
import { quotedTitle } from "./window_report.ts";

/** A step as its caller wrote it. */
export interface GuardedStep {
  tool: Tool;
  values: Readonly<Record<string, unknown>>;
  /** The effect that the step expects, which was there at its end. */
  expect?: { window?: WindowQuery & { gone?: boolean }; element?: { gone?: boolean } } | undefined;
}

/** Guards the steps of one call. */
export class StepGuard {
  /**
   * The windows that the steps' writer knows of, as long as they are there; undefined where the desktop does not list its
   * windows.
   */
  #known: readonly WindowInfo[] | undefined;
  /** The windows before the last step that pressed or typed. */
  #before: readonly WindowInfo[] = [];
  /** The active window that the steps' writer knows of. */
  #accepted: WindowInfo | undefined;
  /** Windows that a step named or waited for, and that were not active yet. */
  #awaited: WindowQuery[] = [];
  /** Whether a step started a program, whose window nobody can name beforehand. */
  #awaitsAny = false;
  /** The number of the step that changed nothing. */
  #missed: number | undefined;

  private constructor(readonly operator: Operator, readonly anyWindow: boolean) {}

  /** @param anyWindow Whether the steps go on in any window. */
  static async begin(operator: Operator, anyWindow: boolean): Promise<StepGuard> {
    const guard = new StepGuard(operator, anyWindow);
    guard.#known = await windowsOf(operator);
    guard.#accepted = guard.#known && activeOf(guard.#known);
    return guard;
  }

  /** Tells whether a press or a text changed nothing. */
  get isMissed(): boolean {
    return this.#missed !== undefined;
  }

  /** The reason why a step must not be done, in words behind "not done"; undefined if there is none. */
  async refusal({ tool, values }: GuardedStep): Promise<string | undefined> {
    if (!tool.aim && tool.name !== "press") return undefined;
    if (this.#missed !== undefined) return `step ${this.#missed} changed nothing`;
    const named = windowNamed(values.element, this.operator);
    if (named) this.#awaited.push(named);
    if (this.anyWindow || !this.#known) return undefined;
    const windows = await windowsOf(this.operator) ?? [], active = activeOf(windows);
    this.#known = this.#known.filter((known) => windows.some(({ id }) => id === known.id));
    const isKnown = named !== undefined || !active || await this.#knows(active, windows);
    this.#before = windows;
    if (isKnown) return undefined;
    return `the window ${
      quotedTitle(active)
    } became active, for which no step waited ("any_window":true goes on)`;
  }

  /** Notes a step that was done, and what it showed. */
  async done(step: GuardedStep, number: number, answer: Answer, seen: Seen | undefined): Promise<void> {
    const { tool, values, expect } = step;
    for (const query of queriesOf(step)) await this.#waited(query);
    if (tool.name === "open") this.#awaitsAny = true;
    if (tool.name === "wait" && values.ms === undefined && values.still === undefined) {
      this.#missed = undefined; // the effect came late
    }
    const isMiss = seen?.verdict === "miss" && tool.aim !== undefined && tool.aim !== "keys";
    if (!isMiss || expect || answer.isReadBack) return;
    if (tool.aim === "place" && await hadKeyboard(this.operator)) return;
    this.#missed = number;
  }

  /** Notes that a step waited for a window. */
  async #waited(query: WindowQuery): Promise<void> {
    const active = activeOf(await windowsOf(this.operator) ?? []);
    if (active && matchingWindows([active], query).length) this.#accept(active);
    else if (Object.keys(query).length) this.#awaited.push(query);
  }

  /** Tells whether the steps' writer knows of the active window, and notes it. */
  async #knows(active: WindowInfo, windows: readonly WindowInfo[]): Promise<boolean> {
    const accepted = this.#accepted;
    if (accepted?.id === active.id) return true;
    const at = this.#awaited.findIndex((query) => matchingWindows([active], query).length > 0);
    if (at >= 0) this.#awaited.splice(at, 1); // a second window of that title is another one
    const isNew = !this.#known!.some(({ id }) => id === active.id);
    const isBehind = !isNew && !windows.some(({ id }) => id === accepted?.id); // a dialog in front of it closed
    const isKnown = at >= 0 || isBehind || isNew && this.#awaitsAny ||
      windowAt(this.#before, await this.operator.sharedPosition())?.id === active.id;
    if (!isKnown) return false;
    if (isNew) this.#awaitsAny = false;
    this.#accept(active);
    return true;
  }

  #accept(window: WindowInfo): void {
    this.#accepted = window;
    this.#known = [...this.#known ?? [], window];
  }
}

/** The windows that a step was sure to know of when it was done. */
function queriesOf({ tool, values, expect }: GuardedStep): WindowQuery[] {
  const waits = tool.name === "wait" ? [values] : [], queries: WindowQuery[] = [];
  for (const { window, element } of [...waits, ...expect ? [expect] : []] as NonNullable<typeof expect>[]) {
    if (window && !window.gone) queries.push(queryOf(window));
    if (element && !element.gone) queries.push(queryOf(elementsWindow(element)));
  }
  if (tool.name === "window" && values.change !== "close") queries.push(queryOf(values));
  return queries;
}

/** The window of an awaited element; the active one if the element names none. */
function elementsWindow(element: unknown): WindowQuery {
  try {
    return ELEMENT_PLACE.parse(element, "element")?.window ?? {};
  } catch {
    return {};
  }
}

/** The window that an element in place of x and y names by itself: by its ref, or behind `in`. */
function windowNamed(element: unknown, operator: Operator): WindowQuery | undefined {
  if (element === undefined) return undefined;
  try {
    const { element: ref, window } = ELEMENT_PLACE.parse(element, "element")!;
    if (ref !== undefined) return { id: lastListed(operator, ref).windowId };
    return Object.values(window).some((value) => value !== undefined) ? window : undefined;
  } catch (error) {
    if (error instanceof ExpectedError) return undefined; // the step itself says what is wrong
    throw error;
  }
}

function queryOf({ id, title, class: kind, pid }: WindowQuery): WindowQuery {
  return Object.fromEntries(
    Object.entries({ id, title, class: kind, pid }).filter(([, value]) => value !== undefined),
  );
}

/** Tells whether the field at the pointer has the keyboard: a press there may change nothing that can be seen. */
async function hadKeyboard(operator: Operator): Promise<boolean> {
  try {
    const { elements } = await readElements(operator, {}), point = await operator.sharedPosition();
    return elements.some(({ states, place }) =>
      states.includes("focused") && place !== undefined && contains(place, point)
    );
  } catch (error) {
    if (error instanceof ExpectedError) return false;
    throw error;
  }
}

/** The windows; undefined where the desktop does not list them. */
async function windowsOf(operator: Operator): Promise<readonly WindowInfo[] | undefined> {
  try {
    return await listWindows(operator);
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    throw error;
  }
}
