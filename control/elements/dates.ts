/**
 * Dates and times in fields of several parts, as browsers show them: each part is set like a field of its own,
 * in the order in which no part makes another one impossible.
 */

import type { ListedElement } from "./list.ts";

/** The parts of a date or time by the first word of their names, in Firefox and Chromium, and their order. */
const PARTS = ["year", "month", "day", "hours", "minutes", "seconds", "am/pm"] as const;
type Part = typeof PARTS[number];

/** Dates, times, and both (ISO 8601, as the value of an HTML `input`); month inputs have no day. */
const ISO = /^(?:(\d{4})-(\d\d)(?:-(\d\d))?)?(?:(?:^|[T ])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Maximum values of the parts that do not depend on others. */
const MOST: Readonly<Partial<Record<Part, number>>> = { month: 12, hours: 23, minutes: 59, seconds: 59 };

/** Values of the AM/PM part in Chromium. */
const HALF_DAYS: ReadonlyMap<string, string> = new Map([["am", "1"], ["pm", "2"]]);

/** A part of a date, and the text to set it to. */
export interface DateStep {
  ref: string;
  text: string;
}

/**
 * The steps that set the parts of a field to a date or time. Pure.
 * @param fields The fields in an element, such as a date editor.
 * @param text Such as `2026-05-04`, `2026-05`, `14:30` or `2026-05-04T14:30`.
 * @returns undefined if the text is none of these, or the fields are not exactly its parts.
 * @example
 * const field = { role: "spinbutton", states: [], depth: 1 };
 * const fields = [{ ...field, ref: "e1", name: "Hours" }, { ...field, ref: "e2", name: "AM/PM" }, { ...field, ref: "e3", name: "Minutes" }];
 * dateSteps(fields, "14:05")?.map(({ text }) => text); // ["2", "5", "PM"]
 */
export function dateSteps(fields: readonly ListedElement[], text: string): DateStep[] | undefined {
  const values = valuesOf(text), parts = new Map(fields.map((field) => [partOf(field), field]));
  if (!values || parts.size !== fields.length) return undefined;
  const hours = values.get("hours");
  if (hours !== undefined && parts.has("am/pm")) {
    values.set("hours", String(Number(hours) % 12 || 12)).set("am/pm", Number(hours) < 12 ? "AM" : "PM");
  }
  if (values.get("seconds") === "0" && !parts.has("seconds")) values.delete("seconds");
  if (values.size !== parts.size || PARTS.some((part) => values.has(part) !== parts.has(part))) {
    return undefined;
  }
  return PARTS.flatMap((part) => {
    const field = parts.get(part), text = values.get(part);
    return field && text !== undefined ? [{ ref: field.ref, text }] : [];
  });
}

function valuesOf(text: string): Map<Part, string> | undefined {
  const [, ...numbers] = ISO.exec(text) ?? [];
  const given = PARTS.flatMap((part, i): [Part, string][] =>
    numbers[i] === undefined ? [] : [[part, String(Number(numbers[i]))]]
  );
  const values = new Map(given);
  return given.length && isPossible(values) ? values : undefined;
}

/** Whether a date and a time exist: a browser has no value for February 31, although it shows one. */
function isPossible(values: ReadonlyMap<Part, string>): boolean {
  const numberOf = (part: Part) => Number(values.get(part) ?? 1);
  if (PARTS.some((part) => numberOf(part) > (MOST[part] ?? Infinity))) return false;
  const [year, month, day] = [numberOf("year"), numberOf("month"), numberOf("day")];
  const lastDay = new Date(Date.UTC(2000 + year % 400, month, 0)).getUTCDate();
  return year >= 1 && month >= 1 && day >= 1 && day <= lastDay;
}

function partOf({ name }: ListedElement): Part | undefined {
  const [first] = name.toLowerCase().split(" ");
  return PARTS.find((part) => part === first);
}

/** Whether an element has the role and the name of a part of a date or time. */
export function isDatePart(element: ListedElement): boolean {
  return element.role === "spinbutton" && partOf(element) !== undefined;
}

/** Whether a text sets the half of the day in a part of a time. */
export function isHalfDay(element: ListedElement, text: string): boolean {
  return partOf(element) === "am/pm" && HALF_DAYS.has(text.toLowerCase());
}

/**
 * Whether a field shows a text that it was set to: numbers may have leading zeros in a spin button, as in
 * Firefox's `05` for a month.
 */
export function shows(element: ListedElement, text: string): boolean {
  const { role, value } = element;
  if (value === text) return true;
  if (role !== "spinbutton" || !value?.trim() || !text.trim()) return false;
  return Number(value) === Number(text) ||
    isHalfDay(element, text) && value === HALF_DAYS.get(text.toLowerCase());
}
