/**
 * Clicks on what a search found in the screen's pixels, and acts on the element that replaces a missing one.
 */

import { ChangedError, NotFoundError, StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { contains, type Point, type Region } from "../desktop/desktop.ts";
import { standInFor } from "../elements/recorded.ts";
import { type ListedElement, readElements } from "../elements/list.ts";
import {
  describeElement,
  describeElementQuery,
  type ElementClick,
  type ElementTarget,
} from "../elements/query.ts";
import type { PressCaller } from "../operator/activation.ts";
import type { Operator } from "../operator/operator.ts";
import { changeWindow } from "../windows/change.ts";
import { windowPart, type WindowQuery } from "../windows/list.ts";
import type { ActionContext } from "./action.ts";

/** Maximum time for a window to come to the front, in milliseconds; longer on a busy machine. */
const FRONT_MS = 2000;

/** A result that names the replacement for a missing element. */
interface Healed {
  healed?: string;
}

/**
 * Acts on an element, or on its replacement if it is not found.
 * @param otherwise Acts if no rule finds a replacement.
 * @returns The result; `healed` describes the replacement.
 * @throws The error of the first attempt if there is no replacement; StateError if a rule matches several
 * elements.
 */
export async function actOrHeal<T>(
  target: ElementTarget,
  operator: Operator,
  act: (target: ElementTarget) => Promise<T & Healed>,
  otherwise?: () => Promise<T & Healed>,
): Promise<T & Healed> {
  try {
    return await act(target);
  } catch (error) {
    if (!(error instanceof NotFoundError) || target.element !== undefined) throw error;
    const { elements } = await readElements(operator, target.window).catch(() => {
      throw error; // the window itself is missing
    });
    const found = standInFor(target, elements);
    if (found) return { ...await act({ element: found.element.ref, window: {} }), healed: found.told };
    if (!otherwise || !target.name) throw error;
    return await otherwise().catch((other) => {
      throw other instanceof NotFoundError ? error : other;
    });
  }
}

/**
 * Brings a window to the front.
 * @returns The part of it that is on the screen.
 * @throws The errors of {@linkcode changeWindow}; StateError if other windows stay in front.
 */
export async function frontPart(
  operator: Operator,
  query: WindowQuery,
  signal: AbortSignal,
): Promise<Region> {
  const front = await changeWindow(operator, {
    query,
    change: { to: "active" },
    timeoutMs: timeByLoad(FRONT_MS),
    signal,
  });
  const { region, window: covered } = await windowPart(operator, front!.id, {});
  if (covered) throw new StateError(`other windows stay in front of ${JSON.stringify(front!.title)}`);
  return region;
}

/**
 * Clicks the element that replaces a missing text: the only one whose name is the text, ignoring punctuation
 * and spaces.
 * @param error Thrown if there is none.
 * @returns A description of the replacement.
 */
export async function clickElementOf(
  text: string,
  window: WindowQuery,
  click: ElementClick,
  { operator }: Pick<ActionContext, "operator">,
  error: unknown,
): Promise<string> {
  const { elements } = await readElements(operator, window).catch(() => {
    throw error;
  });
  const element = standInFor({ name: text }, elements)?.element;
  if (!element) throw error;
  const { clickChecked } = await import("../elements/chosen.ts");
  await clickChecked(operator, { element: element.ref, window: {} }, click);
  return `the text ${JSON.stringify(text)} is not there: ${describeElement(element)} has this name`;
}

/**
 * Clicks the text that a missing element had as its name, if its window shows that text exactly once.
 * @returns The smallest element at that place, and the text in words.
 * @throws NotFoundError if the text is not there; StateError if it appears several times.
 */
export async function clickTextOf(
  target: ElementTarget,
  { button, count }: ElementClick,
  context: ActionContext,
): Promise<{ element: ListedElement; told: string }> {
  const { operator, signal } = context, { window } = await readElements(operator, target.window);
  const region = await frontPart(operator, { id: window.id }, signal), text = target.name!;
  const [{ oneText }, reader] = await Promise.all([import("../read/find.ts"), context.reader()]);
  const find = async () => {
    const { center, text: shown } = await oneText(reader, { text, region, source: "screen", signal });
    const { elements } = await readElements(operator, { id: window.id });
    const element = elements.findLast(({ place }) => place && contains(place, center)) ?? elements[0];
    if (!element) throw new StateError(`the window shows no elements at the text ${JSON.stringify(shown)}`);
    return { center, shown, element };
  };
  const { center, shown, element } = await clickFound(
    region,
    find,
    ({ center }, caller) => operator.click(center, button, count, [], caller),
    context,
  );
  const told =
    `${describeElementQuery(target)} is not there: the text ${JSON.stringify(shown)} on the screen, at ` +
    `${center.x},${center.y}, was clicked`;
  return { element, told };
}

/** Maximum number of searches for a click target, if the screen changes between a search and its press. */
const SEARCHES = 3;
/** Key of a search's picture. */
const SEARCHED = "searched";

/** A place that was found; `ref` is set if it belongs to an element, whose program reports it. */
interface FoundPlace {
  center: Point;
  ref?: string | undefined;
}

/**
 * Finds a place in the screen's pixels and clicks it with the same checks as a press that names its picture:
 * a search takes up to a second, in which windows may move.
 * @param area The region to search.
 * @param press Clicks the place; receives the caller of the press.
 * @throws ChangedError if the place changes after every search; the errors of `find` and `press`.
 */
export async function clickFound<T extends FoundPlace>(
  area: Partial<Region>,
  find: () => Promise<T>,
  press: (found: T, caller: PressCaller) => Promise<unknown>,
  context: ActionContext,
): Promise<T> {
  const { SeenPictures } = await import("../observe/mod.ts"), { operator, signal } = context;
  const seen = new SeenPictures(operator); // not the callers' store, whose pictures it would evict
  for (let search = 1;; search++) {
    await seen.keep(SEARCHED, operator.region(area));
    const found = await find();
    signal.throwIfAborted();
    try {
      const expects = found.ref === undefined
        ? await seen.check(SEARCHED, found.center, true, true, context)
        : undefined;
      await context.aimAt?.(found.center);
      await press(found, { signal, check: () => context.check?.(), expects });
      return found;
    } catch (error) {
      if (!(error instanceof ChangedError) || search === SEARCHES) throw error;
    }
  }
}
