/** Pointer and keyboard actions: position, moving, clicking, scrolling, dragging, holding, typing. */

import { InputError } from "../../core/errors.ts";
import { parseCombination } from "../desktop/keys.ts";
import { combination, drag as dragAlong } from "../operator/gestures.ts";
import {
  AMOUNT,
  BUTTON,
  BUTTON_OR_KEY,
  DIRECTION,
  heldOf,
  HOLD,
  OPTIONAL_POINT,
  pointOf,
  X,
  Y,
} from "../schema/fields.ts";
import { choice, flag, group, integer, list, optional, text, unless } from "../schema/schema.ts";
import { action, type ActionContext } from "./action.ts";
import { checkOnePlace, ELEMENT_PLACE, placeOf } from "./element_fields.ts";

/** The picture in which the caller chose a place. */
const SEEN = {
  seen: optional(
    text(
      "The name of the picture in which the position was chosen; returns a 409 changed if the screen has changed there",
    ),
  ),
  picture: optional(
    flag("With seen: a 409 changed includes the new picture, which gets the same name"),
  ),
};

/** A required place. */
const POINT = { x: unless(["element"], X), y: unless(["element"], Y) };

export const position = action({
  name: "position",
  summary: "The pointer's position",
  effect: "read",
  input: {},
  output: { x: X, y: Y },
  run: (_, { operator }) => operator.sharedPosition(),
});

export const move = action({
  name: "move",
  summary: "Move the pointer",
  effect: "act",
  input: { ...POINT, element: ELEMENT_PLACE },
  output: {},
  run: async (values, context) => context.operator.move((await placeOf(values, context, true))!, context),
});

export const click = action({
  name: "click",
  summary: "Click at a position",
  effect: "act",
  input: {
    x: unless(["at", "element"], X),
    y: unless(["at", "element"], Y),
    button: unless(["at", "element"], BUTTON),
    at: optional(
      choice(
        ["pointer"],
        "Instead of x and y: the pointer position; the default button is left",
      ),
    ),
    element: ELEMENT_PLACE,
    count: optional(integer(1, 3, "Clicks: 2 is a double click")),
    hold: HOLD,
    ...SEEN,
  },
  output: {},
  async run({ at, element, x, y, button = "left", count, hold }, context) {
    const place = { x, y };
    if (element) {
      checkOnePlace(element, { at, ...place });
      const { clickElement } = await import("../elements/click.ts"), { signal, operator, windows } = context;
      const click = { button, count: count ?? 1, hold, signal, isByPointer: true, windows };
      return void await clickElement(operator, element, click);
    }
    const given = pointOf(place), { operator } = context;
    if (at && given) throw new InputError("at cannot be given with x and y");
    if (given) await operator.click(given, button, count, hold, context);
    else await operator.clickHere(button, count, hold, context);
  },
});

export const scroll = action({
  name: "scroll",
  summary: "Turn the wheel",
  effect: "act",
  input: {
    direction: DIRECTION,
    amount: AMOUNT,
    ...OPTIONAL_POINT,
    element: ELEMENT_PLACE,
    hold: HOLD,
    ...SEEN,
  },
  output: {},
  run: async ({ direction, amount, hold, x, y, element }, context) =>
    context.operator.scroll(direction, amount, await placeOf({ x, y, element }, context), hold, context),
});

export const press = action({
  name: "press",
  summary: "Press a button or key and keep it down",
  effect: "act",
  input: { ...BUTTON_OR_KEY, ...OPTIONAL_POINT, element: ELEMENT_PLACE, ...SEEN },
  output: {},
  async run({ button, key, x, y, element }, context) {
    const held = heldOf({ button, key });
    if (!held) throw new InputError("Missing button or key");
    return context.operator.press(held, await placeOf({ x, y, element }, context), context);
  },
});

export const release = action({
  name: "release",
  summary: "Release a button or key, or everything held if none is named",
  effect: "act",
  input: { ...BUTTON_OR_KEY, ...OPTIONAL_POINT, element: ELEMENT_PLACE },
  output: {},
  run: async ({ button, key, ...place }, context) =>
    context.operator.release(heldOf({ button, key }), await placeOf(place, context, true)),
});

export const drag = action({
  name: "drag",
  summary: "Drag from one position to another",
  effect: "act",
  input: {
    from: group({ ...POINT, element: ELEMENT_PLACE }, "The position where the button is pressed"),
    via: optional(list(group({ x: X, y: Y }, "A place"), "Positions on the way, in order", { most: 100 })),
    to: group({ ...POINT, element: ELEMENT_PLACE }, "The position where the button is released"),
    button: optional(BUTTON),
    hold: HOLD,
    ...SEEN,
  },
  output: {},
  async run({ from, via = [], to, button, hold }, context) {
    const { operator, signal, expects } = context,
      names = ["from.", ...via.map((_, i) => `via[${i}].`), "to."];
    // Finds the end first, so that the window of the start is in front when the drag starts.
    const end = (await placeOf(to, context))!, start = (await placeOf(from, context))!;
    await dragAlong(operator, [start, ...via, end], names, { button, hold, signal, expects });
  },
});

// Keyboard actions: combinations and text.

export const key = action({
  name: "key",
  summary: "Press a key or shortcut",
  effect: "act",
  input: {
    keys: text("The keys, such as ctrl+shift+t, f5 or a; + itself is plus"),
    repeat: optional(integer(1, 100, "Repetitions; default 1")),
    hold_ms: optional(
      integer(0, 300_000, "Milliseconds to hold the keys down; default 0"),
    ),
  },
  output: {},
  waits: true,
  run({ keys, repeat, hold_ms }, context) {
    return combination(context.operator, parseCombination(keys), { repeat, holdMs: hold_ms }, context);
  },
});

export const type = action({
  name: "type",
  summary: "Type any Unicode text",
  effect: "act",
  input: { text: text("Text to type; a line feed is Enter, a tab is Tab") },
  output: {},
  waits: true,
  run: ({ text }, { operator, signal }) => operator.type(text, signal),
});

// Waiting before a click: nothing may be clicked for a caller that has left.

/** Maximum wait before a click for a caller whose departure cannot be detected, in milliseconds. */
const UNWATCHED_MS = 30_000;

/**
 * Waits for the click target to appear.
 * @param waitMs Maximum wait, in milliseconds.
 * @throws InputError if the wait is too long for a caller whose departure cannot be detected; the signal's
 * reason if the caller has left.
 */
export async function waitToClick<T>(
  waitMs: number,
  context: ActionContext,
  wait: () => Promise<T>,
): Promise<T> {
  if (waitMs > UNWATCHED_MS && await context.hasLeft() === undefined) {
    throw new InputError(
      `timeout_ms may be at most ${UNWATCHED_MS} with click here: this system does not report when a client disconnects`,
    );
  }
  const found = await context.looking(wait);
  await context.hasLeft();
  context.signal.throwIfAborted();
  return found;
}
