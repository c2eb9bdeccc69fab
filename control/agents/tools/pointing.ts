/** Tools of the pointer. */

import { HOLD } from "../../actions/fields.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { choice, group, integer, list, optional } from "../../actions/schema.ts";
import { DIRECTIONS } from "../../desktop.ts";
import { placeText, said, tool } from "../tool.ts";
import { BUTTON, OPTIONAL_PLACE, X, Y } from "./fields.ts";

export const click = tool({
  name: "click",
  title: "Click",
  description:
    "Clicks at a place of the screenshot, or where the pointer is. count 2 is a double click. hold keeps keys " +
    "down meanwhile, such as ctrl or shift+alt. With look the answer has a new screenshot, taken when the screen is still.",
  action: ACTIONS.click,
  looks: "if asked",
  destructive: true,
  input: {
    ...OPTIONAL_PLACE,
    button: BUTTON,
    count: optional(integer(1, 3, "2 is a double click")),
    hold: HOLD,
  },
  async run({ button = "left", count = 1, hold, ...place }, context) {
    const point = await context.placeOrPointer(place);
    await context.run(ACTIONS.click, { ...point, button, count, hold });
    const times = count === 1 ? "" : ` ${count} times`;
    return said(`clicked ${button}${times} at ${placeText(context, point)}`);
  },
});

export const move = tool({
  name: "move",
  title: "Move the pointer",
  description: "Moves the pointer to a place of the screenshot, such as to see what appears under it.",
  action: ACTIONS.move,
  looks: "if asked",
  idempotent: true,
  input: { x: X, y: Y },
  async run(place, context) {
    const point = context.place(place);
    await context.run(ACTIONS.move, point);
    return said(`moved to ${placeText(context, point)}`);
  },
});

export const drag = tool({
  name: "drag",
  title: "Drag",
  description: "Presses a button at the first place, moves from place to place, and releases it at the last.",
  action: ACTIONS.drag,
  looks: "if asked",
  destructive: true,
  input: {
    path: list(group({ x: X, y: Y }, "A place"), "Places, in order", { least: 2, most: 100 }),
    button: BUTTON,
    hold: HOLD,
  },
  async run({ path, button, hold }, context) {
    const [from, ...rest] = path.map((point, i) => context.place(point, `path[${i}].`));
    const to = rest.pop()!;
    await context.run(ACTIONS.drag, { from, via: rest, to, button, hold });
    return said(`dragged ${button ?? "left"} from ${placeText(context, from)} to ${placeText(context, to)}`);
  },
});

export const scroll = tool({
  name: "scroll",
  title: "Scroll",
  description:
    "Turns the wheel at a place of the screenshot, or where the pointer is. Three notches are about ten lines.",
  action: ACTIONS.scroll,
  looks: "if asked",
  input: {
    direction: choice(DIRECTIONS, "Which way"),
    amount: optional(integer(1, 100, "Notches of the wheel; 3 if left out")),
    ...OPTIONAL_PLACE,
    hold: HOLD,
  },
  async run({ direction, amount = 3, hold, ...place }, context) {
    const point = await context.placeOrPointer(place);
    await context.run(ACTIONS.scroll, { direction, amount, ...point, hold });
    return said(`scrolled ${direction} by ${amount} at ${placeText(context, point)}`);
  },
});
