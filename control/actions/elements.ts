/** Element actions: list, click, set, focus. */

import { InputError } from "../../core/errors.ts";
import { BUTTONS } from "../desktop/desktop.ts";
import type { Filled } from "../elements/filling.ts";
import type { ListedElement } from "../elements/list.ts";
import type { ElementTarget } from "../elements/query.ts";
import {
  choice,
  count,
  flag,
  integer,
  inWords,
  list,
  optional,
  plainText,
  unless,
  type Values,
} from "../schema/schema.ts";
import { action, type ActionContext, Content } from "./action.ts";
import { WINDOW } from "./windows.ts";
import {
  ELEMENT,
  ELEMENT_FIELDS,
  ELEMENT_NAME,
  ELEMENT_QUERY,
  ELEMENT_TARGET,
  ELEMENT_WINDOW,
  elementValues,
  FILL_VALUE,
  REF,
  targetOf,
} from "./element_fields.ts";

/** Default number of elements in an answer. */
const USUAL_LIMIT = 200;
/** Maximum number of elements in an answer, and in one reading. */
const MOST = 20_000;

const { nth: _, ...LIST_QUERY } = ELEMENT_QUERY;

/** Loads the module that acts on elements, on first use. */
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
  { operator, signal }: ActionContext,
) {
  const [{ lastListed, readSince }, { matchingElements }] = await Promise.all([
    import("../elements/list.ts"),
    import("../elements/query.ts"),
  ]);
  const { element: ref, window, nth: _, ...query } = targetOf(given);
  const read = await readSince(
    operator,
    ref === undefined ? window : { id: lastListed(operator, ref).windowId },
    !visible,
    signal,
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
  async run(query, context) {
    const { limit = USUAL_LIMIT, role, name, element, visible } = query;
    const list = await listed({ ...query, limit: MOST }, context);
    const { elementsText } = await import("../elements/text.ts");
    const isAsked = [role, name, element].some((field) => field !== undefined) || visible === false;
    return Content.ofText(`${elementsText(list, { serial: list.serial, limit, isAsked })}\n`);
  },
});

export const elementTree = action({
  name: "elementTree",
  summary: "The elements of a window as an outline without refs and positions",
  effect: "read",
  input: LIST_INPUT,
  output: ["text/plain"],
  async run(query, context) {
    const list = await listed({ ...query, limit: query.limit ?? MOST }, context);
    const { elementsOutline } = await import("../elements/text.ts");
    return Content.ofText(elementsOutline(list));
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
  run: (query, context) => listed(query, context),
});

/** Whether the element's program performs the action. */
export const BACKGROUND = optional(flag(
  "Leave the pointer, focus and front window alone; returns a 409 needs_foreground if the program cannot perform the action itself",
));
/** Reports a focus taken by a window that such an action opened. */
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

/** Whether another element may replace a missing one; the result describes the replacement. */
export const HEAL = optional(
  flag("If the element is not found, use a replacement chosen by fixed rules"),
);
/** Describes the replacement. */
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
    const { operator, signal, windows } = context, target = targetOf(named);
    const { clickChecked } = await import("../elements/chosen.ts");
    const click = { button, count, signal, isInBackground: background, windows };
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
  async run(target, { operator, signal }) {
    const { focusElement } = await acting();
    const { element, raised } = await focusElement(operator, targetOf(target), signal);
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
