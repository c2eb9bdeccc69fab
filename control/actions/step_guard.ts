/**
 * Stops a list of steps before one that would press or type blindly: after a press or a text that changed
 * nothing, or in a window that became active without a step that waited for it. Every interface that accepts
 * lists of steps uses it.
 */

import { attempt, ExpectedError, on, StateError } from "../../core/errors.ts";
import { contains, type WindowInfo } from "../desktop/desktop.ts";
import { lastListed, readElements } from "../elements/list.ts";
import { windowAt } from "../observe/aims.ts";
import type { Seen } from "../observe/mod.ts";
import type { Operator } from "../operator/operator.ts";
import {
  activeOf,
  type KnownWindows,
  matchingWindows,
  quotedTitle,
  type WindowQuery,
} from "../windows/list.ts";
import { isJsonObject } from "../../core/json.ts";
import { ELEMENT_PLACE } from "./element_fields.ts";

/**
 * The target of a step's input: a place on the screen, or the focused window, by a text, by keys, or by a key
 * or button that stays pressed.
 */
export type StepAim = "place" | "text" | "keys" | "held";

/** The fields that name windows in a wait, an expected effect or a window change. */
interface Awaited {
  window?: WindowQuery & { gone?: boolean | undefined } | undefined;
  element?: unknown;
}

/** A step of a list, in terms that all interfaces share. */
export interface GuardedStep {
  /** The step's number in its list, from 1. */
  number: number;
  /** Left out if the step neither presses nor types. */
  aim?: StepAim | undefined;
  /** The step's name and fields as its caller wrote them. */
  given: Readonly<Record<string, unknown>>;
  /** The states that the step waits for, expects or changes. */
  awaits: readonly Awaited[];
  /** Whether the step waits for something other than a time, so that an earlier effect may have come late. */
  isWait?: boolean;
  /** Whether the step starts a program, whose window cannot be named in advance. */
  startsProgram?: boolean;
  /** Whether the step itself checks its effect. */
  isChecked?: boolean;
}

interface Done<T> {
  result: T;
  /** The step's effect, if it was observed. */
  seen?: Seen | undefined;
  /** Whether the step verified its effect by reading the value back. */
  isReadBack?: boolean | undefined;
}

/** The error of a step that was skipped, since it would have pressed or typed blindly. */
export class BlindStepError extends StateError {
  /**
   * @param reason The reason in words.
   * @param isMiss Whether an earlier step changed nothing; otherwise, the active window is one that no step
   * waited for.
   */
  constructor(readonly reason: string, readonly isMiss: boolean) {
    super(`not done: ${reason}`);
  }
}

/** Guards the steps of one call. */
export class StepGuard {
  /**
   * The windows that the author of the steps knows about, while they exist; undefined where the desktop does
   * not list its windows.
   */
  #known: readonly WindowInfo[] | undefined;
  /** The windows before the last step that pressed or typed. */
  #before: readonly WindowInfo[] = [];
  /** The active window that the author of the steps knows about. */
  #accepted: WindowInfo | undefined;
  /** Windows that a step named or waited for and that are not active yet. */
  #awaited: WindowQuery[] = [];
  /** Whether a step started a program: the name of its window is not known in advance. */
  #awaitsAny = false;
  /** The step that changed nothing. */
  #missed: GuardedStep | undefined;

  private constructor(readonly windows: KnownWindows) {}

  /**
   * @param windows The windows as the call knows them.
   * @param anyWindow Whether the steps continue in any window.
   */
  static async begin(windows: KnownWindows, anyWindow: boolean): Promise<StepGuard> {
    const guard = new StepGuard(windows);
    guard.#known = anyWindow ? undefined : await windows.ifListed();
    guard.#accepted = guard.#known && activeOf(guard.#known);
    return guard;
  }

  /**
   * Runs a step.
   * @throws BlindStepError before the step runs if it would press or type blindly; the errors of `run`.
   */
  async run<T>(step: GuardedStep, run: () => Promise<Done<T>>): Promise<Done<T>> {
    await this.#check(step);
    const result = await run().finally(() => this.windows.forget());
    await this.#done(step, result);
    return result;
  }

  async #check(step: GuardedStep): Promise<void> {
    if (!step.aim) return;
    const missed = this.#missed;
    if (missed && !isSamePress(missed, step)) {
      throw new BlindStepError(`step ${missed.number} changed nothing`, true);
    }
    const { operator } = this.windows, named = windowNamed(pressedElement(step.given), operator);
    if (named) this.#awaited.push(named);
    if (!this.#known) return;
    const windows = await this.windows.ifListed() ?? [], active = activeOf(windows);
    this.#known = this.#known.filter((known) => windows.some(({ id }) => id === known.id));
    const isKnown = named !== undefined || !active || await this.#knows(active, windows);
    this.#before = windows;
    if (isKnown) return;
    throw new BlindStepError(
      `the window ${
        quotedTitle(active)
      } became active, but no step waited for it; set "any_window":true to continue anyway`,
      false,
    );
  }

