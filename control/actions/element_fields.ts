/** The fields of elements: how one is chosen, and how one is described. */

import { InputError } from "../../core/errors.ts";
import { describeValue } from "../../core/printable.ts";
import type { ElementTarget } from "../elements/finding.ts";
import type { Operator } from "../operator.ts";
import { pointOf } from "./fields.ts";
import { WINDOW_ID, WINDOW_QUERY } from "./window_fields.ts";
import { ELEMENT_STATES, type Point } from "../desktop.ts";
import type { ListedElement } from "../elements/reading.ts";
import {
  choice,
  converted,
  count,
  flag,
  group,
  integer,
  list,
  optional,
  patterned,
  plainText,
  text,
  type Values,
  wholeNumber,
} from "./schema.ts";

/** A short name of an element. */
export const REF = patterned(/^e[1-9]\d*$/, "a ref such as e12, from /api/elements", "The ref of an element");

/** The fields that choose the window of elements; the active window if none is given. */
export const ELEMENT_WINDOW = { id: optional(WINDOW_ID), ...WINDOW_QUERY };

/** Fields that choose elements. */
export const ELEMENT_QUERY = {
  role: optional(text("The role, such as button")),
  name: optional(plainText("A part of the name, in any case")),
  exact: optional(flag("True if the whole name must fit")),
  nth: optional(integer(1, 10_000, "The number of the element to take among those that fit, from 1")),
};

/** The fields that choose one element: by ref, or by role and name in a window. */
export const ELEMENT_TARGET = { element: optional(REF), ...ELEMENT_QUERY, ...ELEMENT_WINDOW };

/** Splits the fields of {@linkcode ELEMENT_TARGET} into those of the element and those of its window. */
export function targetOf(
  { element, role, name, exact, nth, id, title, class: className, pid }: Values<typeof ELEMENT_TARGET>,
) {
  return { element, role, name, exact, nth, window: { id, title, class: className, pid } };
}

/** An element in words: `e12`, `button "Save"`, `button "Save" 2 in "Ask"`. */
const IN_WORDS =
  /^(?:(e[1-9]\d*)|([a-z][a-z ]*?)?\s*("(?:[^"\\]|\\.)*")?(?:\s+([1-9]\d{0,3}))?(?:\s+in\s+("(?:[^"\\]|\\.)*"))?)$/;

/** An element in place of x and y. */
export const ELEMENT_PLACE = optional(
  converted(
    plainText(
      'In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask"',
    ),
    elementIn,
  ),
);

/**
 * Reads words such as `button "Save"` as a target.
 * @param name The field's name, for the message.
 * @throws InputError if the words name no element.
 * @example
 * elementIn('button "Save" in "Ask"').window; // { title: "Ask" }
 */
export function elementIn(words: string, name = "element"): ElementTarget {
  const [all, element, role, quoted, nth, title] = IN_WORDS.exec(words.trim()) ?? [];
  if (!all) {
    throw new InputError(
      `${name} must be such as e12, button "Save" or button "Save" in "Ask", not ${describeValue(words)}`,
    );
  }
  if (element) return { element, window: {} };
  return {
    ...(role ? { role } : {}),
    ...(quoted ? { name: unquoted(quoted) } : {}),
    ...(nth ? { nth: Number(nth) } : {}),
    window: title ? { title: unquoted(title) } : {},
  };
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, "$1");
}

/**
 * The place that coordinates or an element name.
 * @returns undefined if neither is given.
 * @throws InputError if both are given, or one coordinate is missing; the errors of finding the element.
 */
export async function placeOf(
  { element, ...place }: Partial<Point> & { element?: ElementTarget },
  context: { operator: Operator; readonly signal: AbortSignal },
): Promise<Point | undefined> {
  checkOnePlace(element, place);
  if (!element) return pointOf(place);
  const { pointOn } = await import("../elements/reaching.ts");
  return await pointOn(context.operator, element, context.signal);
}

/** @throws InputError if an element and another place are given. */
export function checkOnePlace(element: unknown, others: Record<string, unknown>): void {
  const other = element && Object.keys(others).find((name) => others[name] !== undefined);
  if (other) throw new InputError(`element and ${other} cannot both be given`);
}

/** Writes a target in the form of {@linkcode ELEMENT_TARGET}. */
export function targetValues({ window, ...target }: ElementTarget): Values<typeof ELEMENT_TARGET> {
  return { ...target, ...window };
}

/** An element as it is listed. */
export const ELEMENT_FIELDS = {
  ref: REF,
  role: plainText("The element's role, by ARIA if ARIA has one"),
  name: plainText("The name as the element's program gives it"),
  value: optional(plainText("The text of a field or the number of a slider; never of a password")),
  states: list(choice(ELEMENT_STATES, "A state"), "The states of the element that are set"),
  depth: count("The number of elements around this one, up to the window"),
  x: optional(wholeNumber("Left edge in pixels")),
  y: optional(wholeNumber("Top edge in pixels")),
  width: optional(integer(0, 1_000_000, "The size in pixels")),
  height: optional(integer(0, 1_000_000, "The size in pixels")),
};

/** An element as one field. */
export const ELEMENT = group(ELEMENT_FIELDS, "An element");

/** Writes an element in the form of {@linkcode ELEMENT_FIELDS}. */
export function elementValues(
  { ref, role, name, value, states, depth, place }: ListedElement,
): Values<typeof ELEMENT_FIELDS> {
  return { ref, role, name, ...(value === undefined ? {} : { value }), states: [...states], depth, ...place };
}
