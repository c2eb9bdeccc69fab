/** Acts on the element that takes the place of a missing one. */

import { NotFoundError, StateError } from "../../core/errors.ts";
import { contains } from "../desktop/desktop.ts";
import { standInFor } from "../elements/healing.ts";
import { type ListedElement, readElements } from "../elements/list.ts";
import { describeElementQuery, type ElementClick, type ElementTarget } from "../elements/query.ts";
import type { Operator } from "../operator/operator.ts";
import { changeWindow } from "../windows/change.ts";
import { windowPart } from "../windows/list.ts";
import type { ActionContext } from "./action.ts";

/** The longest time for a window to come to the front, in milliseconds. */
const FRONT_MS = 2000;

/** A result that names the element that was used instead of a missing one. */
interface Healed {
  healed?: string;
}

/**
 * Acts on an element, or on its stand-in if it is not found.
 * @param otherwise Acts where no rule finds a stand-in.
 * @returns The result; `healed` tells what took the element's place.
 * @throws The error of the first try if there is no stand-in; StateError if a rule fits several elements.
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
 * Clicks the text that a missing element had as its name, where its window shows the text once.
 * @returns The smallest element at that place, and the text in words.
 * @throws NotFoundError if the text is not there; StateError if it is there several times.
 */
export async function clickTextOf(
  target: ElementTarget,
  { button, count }: ElementClick,
  context: ActionContext,
): Promise<{ element: ListedElement; told: string }> {
  const { operator, signal } = context, { window } = await readElements(operator, target.window);
  await changeWindow(operator, {
    query: { id: window.id },
    change: { to: "active" },
    timeoutMs: FRONT_MS,
    signal,
  });
  const { region, window: covered } = await windowPart(operator, window.id, {}), text = target.name!;
  if (covered) throw new StateError(`other windows stay in front of ${JSON.stringify(window.title)}`);
  const [{ oneText }, reader] = await Promise.all([import("../read/find.ts"), context.reader()]);
  const { center, text: shown } = await oneText(reader, { text, region, source: "screen", signal });
  const { elements } = await readElements(operator, { id: window.id });
  const element = elements.findLast(({ place }) => place && contains(place, center)) ?? elements[0];
  if (!element) throw new StateError(`the window shows no elements at the text ${JSON.stringify(shown)}`);
  signal.throwIfAborted();
  await context.aimAt?.(center);
  await operator.click(center, button, count, [], context);
  const told =
    `${describeElementQuery(target)} is not there: the text ${JSON.stringify(shown)} on the screen, at ` +
    `${center.x},${center.y}, was clicked`;
  return { element, told };
}
