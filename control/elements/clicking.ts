/** Clicks elements: with the pointer if a click surely hits the element, otherwise by asking the element's program. */

import { StateError } from "../../core/errors.ts";
import type { Operator } from "../operator.ts";
import { describeElement, type ElementClick, type ElementTarget, findElement } from "./finding.ts";
import { clickIfThere } from "./pressing.ts";
import { type ElementPlace, reachElement } from "./reaching.ts";
import { elementsOf, type ListedElement } from "./reading.ts";
import { comesToRest } from "./resting.ts";

/** A click that was done. */
interface Clicked {
  via: "click" | "action";
  /** The element at the moment of the click. */
  element: ListedElement;
}

/**
 * Roles of elements for which a press by the program has the same effect as a click. For other roles the effect may
 * differ: a field submits its form.
 */
const PRESSABLE = new Set(
  ("button,togglebutton,menubutton,checkbox,radio,switch,link,tab,menu,menuitem,menuitemcheckbox,menuitemradio")
    .split(","),
);

/**
 * Clicks an element as a person would: scrolled into view, its window brought to the front, on its middle, while it
 * holds still. If the element has no place, moves, or is covered, its program presses it, which cannot hit another
 * element.
 * @returns The element, and how it was clicked.
 * @throws StateError if it is disabled or not shown, or can be clicked in neither way.
 */
export async function clickElement(
  operator: Operator,
  target: ElementTarget,
  click: ElementClick,
): Promise<Clicked> {
  const found = await findElement(operator, target);
  if (found.element.states.includes("disabled")) {
    throw new StateError(`${describeElement(found.element)} is disabled`);
  }
  const place = await reachElement(operator, found, click.signal), { element } = place;
  if (!place.point) return await pressed(operator, element, click, "has no place");
  if (place.coveredBy) {
    return await pressed(operator, element, click, `is covered by ${place.coveredBy}`, PRESSABLE);
  }
  if (!await comesToRest(operator, place, click.signal, 0)) {
    return await clickedMoving(operator, place, click);
  }
  if (await clickIfThere(operator, place, click)) return { via: "click", element };
  return await pressed(operator, element, click, MOVED, PRESSABLE);
}

const MOVED = "moved while it was clicked";
/** The time that a moving element may take to come to rest, in milliseconds, if its program cannot press it. */
const REST_MS = 2000;

/** Asks the program to press a moving element, or clicks the element when it has come to rest. */
async function clickedMoving(operator: Operator, place: ElementPlace, click: ElementClick): Promise<Clicked> {
  const { element } = place;
  if (isPlain(click) && PRESSABLE.has(element.role)) {
    if (await elementsOf(operator).change(element.key, { type: "press" })) return { via: "action", element };
  }
  const rested = await comesToRest(operator, place, click.signal, REST_MS);
  if (!rested) throw new StateError(`${describeElement(element)} does not hold still`);
  if (await clickIfThere(operator, rested, click)) return { via: "click", element: rested.element };
  throw new StateError(`${describeElement(element)} ${MOVED}`);
}

/**
 * Presses an element by its program.
 * @param why The reason why it is not clicked.
 * @param roles Those that may be pressed; all if left out.
 */
async function pressed(
  operator: Operator,
  element: ListedElement,
  click: ElementClick,
  why: string,
  roles?: ReadonlySet<string>,
): Promise<Clicked> {
  const mayPress = isPlain(click) && (roles?.has(element.role) ?? true);
  if (mayPress && await elementsOf(operator).change(element.key, { type: "press" })) {
    return { via: "action", element };
  }
  if (click.isByPointer) throw new StateError(`${describeElement(element)} ${why}`);
  const not = isPlain(click) ? "and its program does not press it" : "and a program presses it only once";
  throw new StateError(`${describeElement(element)} ${why}, ${not}`);
}

/** Tells whether a press by the program has the effect of the click. */
function isPlain({ button, count, hold = [], isByPointer }: ElementClick): boolean {
  return !isByPointer && button === "left" && count === 1 && !hold.length;
}
