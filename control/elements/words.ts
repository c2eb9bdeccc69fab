/** Elements in words, for messages. */

import { printableJson } from "../../core/printable.ts";
import type { RecordedElement } from "../input.ts";

/**
 * A query in words.
 * @example
 * describeElementQuery({ role: "button", name: "Save" }); // 'button "Save"'
 */
export function describeElementQuery({ role, name }: { role?: string; name?: string }): string {
  return `${role ?? "element"}${name === undefined ? "" : ` ${quoted(name)}`}`;
}

/**
 * A recorded element in words.
 * @example
 * describeRecorded({ role: "button", name: "OK", nth: 2, title: "Ask" }); // 'button "OK" 2 in "Ask"'
 */
export function describeRecorded(
  { role, name, nth, title }: Pick<RecordedElement, "role" | "name" | "nth" | "title">,
): string {
  return `${describeElementQuery({ role, name })}${nth === undefined ? "" : ` ${nth}`} in ${quoted(title)}`;
}

function quoted(text: string): string {
  return printableJson(JSON.stringify(text));
}
