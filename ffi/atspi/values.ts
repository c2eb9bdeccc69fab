/** Values of elements, such as fields' texts and sliders' numbers, and the labels that name fields. */

import type { Calls } from "./calls.ts";
import { ask, type Call, interfaceOf, property, type Ref, refOf, refsOf } from "./objects.ts";

/** Maximum length of a value, in characters. */
export const LONGEST_VALUE = 2000;
/** Dots that toolkits show in place of a password's characters. */
const MASK = /^[\u2022\u25cf\u26ab\u2b24]+$/;
/** Roles of elements whose text is their value. */
const FIELDS = new Set(["textbox", "text", "combobox", "spinbutton", "terminal", "paragraph"]);
/** Roles of elements whose number is their value. */
const RANGES = new Set(["slider", "progressbar", "meter", "dial"]);

/** Whether a role's elements have their text as their value. */
export function isField(role: string): boolean {
  return FIELDS.has(role);
}

/**
 * The call that reads an element's number.
 * @returns undefined if elements with this role have none.
 */
export function numberCall(ref: Ref, role: string, then: (value: string) => void): Call | undefined {
  return RANGES.has(role) ? askNumber(ref, then) : undefined;
}

/** The call that reads the number of an element, whatever its role. */
export function askNumber(ref: Ref, then: (value: string) => void): Call {
  return property(ref, "Value", "CurrentValue", (value) => {
    if (typeof value === "number") then(String(value));
  });
}

/** A property's value as a number; undefined if it is not one. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/**
 * The call that reads an element's text.
 * @param isClipped Whether the program returns a shorter text as it is; other programs are first asked for
 * its length.
 * @param add Adds another call.
 * @param then Receives the text, at most {@linkcode LONGEST_VALUE} characters of it; undefined if the program
 * provides none, or shows dots instead.
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
 * A value as listed. Some programs report a password field as an ordinary text field, so masked text is
 * omitted, together with its length.
 */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" && !MASK.test(value) ? value : undefined;
}

/** Roles of fields that programs often leave without a name, next to a label. */
const LABELLED = new Set(["textbox", "password", "combobox", "spinbutton", "slider"]);
/** The relation of a field to its labels (AtspiRelationType). */
const LABELLED_BY = 2;
/** Maximum number of a field's labels to read. */
const MOST_LABELS = 3;

/**
 * Reads the labels of a field without a name, from the relation that a program sets between the two: mnemonic
 * widgets in GTK, buddies in Qt.
 * @param then Receives the labels' texts, joined by spaces; not called if the field has a name, or no label.
 */
export function askLabels(
  calls: Calls,
  { role, name, ...ref }: Ref & { role: string; name: string },
  then: (name: string) => void,
): void {
  if (name || !LABELLED.has(role)) return;
  calls.add(ask(ref, "Accessible", "GetRelationSet", (relations) => {
    if (!Array.isArray(relations)) return;
    const labels = relations.filter((one) => Array.isArray(one) && one[0] === LABELLED_BY)
      .flatMap(([, targets]) => refsOf(targets)).filter(({ app }) => app === ref.app).slice(0, MOST_LABELS);
    const texts: string[] = [];
    let missing = labels.length;
    labels.forEach((label, i) =>
      calls.add(property(label, "Accessible", "Name", (text) => {
        texts[i] = typeof text === "string" ? text : "";
        if (!--missing && texts.some(Boolean)) then(texts.filter(Boolean).join(" "));
      }))
    );
  }));
}

/**
 * Reads the name of a combo box's selected option, which is the box's value if it has no text of its own.
 * @param then Called if an option is selected.
 */
export function askChoice(calls: Calls, ref: Ref, then: (name: string) => void): void {
  const take = (option: Ref) =>
    calls.add(property(option, "Accessible", "Name", (name) => {
      if (typeof name === "string" && name) then(name);
    }));
  calls.add(askChild(ref, "Selection", "GetSelectedChild", (option) => {
    if (option) return take(option);
    // In Chromium, the list within the box has the selection.
    calls.add(askChild(ref, "Accessible", "GetChildAtIndex", (list) => {
      if (!list) return;
      calls.add(askChild(list, "Selection", "GetSelectedChild", (option) => {
        if (option) take(option);
      }));
    }));
  }));
}

/** A call that requests an element's first child, or its first selected one. */
function askChild(
  ref: Ref,
  type: string,
  member: string,
  then: (child: Ref | undefined) => void,
): Call {
  const object = interfaceOf(ref, type);
  return { object, member, signature: "i", args: [0], then: (values) => then(refOf(values?.[0])) };
}
