/** Actions of elements: listing, clicking, setting, focusing. */

import { InputError } from "../../core/errors.ts";
import { describeValue } from "../../core/printable.ts";
import { BUTTONS, ELEMENT_STATES, type Point } from "../desktop/desktop.ts";
import type { ElementCondition } from "../elements/awaited.ts";
import type { Filled, FillValue } from "../elements/filling.ts";
import type { ListedElement } from "../elements/list.ts";
import type { ElementTarget } from "../elements/query.ts";
import type { Operator } from "../operator/operator.ts";
import { pointOf } from "../schema/fields.ts";
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
  unless,
  type Values,
  wholeNumber,
} from "../schema/schema.ts";
import type { WindowQuery } from "../windows/list.ts";
import { action, Content } from "./action.ts";
import { WINDOW, WINDOW_ID, WINDOW_QUERY } from "./windows.ts";

// The fields of elements: how one is chosen, and how one is described.

/** A short name of an element. */
const REF = patterned(/^e[1-9]\d*$/, "a ref such as e12, from /api/elements", "The ref of an element");

/** The fields that choose the window of elements; the active window if none is given. */
const ELEMENT_WINDOW = { id: optional(WINDOW_ID), ...WINDOW_QUERY };

/** Fields that choose elements. */
export const ELEMENT_QUERY = {
  role: optional(text("The role, such as button")),
  name: optional(plainText("Part of the name, case-insensitive")),
  exact: optional(flag("Match the whole name")),
  nth: optional(integer(1, 10_000, "Which of several matches, from 1")),
};

/** A window: a part of its title, its id, or the fields that choose it. */
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
/** The fields of that object that other forms of it have. */
const OTHER_FORMS = { element: optional(plainText("Words for the element")), ...ELEMENT_WINDOW };

/** Reads an element as an object. */
const elementFields = group({ ...NAMED_ELEMENT, ...OTHER_FORMS }, "");

/** An element in words, or as an object. Every field called `element` takes both. */
export const ELEMENT_NAME: Field<ElementTarget, true> = {
  required: true,
  schema: {
    description: 'An element: e12, button "Save", button "Save" 2 in "Ask", or an object',
    anyOf: [{ type: "string" }, objectSchema(NAMED_ELEMENT)],
  },
  parse: (value, name) => elementNamed(value, name, elementFields).target,
};

/** How an awaited element must be. */
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

/** An element that is waited for, and how it must be; `gone` waits for the reverse. */
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

/** Reads an element in words, or as an object, which a query has as JSON. */
function elementNamed(
  value: unknown,
  name: string,
  fields: typeof awaitedFields | typeof elementFields,
): { target: ElementTarget; gone?: boolean } {
  if (typeof value === "string" && !value.startsWith("{")) return { target: elementIn(value, name) };
  const { element, ref, window, id, title, class: className, pid, ...rest } = fields.parse(
    typeof value === "string" ? parsedJson(value, name) : value,
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

function parsedJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(
      `${name} must be an element, described in words or JSON, not ${describeValue(text)}`,
      {
        cause: error,
      },
    );
  }
}

/** A field that takes a text instead of an object. */
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

/** The fields that choose one element: its name, or role and name in a window. */
const ELEMENT_TARGET = {
  element: optional(ELEMENT_NAME),
  ...ELEMENT_QUERY,
  ...ELEMENT_WINDOW,
  window: optional(
    inWords(NAMED_WINDOW, "The window: part of its title, its id, or an object with such fields"),
  ),
};

/** Joins the fields of {@linkcode ELEMENT_TARGET}; those of the element's name come first. */
function targetOf(
  { element, role, name, exact, nth, id, title, class: className, pid, window: named }: Values<
    typeof ELEMENT_TARGET
  >,
): ElementTarget {
  const window = { ...withValues({ id, title, class: className, pid }), ...named, ...element?.window };
  return { ...withValues({ role, name, exact, nth }), ...element, window };
}

/** An element in words: `e12`, `button "Save"`, `button "Save" 2 in "Ask"`. */
const IN_WORDS =
  /^(?:(e[1-9]\d*)|([a-z][a-z ]*?)?\s*("(?:[^"\\]|\\.)*")?(?:\s+([1-9]\d{0,3}))?(?:\s+in\s+("(?:[^"\\]|\\.)*"))?)$/;

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
 * @throws InputError if the words name no element.
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
  const { pointOn } = await import("../elements/click.ts");
  return await pointOn(context.operator, element, context.signal);
}