  /** Records a finished step and what it showed. */
  async #done(step: GuardedStep, { seen, isReadBack }: Done<unknown>): Promise<void> {
    for (const query of step.awaits.flatMap(awaitedWindows)) await this.#waited(query);
    if (step.startsProgram) await this.#started();
    if (step.isWait) this.#missed = undefined;
    const { aim } = step, isMiss = seen?.verdict === "miss" && (aim === "place" || aim === "text");
    if (!isMiss || step.isChecked || isReadBack) return;
    if (aim === "place" && await hadKeyboard(this.windows.operator, seen!.listed)) return;
    this.#missed = step;
  }

  /**
   * Records the window of a program that a step started or brought to the front; it may not have appeared
   * yet.
   */
  async #started(): Promise<void> {
    const active = this.#known && activeOf(await this.windows.ifListed() ?? []);
    this.#awaitsAny = active === undefined || active.id === this.#accepted?.id;
    if (active) this.#accept(active);
  }

  /** Records that a step waited for a window. */
  async #waited(query: WindowQuery): Promise<void> {
    if (!this.#known) return;
    const active = activeOf(await this.windows.ifListed() ?? []);
    if (active && matchingWindows([active], query).length) this.#accept(active);
    else if (Object.keys(query).length) this.#awaited.push(query);
  }

  /** Whether the author of the steps knows about the active window; records it. */
  async #knows(active: WindowInfo, windows: readonly WindowInfo[]): Promise<boolean> {
    const accepted = this.#accepted;
    if (accepted?.id === active.id) return true;
    const at = this.#awaited.findIndex((query) => matchingWindows([active], query).length > 0);
    if (at >= 0) this.#awaited.splice(at, 1); // a second window with that title is a different one
    const isNew = !this.#known!.some(({ id }) => id === active.id);
    const isBehind = !isNew && !windows.some(({ id }) => id === accepted?.id); // a dialog before it closed
    const isKnown = at >= 0 || isBehind || isNew && this.#awaitsAny ||
      windowAt(this.#before, await this.windows.operator.sharedPosition())?.id === active.id;
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

/**
 * Whether a step repeats the press that changed nothing at the same place: it does not rely on the first
 * press. A lost text, in contrast, would be repeated wherever its first half went.
 */
function isSamePress(missed: GuardedStep, step: GuardedStep): boolean {
  return missed.aim === "place" && step.aim === "place" &&
    JSON.stringify(missed.given) === JSON.stringify(step.given);
}

/** The windows that a wait, or an expected effect, has certainly seen when it ends. */
function awaitedWindows({ window, element }: Awaited): WindowQuery[] {
  const isGone = (element as { gone?: boolean } | undefined)?.gone ?? false;
  return [
    ...window && !window.gone ? [windowQuery(window)] : [],
    ...element !== undefined && !isGone ? [windowQuery(elementsWindow(element))] : [],
  ];
}

/** The window of an awaited element; the active one if the element names none. */
function elementsWindow(element: unknown): WindowQuery {
  return attempt(() => ELEMENT_PLACE.parse(element, "element")?.window ?? {}, {});
}

/** The element that a step presses, from the fields of a click or a drag. */
function pressedElement({ element, path, from }: Readonly<Record<string, unknown>>): unknown {
  const start = Array.isArray(path) ? path[0] : from;
  return element ?? (isJsonObject(start) ? start.element : undefined);
}

/** The window that an element given instead of x and y names itself: by its ref, or after `in`. */
function windowNamed(element: unknown, operator: Operator): WindowQuery | undefined {
  if (element === undefined) return undefined;
  const named = () => {
    const { element: ref, window } = ELEMENT_PLACE.parse(element, "element")!;
    if (ref !== undefined) return { id: lastListed(operator, ref).windowId };
    return Object.values(window).some((value) => value !== undefined) ? window : undefined;
  };
  return attempt(named, undefined, ExpectedError); // the step itself reports what is wrong
}

/** The fields of a step that choose a window. */
function windowQuery({ id, title, class: kind, pid }: WindowQuery): WindowQuery {
  return Object.fromEntries(
    Object.entries({ id, title, class: kind, pid }).filter(([, value]) => value !== undefined),
  );
}

/**
 * Whether the field at the pointer is focused: a press there may change nothing visible.
 * @param listed The windows after the press.
 */
async function hadKeyboard(operator: Operator, listed: Seen["listed"]): Promise<boolean> {
  const atHand = listed?.isCurrent() ? listed.after : undefined;
  const read = await readElements(operator, {}, false, undefined, atHand).catch(on(ExpectedError));
  const point = read && await operator.sharedPosition().catch(on(ExpectedError));
  return point !== undefined &&
    read!.elements.some(({ states, place }) =>
      states.includes("focused") && place !== undefined && contains(place, point)
    );
}
