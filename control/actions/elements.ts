/** Actions of elements: listing, clicking, setting, focusing. */

import { BUTTONS } from "../desktop.ts";
import { action } from "./action.ts";
import {
  ELEMENT,
  ELEMENT_FIELDS,
  ELEMENT_QUERY,
  ELEMENT_TARGET,
  ELEMENT_WINDOW,
  elementValues,
  REF,
  targetOf,
} from "./element_fields.ts";
import type { Operator } from "../operator.ts";
import { Content } from "./content.ts";
import { choice, count, flag, integer, list, optional, plainText, type Values } from "./schema.ts";
import { WINDOW } from "./window_fields.ts";

/** The number of elements in one answer, if the caller does not say. */
const USUAL_LIMIT = 200;
/** The most elements in an answer; one reading gives no more. */
const MOST = 20_000;

const { nth: _, ...LIST_QUERY } = ELEMENT_QUERY;

/** Loads the module that acts on elements, at the first call that needs it. */
const acting = () => import("../elements/acting.ts");
const clicking = () => import("../elements/clicking.ts");

const LIST_INPUT = {
  ...LIST_QUERY,
  ...ELEMENT_WINDOW,
  visible: optional(flag("false to include elements that the window does not show; true if left out")),
  limit: optional(integer(1, MOST, `The most elements; ${USUAL_LIMIT} if left out`)),
  since: optional(
    integer(
      1,
      Number.MAX_SAFE_INTEGER,
      "The serial of an earlier list: only elements that are new or changed since then are listed",
    ),
  ),
};

async function listed(
  { visible = true, limit = USUAL_LIMIT, role, name, exact, ...rest }: Values<typeof LIST_INPUT>,
  operator: Operator,
) {
  const { id, title, class: className, pid, since } = rest;
  const { readSince } = await import("../elements/since.ts");
  const { matchingElements } = await import("../elements/query.ts");
  const read = await readSince(operator, { id, title, class: className, pid }, !visible, since);
  const found = matchingElements(read.elements, { role, name, exact });
  const removed = read.removed && matchingElements(read.removed, { role, name, exact });
  return {
    window: read.window,
    serial: read.serial,
    ...(removed ? { since, removed: removed.map(({ ref }) => ref) } : {}),
    places: read.places,
    elements: found.slice(0, limit).map(elementValues),
    more: Math.max(0, found.length - limit),
    whole: read.isWhole,
    ...(read.silent === undefined ? {} : { silent: read.silent }),
  };
}

export const elementLines = action({
  name: "elementLines",
  summary: "The elements of a window, as lines",
  effect: "read",
  input: LIST_INPUT,
  output: ["text/plain"],
  async run(query, { operator }) {
    const { limit = USUAL_LIMIT, role, name, visible } = query;
    const list = await listed({ ...query, limit: MOST }, operator);
    const { elementsText } = await import("../elements/text.ts");
    const isAsked = role !== undefined || name !== undefined || visible === false;
    const bytes = new TextEncoder().encode(
      `${elementsText(list, { serial: list.serial, limit, isAsked })}\n`,
    );
    return new Content("text/plain", bytes.length, [bytes]);
  },
});

export const elements = action({
  name: "elements",
  summary: "The elements of a window: buttons, fields, list items",
  effect: "read",
  input: LIST_INPUT,
  output: {
    window: WINDOW,
    serial: count("The serial of this list, for since; it stays the same as long as nothing changes"),
    since: optional(
      count("The given serial; left out if deskhand no longer remembers that list, and lists all elements"),
    ),
    removed: optional(list(REF, "With since: the refs of elements that are gone")),
    places: choice(
      ["screen", "window", "none"],
      "The point from which places count: screen or window; none if places are unknown",
    ),
    elements: list(ELEMENT, "The elements, in the order of the window's tree"),
    more: count("The number of elements that the limit left out"),
    whole: flag("false if the tree was too large, or its program too slow, to be read whole"),
    silent: optional(plainText("Why the window shows no elements")),
  },
  run: (query, { operator }) => listed(query, operator),
});

const VIA = choice(
  ["click", "action", "keys"],
  "click: by the pointer; action: by the element's program; keys: by typing",
);

export const clickOnElement = action({
  name: "clickOnElement",
  summary: "Click an element",
  effect: "act",
  input: {
    ...ELEMENT_TARGET,
    button: optional(choice(BUTTONS, "left if left out")),
    count: optional(integer(1, 3, "The number of clicks: 2 is a double click")),
  },
  output: { ok: flag("true"), via: VIA, ...ELEMENT_FIELDS },
  async run({ button = "left", count = 1, ...target }, { operator, signal }) {
    const { clickElement } = await clicking();
    const { via, element } = await clickElement(operator, targetOf(target), { button, count, signal });
    return { ok: true, via, ...elementValues(element) };
  },
});

export const setElementText = action({
  name: "setElement",
  summary: "Set the text of an element",
  effect: "act",
  input: { ...ELEMENT_TARGET, text: plainText("The new text of the field") },
  output: { ok: flag("true"), via: VIA, ...ELEMENT_FIELDS },
  async run({ text, ...target }, { operator, signal }) {
    const { setElement } = await acting();
    const { via, element } = await setElement(operator, targetOf(target), text, signal);
    return { ok: true, via, ...elementValues(element) };
  },
});

export const focusOnElement = action({
  name: "focusElement",
  summary: "Give an element the keyboard",
  effect: "act",
  input: ELEMENT_TARGET,
  output: { ok: flag("true"), ...ELEMENT_FIELDS },
  async run(target, { operator }) {
    const { focusElement } = await acting();
    return { ok: true, ...elementValues(await focusElement(operator, targetOf(target))) };
  },
});

export const switchElements = action({
  name: "switchElements",
  summary: "Switch the session's accessibility, which some programs need to show elements",
  effect: "act",
  input: { enabled: flag("Whether accessibility is on; the person's settings keep that") },
  output: {
    ok: flag("true"),
    changed: flag("Whether the setting was different before"),
    did: plainText("The verdict in words"),
  },
  async run({ enabled }, { operator }) {
    const { switchAccessibility } = await import("../elements/switching.ts");
    const changed = await switchAccessibility(operator, enabled);
    return { ok: true, changed, did: switchText(enabled, changed) };
  },
});

function switchText(enabled: boolean, changed: boolean): string {
  const state = enabled ? "on" : "off";
  if (!changed) return `accessibility was ${state} already, and no setting is changed`;
  const back = enabled ? "elements off takes it back" : "elements on takes it back";
  const rest = enabled ? "; Qt programs show elements when they are started anew" : "";
  return `accessibility of this session was ${enabled ? "off" : "on"} and is ${state}: the setting ` +
    `org.gnome.desktop.interface toolkit-accessibility, which stays so (${back})${rest}`;
}