/** @throws InputError if an element and another place are given. */
export function checkOnePlace(element: unknown, others: Record<string, unknown>): void {
  const other = element && Object.keys(others).find((name) => others[name] !== undefined);
  if (other) throw new InputError(`element and ${other} cannot both be given`);
}

/** Writes a target in the form of {@linkcode ELEMENT_TARGET}. */
export function targetValues(element: ElementTarget): Values<typeof ELEMENT_TARGET> {
  return { element };
}

/** A value that an element is brought to. */
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

/** An element as it is listed. */
const ELEMENT_FIELDS = {
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

/** An element as one field. */
export const ELEMENT = group(ELEMENT_FIELDS, "An element");

/** Writes an element in the form of {@linkcode ELEMENT_FIELDS}. */
export function elementValues(
  { ref, role, name, value, formula, states, depth, place }: ListedElement,
): Values<typeof ELEMENT_FIELDS> {
  const texts = { ...(value === undefined ? {} : { value }), ...(formula === undefined ? {} : { formula }) };
  return { ref, role, name, ...texts, states: [...states], depth, ...place };
}

/** The number of elements in one answer, if the caller does not say. */
const USUAL_LIMIT = 200;
/** The most elements in an answer; one reading gives no more. */
const MOST = 20_000;

const { nth: _, ...LIST_QUERY } = ELEMENT_QUERY;

/** Loads the module that acts on elements, at the first call that needs it. */
const acting = () => import("../elements/set.ts");

const LIST_INPUT = {
  element: optional(inWords(ELEMENT_NAME, 'List only elements that match a name such as button "Save"')),
  ...LIST_QUERY,
  ...ELEMENT_WINDOW,
  window: ELEMENT_TARGET.window,
  visible: optional(flag("false includes hidden elements; default true")),
  limit: optional(integer(1, MOST, `Maximum number of elements; default ${USUAL_LIMIT}`)),
  since: optional(
    integer(
      1,
      Number.MAX_SAFE_INTEGER,
      "The serial of an earlier list: list only elements that are new or changed since",
    ),
  ),
};

async function listed(
  { visible = true, limit = USUAL_LIMIT, since, ...given }: Values<typeof LIST_INPUT>,
  operator: Operator,
) {
  const [{ readSince }, { matchingElements }, { lastListed }] = await Promise.all([
    import("../elements/list.ts"),
    import("../elements/query.ts"),
    import("../elements/list.ts"),
  ]);
  const { element: ref, window, nth: _, ...query } = targetOf(given);
  const read = await readSince(
    operator,
    ref === undefined ? window : { id: lastListed(operator, ref).windowId },
    !visible,
    since,
  );
  const fits = (elements: ListedElement[]) =>
    ref === undefined ? matchingElements(elements, query) : elements.filter((element) => element.ref === ref);
  const found = fits(read.elements), removed = read.removed && fits(read.removed);
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
    const { limit = USUAL_LIMIT, role, name, element, visible } = query;
    const list = await listed({ ...query, limit: MOST }, operator);
    const { elementsText } = await import("../elements/text.ts");
    const isAsked = [role, name, element].some((field) => field !== undefined) || visible === false;
    const bytes = new TextEncoder().encode(
      `${elementsText(list, { serial: list.serial, limit, isAsked })}\n`,
    );
    return new Content("text/plain", bytes.length, [bytes]);
  },
});

export const elementTree = action({
  name: "elementTree",
  summary: "The elements of a window as an outline without refs and positions",
  effect: "read",
  input: LIST_INPUT,
  output: ["text/plain"],
  async run(query, { operator }) {
    const list = await listed({ ...query, limit: query.limit ?? MOST }, operator);
    const { elementsOutline } = await import("../elements/text.ts");
    const bytes = new TextEncoder().encode(elementsOutline(list));
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
      count("The given serial; missing if deskhand no longer has that list and returns all elements"),
    ),
    removed: optional(list(REF, "With since: the refs of elements that are gone")),
    places: choice(
      ["screen", "window", "none"],
      "What coordinates are relative to: screen or window; none if they are unknown",
    ),
    elements: list(ELEMENT, "The elements, in the order of the window's tree"),
    more: count("The number of elements omitted because of the limit"),
    whole: flag("false if the tree was too large or its program too slow to read it completely"),
    silent: optional(plainText("Why the window shows no elements")),
  },
  run: (query, { operator }) => listed(query, operator),
});

