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
import { choice, group, integer, list, optional, unless } from "./schema.ts";

export const position = action({
  name: "position",
  summary: "Where the pointer is",
  effect: "read",
  input: {},
  output: { x: X, y: Y },
  run: (_, { operator }) => operator.sharedPosition(),
});

export const move = action({
  name: "move",
  summary: "Move the pointer",
  effect: "act",
  input: { x: X, y: Y },
  output: {},
  run: (point, context) => context.operator.move(point, context),
});

export const click = action({
  name: "click",
  summary: "Click at a place",
  effect: "act",
  input: {
    x: unless("at", X),
    y: unless("at", Y),
    button: unless("at", BUTTON),
    at: optional(
      choice(["pointer"], "In place of x and y: where the pointer is, with the left button if none is named"),
    ),
    count: optional(integer(1, 3, "2 is a double click")),
    hold: HOLD,
  },
  output: {},
  async run({ at, button = "left", count, hold, ...place }, context) {
    const given = pointOf(place), { operator } = context;
    if (at && given) throw new InputError("at cannot be given with x and y");
    await operator.click(given ?? await operator.position(), button, count, hold, context);
  },
});

export const scroll = action({
  name: "scroll",
  summary: "Turn the wheel",
  effect: "act",
  input: { direction: DIRECTION, amount: AMOUNT, ...OPTIONAL_POINT, hold: HOLD },
  output: {},
  run: ({ direction, amount, hold, ...place }, context) =>
    context.operator.scroll(direction, amount, pointOf(place), hold, context),
});

export const press = action({
  name: "press",
  summary: "Press a button or key and keep it down",
  effect: "act",
  input: { ...BUTTON_OR_KEY, ...OPTIONAL_POINT },
  output: {},
  run(values, context) {
    const held = heldOf(values);
    if (!held) throw new InputError("Missing button or key");
    return context.operator.press(held, pointOf(values), context);
  },
});

export const release = action({
  name: "release",
  summary: "Release a button or key, everything held if none is named",
  effect: "act",
  input: { ...BUTTON_OR_KEY, ...OPTIONAL_POINT },
  output: {},
  run: (values, { operator }) => operator.release(heldOf(values), pointOf(values)),
});

export const drag = action({
  name: "drag",
  summary: "Drag from one place to another",
  effect: "act",
  input: {
    from: group({ x: X, y: Y }, "Where the button goes down"),
    via: optional(list(group({ x: X, y: Y }, "A place"), "Places on the way, in order", { most: 100 })),
    to: group({ x: X, y: Y }, "Where it comes up"),
    button: optional(BUTTON),
    hold: HOLD,
  },
  output: {},
  run({ from, via = [], to, ...options }, { operator, signal }) {
    const names = ["from.", ...via.map((_, i) => `via[${i}].`), "to."];
    return dragAlong(operator, [from, ...via, to], names, { ...options, signal });
  },
});
