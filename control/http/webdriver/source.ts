/** A tree of elements as XML, and as plain rows for the Worker that evaluates XPath. */

import { type ElementDetails, PROGRAM_STATES, type ProgramElement } from "../../desktop/desktop.ts";
import { PLATFORM } from "./capabilities.ts";
import type { XPathRow } from "./xpath_worker.ts";

/**
 * An attribute under its name in AT-SPI suites and in UI Automation; "" where one of them has no such name.
 */
type AttributeRow = readonly [linux: string, windows: string, value: (element: Described) => string];
type Described = Omit<ProgramElement, "parent">;

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

const isOn = (states: readonly string[]) => states.includes("checked") || states.includes("pressed");

/** Values of UI Automation patterns, and of states that only AT-SPI names. */
const VALUES: Readonly<Record<string, (details: ElementDetails) => unknown>> = {
  id: ({ id }) => id,
  text: ({ text, name }) => text ?? name,
  value: ({ value, text = "" }) => value ?? text,
  enabled: ({ isEnabled }) => isEnabled,
  sensitive: ({ isEnabled }) => isEnabled,
  showing: ({ isShown }) => isShown,
  displayed: ({ isShown }) => isShown,
  visible: ({ isShown, states }) => isShown || states.includes("visible"),
  NativeWindowHandle: ({ windowId }) => windowId,
  "Value.Value": ({ text }) => text,
  "Toggle.ToggleState": ({ states }) => states.includes("indeterminate") ? 2 : Number(isOn(states)),
  "SelectionItem.IsSelected": ({ states }) => states.includes("selected"),
  "ExpandCollapse.ExpandCollapseState": ({ states }) =>
    states.includes("expanded") ? "Expanded" : "Collapsed",
  "RangeValue.Value": ({ value }) => value,
  x: ({ place }) => place?.x,
  y: ({ place }) => place?.y,
  width: ({ place }) => place?.width,
  height: ({ place }) => place?.height,
};

/**
 * An element's attribute, by its AT-SPI name, its UI Automation name, or the name of a state.
 * @returns null if there is no such attribute.
 */
export function attributeOf(details: ElementDetails, name: string): string | null {
  const value = Object.hasOwn(VALUES, name) ? VALUES[name](details) : undefined;
  if (value !== undefined) return String(value);
  const row = name && ATTRIBUTES.find(([linux, windows]) => linux === name || windows === name);
  if (row) return row[2](details);
  const state = name.toLowerCase().replaceAll(/[-_]/g, " ");
  return PROGRAM_STATES.includes(state) ? String(details.states.includes(state)) : null;
}

// XML 1.0 section 2.2 cannot represent these characters.
const INVALID =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The element around several programs or windows. */
const DESKTOP_TAG = PLATFORM === "windows" ? "Pane" : "desktop_frame";

const isWrapped = (elements: readonly ProgramElement[]) =>
  elements.filter(({ parent }) => parent < 0).length !== 1;

/** Writes a tree as XML; several roots are wrapped in one element. */
export function sourceOf(elements: readonly ProgramElement[]): string {
  const parts: string[] = [], open: number[] = [];
  elements.forEach((element, at) => {
    while (open.length && open.at(-1) !== element.parent) parts.push(`</${elements[open.pop()!].tag}>`);
    const hasChildren = elements[at + 1]?.parent === at;
    if (hasChildren) open.push(at);
    parts.push(`<${element.tag}${attributesText(element)}${hasChildren ? "" : "/"}>`);
  });
  for (const at of open.reverse()) parts.push(`</${elements[at].tag}>`);
  const [before, after] = isWrapped(elements) ? [`<${DESKTOP_TAG}>`, `</${DESKTOP_TAG}>`] : ["", ""];
  return ['<?xml version="1.0" encoding="UTF-8"?>', before, ...parts, after].join("");
}

function attributesText(element: ProgramElement): string {
  const own = ATTRIBUTES.map(([linux, windows, value]) =>
    [PLATFORM === "windows" ? windows : linux, value(element)] as const
  );
  return [...own, ...Object.entries(element.place ?? {})].filter(([name]) => name)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`).join("");
}

function escaped(value: string): string {
  const text = value.replace(INVALID, "\ufffd").replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return text.replaceAll('"', "&quot;").replace(/[\n\t\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The names of the values in {@linkcode xpathRows}, each with its alternative. */
export const XPATH_NAMES: readonly (readonly string[])[] = ATTRIBUTES.map(([linux, windows]) =>
  [linux, windows].filter(Boolean)
);

/** The elements as plain rows, in document order, below a row for their container. */
export function xpathRows(elements: readonly ProgramElement[]): XPathRow[] {
  const around: XPathRow[] = isWrapped(elements) ? [[-1, DESKTOP_TAG, ...ATTRIBUTES.map(() => "")]] : [];
  const rows = elements.map((element): XPathRow => [
    element.parent + around.length,
    element.tag,
    ...ATTRIBUTES.map(([, , value]) => value(element)),
  ]);
  return [...around, ...rows];
}
