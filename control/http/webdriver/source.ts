/** A tree of elements as XML, and as plain rows for the Worker that evaluates XPath. */

import { type ElementDetails, PROGRAM_STATES, type ProgramElement } from "../../desktop/desktop.ts";
import { PLATFORM } from "./capabilities.ts";
import type { XPathRow } from "./xpath_worker.ts";

/** An attribute in the words of AT-SPI's suites and of UI Automation's; "" where one of them has no such word. */
type AttributeRow = readonly [linux: string, windows: string, value: (element: ProgramElement) => string];

/** The attributes of the page source. XPath knows all of them under both names. */
const ATTRIBUTES: readonly AttributeRow[] = [
  ["name", "Name", ({ name }) => name],
  ["role", "LocalizedControlType", ({ tag }) => tag.replaceAll("_", " ")],
  ["description", "HelpText", ({ description }) => description],
  ["accessibility-id", "AutomationId", ({ id }) => id],
  ["states", "", ({ states }) => states.join(", ")],
  ["", "ClassName", ({ className }) => className],
  ["", "IsEnabled", ({ isEnabled }) => String(isEnabled)],
  ["", "IsOffscreen", ({ isShown }) => String(!isShown)],
  ["", "HasKeyboardFocus", ({ states }) => String(states.includes("focused"))],
];

/** Values of UI Automation's patterns, and of states that only AT-SPI has a word for. */
const VALUES: Readonly<Record<string, (details: ElementDetails) => string | undefined>> = {
  id: ({ id }) => id,
  text: ({ text, name }) => text ?? name,
  value: ({ value, text }) => value === undefined ? text ?? "" : String(value),
  enabled: ({ isEnabled }) => String(isEnabled),
  sensitive: ({ isEnabled }) => String(isEnabled),
  showing: ({ isShown }) => String(isShown),
  visible: ({ isShown, states }) => String(isShown || states.includes("visible")),
  NativeWindowHandle: ({ windowId }) => windowId,
  "Value.Value": ({ text }) => text,
  "Toggle.ToggleState": ({ states }) => states.includes("indeterminate") ? "2" : isOn(states) ? "1" : "0",
  "SelectionItem.IsSelected": ({ states }) => String(states.includes("selected")),
  "ExpandCollapse.ExpandCollapseState": ({ states }) =>
    states.includes("expanded") ? "Expanded" : "Collapsed",
  "RangeValue.Value": ({ value }) => value === undefined ? undefined : String(value),
  x: ({ place }) => place && String(place.x),
  y: ({ place }) => place && String(place.y),
  width: ({ place }) => place && String(place.width),
  height: ({ place }) => place && String(place.height),
};

function isOn(states: readonly string[]): boolean {
  return states.includes("checked") || states.includes("pressed");
}

/**
 * An attribute of an element, by a name of AT-SPI's, of UI Automation's, or of a state.
 * @returns null if there is no such attribute.
 */
export function attributeOf(details: ElementDetails, name: string): string | null {
  const value = Object.hasOwn(VALUES, name) ? VALUES[name](details) : undefined;
  if (value !== undefined) return value;
  const row = name && ATTRIBUTES.find(([linux, windows]) => linux === name || windows === name);
  if (row) return row[2]({ ...details, parent: -1 });
  const state = name.toLowerCase().replaceAll(/[-_]/g, " ");
  if (!PROGRAM_STATES.includes(state)) return null;
  return String(details.states.includes(state));
}

// XML 1.0 section 2.2 has no form for these characters.
const INVALID =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
  "\r": "&#13;",
};

/** Writes a tree as XML; several roots stand in an element of their own. */
export function sourceOf(elements: readonly ProgramElement[]): string {
  const parts = ['<?xml version="1.0" encoding="UTF-8"?>'], open: number[] = [], depths: number[] = [];
  const roots = elements.filter(({ parent }) => parent < 0).length, isWrapped = roots !== 1;
  if (isWrapped) parts.push("<", DESKTOP_TAG, ">");
  const close = (depth: number) => {
    while (open.length > depth) parts.push("</", elements[open.pop()!].tag, ">");
  };
  elements.forEach((element, at) => {
    const depth = element.parent < 0 ? 0 : depths[element.parent] + 1;
    depths.push(depth);
    close(depth);
    parts.push("<", element.tag, attributesText(element));
    const hasChildren = elements[at + 1]?.parent === at;
    parts.push(hasChildren ? ">" : "/>");
    if (hasChildren) open.push(at);
  });
  close(0);
  if (isWrapped) parts.push("</", DESKTOP_TAG, ">");
  return parts.join("");
}

/** The element around several programs or windows. */
const DESKTOP_TAG = PLATFORM === "windows" ? "Pane" : "desktop_frame";

function attributesText(element: ProgramElement): string {
  const { place } = element;
  const own = ATTRIBUTES.map(([linux, windows, value]): [string, string] => [
    PLATFORM === "windows" ? windows : linux,
    value(element),
  ]);
  const placed = place
    ? Object.entries(place).map(([name, value]): [string, string] => [name, `${value}`])
    : [];
  return [...own, ...placed].filter(([name]) => name)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
}

function escaped(value: string): string {
  return value.replace(INVALID, "\ufffd").replace(/[&<"\n\t\r]/g, (character) => ESCAPES[character]);
}

/** The names of the values in {@linkcode xpathRows}, each with its other name. */
export const XPATH_NAMES: readonly (readonly string[])[] = ATTRIBUTES.map(([linux, windows]) =>
  [linux, windows].filter(Boolean)
);

/** The elements as plain rows, in document order, below a row for what is around them. */
export function xpathRows(elements: readonly ProgramElement[]): XPathRow[] {
  const isWrapped = elements.filter(({ parent }) => parent < 0).length !== 1;
  const rows = elements.map((element): XPathRow => [
    isWrapped ? element.parent + 1 : element.parent,
    element.tag,
    ...ATTRIBUTES.map(([, , value]) => value(element)),
  ]);
  return isWrapped ? [[-1, DESKTOP_TAG, ...ATTRIBUTES.map(() => "")], ...rows] : rows;
}
