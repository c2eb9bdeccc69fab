/** Values of elements: the texts of fields and the numbers of sliders. */

import type { Call } from "./call.ts";
import { interfaceOf, property, type Ref } from "./objects.ts";

/** The most characters of a value. */
export const LONGEST_VALUE = 2000;
/** Dots that toolkits show in place of a password's characters. */
const MASK = /^[\u2022\u25cf\u26ab\u2b24]+$/;
/** Roles of elements whose text is their value. */
const FIELDS = new Set(["textbox", "text", "combobox", "spinbutton", "terminal", "paragraph"]);
/** Roles of elements whose number is their value. */
const RANGES = new Set(["slider", "progressbar", "meter", "dial"]);

/** Tells whether the text of elements with a role is their value. */
export function isField(role: string): boolean {
  return FIELDS.has(role);
}

/**
 * The call that reads an element's number.
 * @returns undefined if elements with this role have none.
 */
export function numberCall(ref: Ref, role: string, then: (value: string) => void): Call | undefined {
  if (!RANGES.has(role)) return undefined;
  return property(ref, "Value", "CurrentValue", (value) => {
    if (typeof value === "number") then(String(value));
  });
}

/**
 * The call that reads an element's text.
 * @param isClipped Tells whether the program gives a shorter text as it is; others are asked for its length first.
 * @param add Adds a further call.
 * @param then Gets the text, at most {@linkcode LONGEST_VALUE} characters of it; undefined if the program gives none, or
 * shows dots in its place.
 */
export function textCall(
  ref: Ref,
  isClipped: boolean | undefined,
  add: (call: Call) => void,
  then: (text: string | undefined) => void,
): Call {
  const text = (end: number): Call => ({
    object: interfaceOf(ref, "Text"),
    member: "GetText",
    signature: "ii",
    args: [0, end],
    then: (values) => then(textOf(values?.[0])),
  });
  if (isClipped) return text(LONGEST_VALUE);
  return property(ref, "Text", "CharacterCount", (count) => {
    if (typeof count !== "number") return then(undefined);
    add(text(Math.min(LONGEST_VALUE, Math.max(0, Math.trunc(count)))));
  });
}

/**
 * A value as it is listed. Some programs report a password field as an ordinary text field: masked text is left out, and
 * with it its length.
 */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" && !MASK.test(value) ? value : undefined;
}
