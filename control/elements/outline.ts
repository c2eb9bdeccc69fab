/** A window's elements as an outline without refs and places, which is the same on all machines: for tests. */

import { printableJson } from "../../core/printable.ts";
import { usefulElements } from "./text.ts";
import type { ShownElement, ShownElements } from "./shown.ts";

/** States that come and go with the keyboard or the view. */
const PASSING = new Set(["focused", "hidden"]);

/**
 * Writes the elements of a window as an outline: a line for each, indented by its depth.
 * @example
 * const field = { ref: "e1", role: "textbox", name: "Name", value: "Ann", states: ["required"], depth: 1 };
 * const button = { ref: "e2", role: "button", name: "Save", states: [], depth: 1 };
 * const window = { title: "Form" };
 * elementsOutline({ window, places: "none", elements: [field, button], more: 0 });
 * // '- textbox "Name" [required]: "Ann"\n- button "Save"\n'
 */
export function elementsOutline(shown: ShownElements): string {
  return usefulElements(shown).map((element) => `${"  ".repeat(element.depth)}${lineOf(element)}\n`).join("");
}

function lineOf({ role, name, value, states }: ShownElement): string {
  const lasting = states.filter((state) => !PASSING.has(state)).toSorted();
  return [
    `- ${role}`,
    name && ` ${quoted(name)}`,
    lasting.length ? ` [${lasting.join(", ")}]` : "",
    value !== undefined && value !== name ? `: ${quoted(value)}` : "",
  ].join("");
}

function quoted(text: string): string {
  return printableJson(JSON.stringify(text));
}
