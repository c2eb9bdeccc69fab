/** Actions of the pointer: where it is, moving, clicking, scrolling, dragging, holding. */

import { InputError } from "../../core/errors.ts";
import { action } from "./action.ts";
import { AMOUNT, BUTTON, BUTTON_OR_KEY, DIRECTION, heldOf, OPTIONAL_POINT, pointOf, X, Y } from "./fields.ts";
import { group, integer, optional } from "./schema.ts";

export const position = action({
  name: "position",
  summary: "Where the pointer is",
  effect: "look",
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
  run: (point, { operator }) => operator.move(point),
});

export const click = action({
  name: "click",
  summary: "Click at a place",
  effect: "act",
  input: { x: X, y: Y, button: BUTTON, count: optional(integer(1, 3, "2 is a double click")) },
  output: {},
  run: ({ button, count, ...point }, { operator }) => operator.click(point, button, count),
});

export const scroll = action({
  name: "scroll",
  summary: "Turn the wheel",
  effect: "act",
  input: { direction: DIRECTION, amount: AMOUNT, ...OPTIONAL_POINT },
  output: {},
  run: ({ direction, amount, ...place }, { operator }) => operator.scroll(direction, amount, pointOf(place)),
});

export const press = action({
  name: "press",
  summary: "Press a button or key and keep it down",
  effect: "act",
  input: { ...BUTTON_OR_KEY, ...OPTIONAL_POINT },
  output: {},
  run(values, { operator }) {
    const held = heldOf(values);
    if (!held) throw new InputError("Missing button or key");
    return operator.press(held, pointOf(values));
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
    to: group({ x: X, y: Y }, "Where it comes up"),
    button: optional(BUTTON),
  },
  output: {},
  run: ({ from, to, button }, { operator, signal }) => operator.drag(from, to, button, signal),
});
