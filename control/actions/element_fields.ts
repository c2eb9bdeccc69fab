/** The fields that choose an element, and those that describe one. */

import { InputError } from "../../core/errors.ts";
import { describeValue } from "../../core/printable.ts";
import { ELEMENT_STATES, type Point } from "../desktop/desktop.ts";
import type { ElementCondition } from "../elements/awaited.ts";
import type { FillValue } from "../elements/filling.ts";
import type { ListedElement } from "../elements/list.ts";
import type { ElementTarget } from "../elements/query.ts";
import { fromJson, pointOf } from "../schema/fields.ts";
import {
  choice,
  count,
  type Field,
  flag,
  group,
  integer,
  inWords,
  list,
  objectSchema,
  optional,
  patterned,
  plainText,
  text,
  type Values,
  wholeNumber,
} from "../schema/schema.ts";
import type { WindowQuery } from "../windows/list.ts";
import type { ActionContext } from "./action.ts";
import { WINDOW_ID, WINDOW_QUERY } from "./windows.ts";

/** The short name of an element. */
export const REF = patterned(/^e[1-9]\d*$/, "a ref such as e12, from /api/elements", "The ref of an element");

/** The fields that choose the window to search for elements; the active window if none is given. */
export const ELEMENT_WINDOW = { id: optional(WINDOW_ID), ...WINDOW_QUERY };

/** Fields that choose elements. */
export const ELEMENT_QUERY = {
  role: optional(text("The role, such as button")),
  name: optional(plainText("Part of the name, case-insensitive")),
  exact: optional(flag("Match the whole name")),
  nth: optional(integer(1, 10_000, "Which of several matches, from 1")),
};

/** A window: part of its title, its id, or the fields that choose it. */
const NAMED_WINDOW: Field<WindowQuery & { id?: string }, true> = textOr(
  group(ELEMENT_WINDOW, "The window; default: the active one"),
  (text) => /^0x[\da-f]+$/i.test(text) ? { id: text } : { title: text },
);

/** The fields of an element as an object. */
const NAMED_ELEMENT = {
  ref: optional(REF),
  ...ELEMENT_QUERY,
  window: optional(NAMED_WINDOW),
};
/** The further fields of that object in other forms of input. */
const OTHER_FORMS = { element: optional(plainText("Words for the element")), ...ELEMENT_WINDOW };

/** Reads an element as an object. */
const elementFields = group({ ...NAMED_ELEMENT, ...OTHER_FORMS }, "");

/** An element in words, or as an object. Every field named `element` accepts both. */
export const ELEMENT_NAME: Field<ElementTarget, true> = {
  required: true,
  schema: {
    description: 'An element: e12, button "Save", button "Save" 2 in "Ask", or an object',
    anyOf: [{ type: "string" }, objectSchema(NAMED_ELEMENT)],
  },
  parse: (value, name) => elementNamed(value, name, elementFields).target,
};

/** The required state of an awaited element. */
const CONDITION = {
  value: optional(plainText("The whole value of the field")),
  text: optional(plainText("The whole text: the value of a field, or the name")),
  contains: optional(text("Part of the text, case-insensitive")),
  states: optional(
    group(
      Object.fromEntries(ELEMENT_STATES.map((state) => [state, optional(flag(`Whether it is ${state}`))])),
      "States that must be set or not set, such as {checked: true}",
    ),
  ),
  count: optional(count("The number of matching elements, instead of the other conditions")),
};

/** An element to wait for, with its required state; `gone` waits for the opposite. */
export const AWAITED_ELEMENT: Field<ElementTarget & ElementCondition & { gone?: boolean }, true> = {
  required: true,
  schema: {
    description: "Wait until an element appears, or has the given value or states",
    anyOf: [
      { type: "string" },
      objectSchema({
        element: optional(plainText("The element in words, instead of the other fields")),
        ...NAMED_ELEMENT,
        ...CONDITION,
        gone: optional(
          flag("Wait until no element matches, or the element no longer has that value or those states"),
        ),
      }),
    ],
  },
  parse(value, name) {
    const { target, gone } = elementNamed(value, name, awaitedFields);
    return { ...target, ...(gone === undefined ? {} : { gone }) };
  },
};
const awaitedFields = group(
  { ...NAMED_ELEMENT, ...CONDITION, ...OTHER_FORMS, gone: optional(flag("")) },
  "",
);

/** Reads an element in words or as an object, which is JSON in a query. */
function elementNamed(
  value: unknown,
  name: string,
  fields: typeof awaitedFields | typeof elementFields,
): { target: ElementTarget; gone?: boolean } {
  if (typeof value === "string" && !value.startsWith("{")) return { target: elementIn(value, name) };
  const { element, ref, window, id, title, class: className, pid, ...rest } = fields.parse(
    typeof value === "string" ? fromJson(value, name, "an element, described in words or JSON") : value,
    name,
  );
  const { gone, ...own } = rest as typeof rest & { gone?: boolean };
  const words = element === undefined ? undefined : elementIn(element, `${name}.element`);
  const query = withValues({ ...window, ...withValues({ id, title, class: className, pid }) });
  const target: ElementTarget = {
    ...own,
    ...(ref === undefined ? {} : { element: ref }),
    ...words,
    window: Object.keys(query).length ? query : words?.window ?? {},
  };
  return { target, ...(gone === undefined ? {} : { gone }) };
}

