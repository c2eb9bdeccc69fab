/** Actions of the pointer: where it is, moving, clicking, scrolling, dragging, holding. */

import { InputError } from "../../core/errors.ts";
import { drag as dragAlong } from "../gestures.ts";
import { action } from "./action.ts";
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
} from "./fields.ts";
import { checkOnePlace, ELEMENT_PLACE, placeOf } from "./element_fields.ts";
import { choice, group, integer, list, optional, unless } from "./schema.ts";

/** A place that must be named. */
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
  run: async (values, context) => context.operator.move((await placeOf(values, context))!, context),
});

export const click = action({
  name: "click",
  summary: "Click at a place",
  effect: "act",
  input: {
    x: unless(["at", "element"], X),
    y: unless(["at", "element"], Y),
    button: unless(["at", "element"], BUTTON),
    at: optional(
      choice(
        ["pointer"],
        "In place of x and y: the pointer's place, with the left button if no button is named",
      ),
    ),
    element: ELEMENT_PLACE,
    count: optional(integer(1, 3, "The number of clicks: 2 is a double click")),
    hold: HOLD,
  },
  output: {},
  async run({ at, element, button = "left", count, hold, ...place }, context) {
    if (element) {
      checkOnePlace(element, { at, ...place });
      const { clickElement } = await import("../elements/clicking.ts"), { signal, operator } = context;
      const click = { button, count: count ?? 1, hold, signal, isByPointer: true };
      return void await clickElement(operator, element, click);
    }
    const given = pointOf(place), { operator } = context;
    if (at && given) throw new InputError("at cannot be given with x and y");
    await operator.click(given ?? await operator.position(), button, count, hold, context);
  },
});

export const scroll = action({
  name: "scroll",
  summary: "Turn the wheel",
  effect: "act",
  input: { direction: DIRECTION, amount: AMOUNT, ...OPTIONAL_POINT, element: ELEMENT_PLACE, hold: HOLD },
  output: {},
  run: async ({ direction, amount, hold, ...place }, context) =>
    context.operator.scroll(direction, amount, await placeOf(place, context), hold, context),
});

export const press = action({
  name: "press",
  summary: "Press a button or key and keep it down",
  effect: "act",
  input: { ...BUTTON_OR_KEY, ...OPTIONAL_POINT, element: ELEMENT_PLACE },
  output: {},
  async run({ button, key, ...place }, context) {
    const held = heldOf({ button, key });
    if (!held) throw new InputError("Missing button or key");
    return context.operator.press(held, await placeOf(place, context), context);
  },
});

export const release = action({
  name: "release",
  summary: "Release a button or key, or everything held if none is named",
  effect: "act",
  input: { ...BUTTON_OR_KEY, ...OPTIONAL_POINT, element: ELEMENT_PLACE },
  output: {},
  run: async ({ button, key, ...place }, context) =>
    context.operator.release(heldOf({ button, key }), await placeOf(place, context)),
});

export const drag = action({
  name: "drag",
  summary: "Drag from one place to another",
  effect: "act",
  input: {
    from: group({ ...POINT, element: ELEMENT_PLACE }, "The place where the button is pressed"),
    via: optional(list(group({ x: X, y: Y }, "A place"), "Places on the way, in order", { most: 100 })),
    to: group({ ...POINT, element: ELEMENT_PLACE }, "The place where the button is released"),
    button: optional(BUTTON),
    hold: HOLD,
  },
  output: {},
  async run({ from, via = [], to, ...options }, context) {
    const { operator, signal } = context, names = ["from.", ...via.map((_, i) => `via[${i}].`), "to."];
    // Finds the end first, so that the window of the start is in front when the drag begins.
    const end = (await placeOf(to, context))!, start = (await placeOf(from, context))!;
    await dragAlong(operator, [start, ...via, end], names, { ...options, signal });
  },
});