/** Whether an act is left to the element's program. */
export const BACKGROUND = optional(flag(
  "Leave the pointer, focus and front window alone; returns a 409 needs_foreground if the program cannot perform the action itself",
));
/** The words about a focus that was taken by a window that such an act opened. */
const FOCUS = optional(
  plainText("With background: which window took the focus, and when deskhand returned it"),
);
const VIA = choice(
  ["click", "action", "keys", "none"],
  "click: by the pointer; action: by the element's program; keys: by typing; none: nothing had to change",
);

const DONE_OUTPUT = { ok: flag("true"), via: VIA, focus: FOCUS, ...ELEMENT_FIELDS };

function doneValues({ via, element, focus }: Filled) {
  return { ok: true, via, ...(focus === undefined ? {} : { focus }), ...elementValues(element) };
}

/** Whether another element may take the place of one that is missing, and what is said of it. */
export const HEAL = optional(
  flag("If the element is not found, use a replacement chosen by fixed rules"),
);
/** The words about it. */
export const HEALED = optional(plainText("With heal: the replacement and the rule"));

export const clickOnElement = action({
  name: "clickOnElement",
  summary: "Click an element",
  effect: "act",
  input: {
    ...ELEMENT_TARGET,
    button: optional(choice(BUTTONS, "default left")),
    count: optional(integer(1, 3, "Clicks: 2 is a double click")),
    background: BACKGROUND,
    heal: HEAL,
  },
  output: { ...DONE_OUTPUT, healed: HEALED },
  async run({ button = "left", count = 1, background = false, heal = false, ...named }, context) {
    const { operator, signal } = context, target = targetOf(named);
    const { clickChecked } = await import("../elements/chosen.ts");
    const click = { button, count, signal, isInBackground: background };
    const act = async (target: ElementTarget) => doneValues(await clickChecked(operator, target, click));
    if (!heal) return await act(target);
    const { actOrHeal, clickTextOf } = await import("./healing.ts");
    return await actOrHeal(
      target,
      operator,
      act,
      background ? undefined : async () => {
        const { element, told } = await clickTextOf(target, click, context);
        return { ...doneValues({ via: "click", element }), healed: told };
      },
    );
  },
});

export const setElementText = action({
  name: "setElement",
  summary: "Set an element: its text, state, number, or choice",
  effect: "act",
  input: {
    ...ELEMENT_TARGET,
    text: unless(["to"], plainText("The new text of the field")),
    to: optional(FILL_VALUE),
    background: BACKGROUND,
    heal: HEAL,
  },
  output: { ...DONE_OUTPUT, healed: HEALED },
  async run({ text, to, background = false, heal = false, ...named }, { operator, signal }) {
    if (text !== undefined && to !== undefined) throw new InputError("text and to cannot both be given");
    const act = async (target: ElementTarget) => {
      if (to === undefined && !background) {
        return doneValues(await (await acting()).setElement(operator, target, text!, signal));
      }
      const { fillElement } = await import("../elements/filling.ts");
      return doneValues(await fillElement(operator, target, to ?? text!, signal, background));
    };
    if (!heal) return await act(targetOf(named));
    return await (await import("./healing.ts")).actOrHeal(targetOf(named), operator, act);
  },
});

export const focusOnElement = action({
  name: "focusElement",
  summary: "Move the keyboard focus to an element",
  effect: "act",
  input: ELEMENT_TARGET,
  output: {
    ok: flag("true"),
    raised: flag("True if the program raised its window, as GTK 3 does"),
    ...ELEMENT_FIELDS,
  },
  async run(target, { operator }) {
    const { focusElement } = await acting();
    const { element, raised } = await focusElement(operator, targetOf(target));
    return { ok: true, raised, ...elementValues(element) };
  },
});

export const scrollToElement = action({
  name: "scrollToElement",
  summary: "Scroll an element into view",
  effect: "act",
  input: { ...ELEMENT_TARGET, background: BACKGROUND },
  output: DONE_OUTPUT,
  async run({ background, ...target }, { operator, signal }) {
    const { scrollToElement } = await acting();
    return doneValues(await scrollToElement(operator, targetOf(target), signal, background));
  },
});

export const switchElements = action({
  name: "switchElements",
  summary: "Turn the session's accessibility on or off; some programs need it to show elements",
  effect: "act",
  input: { enabled: flag("Whether accessibility should be on; the setting persists") },
  output: {
    ok: flag("true"),
    changed: flag("Whether the setting changed"),
    did: plainText("The verdict in words"),
  },
  async run({ enabled }, { operator }) {
    const { switchAccessibility } = await import("../elements/set.ts");
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