/** A field that accepts a text instead of an object. */
function textOr<T>(object: Field<T, true>, meant: (text: string) => T): Field<T, true> {
  return {
    required: true,
    schema: { description: object.schema.description, anyOf: [{ type: "string" }, object.schema] },
    parse: (value, name) => typeof value === "string" ? meant(value) : object.parse(value, name),
  };
}

function withValues<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The fields that choose one element: its name, or its role and name in a window. */
export const ELEMENT_TARGET = {
  element: optional(ELEMENT_NAME),
  ...ELEMENT_QUERY,
  ...ELEMENT_WINDOW,
  window: optional(
    inWords(NAMED_WINDOW, "The window: part of its title, its id, or an object with such fields"),
  ),
};

/** Merges the fields of {@linkcode ELEMENT_TARGET}; those within `element` take precedence. */
export function targetOf(
  { element, role, name, exact, nth, id, title, class: className, pid, window: named }: Values<
    typeof ELEMENT_TARGET
  >,
): ElementTarget {
  const window = { ...withValues({ id, title, class: className, pid }), ...named, ...element?.window };
  return { ...withValues({ role, name, exact, nth }), ...element, window };
}

/**
 * An element in words: `e12`, `button "Save"`, `button "Save" 2 in "Ask"`. Looks for each part only at the start
 * of a run of blanks: a long run would otherwise take time with the third power of its length.
 */
const IN_WORDS =
  /^(?:(e[1-9]\d*)|(?:([a-z]+(?: [a-z]+)*?)\s*)?("(?:[^"\\]|\\.)*")?(?:(?<!\s)\s+([1-9]\d{0,3}))?(?:(?<!\s)\s+in\s+("(?:[^"\\]|\\.)*"))?)$/;

/** An element instead of x and y. */
export const ELEMENT_PLACE = optional(
  inWords(
    ELEMENT_NAME,
    'Instead of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask"',
  ),
);

/**
 * Reads words such as `button "Save"` as a target.
 * @param name The field's name, for the message.
 * @throws InputError if the words do not describe an element.
 * @example
 * elementIn('button "Save" in "Ask"').window; // { title: "Ask" }
 */
export function elementIn(words: string, name = "element"): ElementTarget {
  const [all, element, role, quoted, nth, title] = IN_WORDS.exec(words.trim()) ?? [];
  if (!all) {
    throw new InputError(
      `${name} must have a form such as e12, button "Save" or button "Save" in "Ask", not ${
        describeValue(words)
      }`,
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
 * The place given by coordinates or an element.
 * @param isMove Whether the pointer only moves there.
 * @returns undefined if neither is given.
 * @throws InputError if both are given or one coordinate is missing; the errors of finding the element.
 */
export async function placeOf(
  { element, ...place }: Partial<Point> & { element?: ElementTarget },
  context: Pick<ActionContext, "operator" | "signal" | "windows">,
  isMove = false,
): Promise<Point | undefined> {
  checkOnePlace(element, place);
  if (!element) return pointOf(place);
  const { operator, signal, windows } = context; // asking for the signal is slow
  const { pointOn } = await import("../elements/click.ts");
  return await pointOn(operator, element, { signal, isMove, windows });
}

/** @throws InputError if both an element and another place are given. */
export function checkOnePlace(element: unknown, others: Record<string, unknown>): void {
  const other = element && Object.keys(others).find((name) => others[name] !== undefined);
  if (other) throw new InputError(`element and ${other} cannot both be given`);
}

/** The value to set an element to. */
export const FILL_VALUE: Field<FillValue, true> = {
  required: true,
  schema: {
    description:
      "A text or the name of an option; true or false for a check box or radio button; a number for a slider",
    anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }],
  },
  parse(value, name) {
    if (["string", "boolean"].includes(typeof value) || Number.isFinite(value)) return value as FillValue;
    throw new InputError(`${name} must be a string, a number, true or false, not ${describeValue(value)}`);
  },
};

/** An element in a listing. */
export const ELEMENT_FIELDS = {
  ref: REF,
  role: plainText("The ARIA role, if there is one"),
  name: plainText("The name as the program reports it"),
  value: optional(plainText("The text of a field or the number of a slider; never a password")),
  formula: optional(plainText("The formula of a spreadsheet's cell")),
  states: list(choice(ELEMENT_STATES, "A state"), "The states that are set"),
  depth: count("The nesting depth in the window"),
  x: optional(wholeNumber("The corner in pixels")),
  y: optional(wholeNumber("The corner in pixels")),
  width: optional(integer(0, 1_000_000, "The size in pixels")),
  height: optional(integer(0, 1_000_000, "The size in pixels")),
};

export const ELEMENT = group(ELEMENT_FIELDS, "An element");

/** Converts an element to the form of {@linkcode ELEMENT_FIELDS}. */
export function elementValues(
  { ref, role, name, value, formula, states, depth, place }: ListedElement,
): Values<typeof ELEMENT_FIELDS> {
  const texts = { ...(value === undefined ? {} : { value }), ...(formula === undefined ? {} : { formula }) };
  return { ref, role, name, ...texts, states: [...states], depth, ...place };
}
