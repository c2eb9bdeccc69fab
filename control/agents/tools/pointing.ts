/** Tools of the pointer. */

import { InputError } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { choice, group, integer, list, optional } from "../../actions/schema.ts";
import { type Button, DIRECTIONS } from "../../desktop.ts";
import { placeText, said, SETTLE_MS, tool, type ToolContext } from "../tool.ts";
import { BUTTON, ELEMENT, HELD_KEYS, OPTIONAL_PLACE, X, Y } from "./fields.ts";

export const click = tool({
  name: "click",
  title: "Click",
  description: "Clicks at a place of the screenshot, or where the pointer is.",
  action: ACTIONS.click,
  looks: "if asked",
  settleMs: SETTLE_MS,
  destructive: true,
  input: {
    ...OPTIONAL_PLACE,
    element: ELEMENT,
    button: BUTTON,
    count: optional(integer(1, 3, "2: double click")),
    hold: HELD_KEYS,
  },
  async run({ button = "left", count = 1, hold, element, ...place }, context) {
    if (element !== undefined) return await clickOn(element, { button, count }, { ...place, hold }, context);
    const point = await context.placeOrPointer(place);
    await context.run(ACTIONS.click, { ...point, button, count, hold });
    const times = count === 1 ? "" : ` ${count} times`;
    return said(`clicked ${button}${times} at ${placeText(context, point)}`);
  },
});

/** Clicks an element, and says which way was taken. */
async function clickOn(
  ref: string,
  click: { button: Button; count: number },
  others: Record<string, unknown>,
  context: ToolContext,
) {
  const other = Object.keys(others).find((name) => others[name] !== undefined);
  if (other) throw new InputError(`element and ${other} cannot both be given`);
  const { via, role, name } = await context.run(ACTIONS.clickOnElement, { element: ref, ...click });
  const way = via === "action" ? "pressed by its program" : "clicked";
  return said(`${way}: ${role} ${JSON.stringify(name)} (${ref})`);
}

export const move = tool({
  name: "move",
  title: "Move the pointer",
  description: "Moves the pointer to a place of the screenshot.",
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
  description: "Presses a button at the first place, moves along, and releases it at the last.",
  action: ACTIONS.drag,
  looks: "if asked",
  settleMs: SETTLE_MS,
  destructive: true,
  input: {
    path: list(group({ x: X, y: Y }, ""), "", { least: 2, most: 100 }),
    button: BUTTON,
    hold: HELD_KEYS,
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
  description: "Turns the wheel at a place of the screenshot, or where the pointer is.",
  action: ACTIONS.scroll,
  looks: "if asked",
  input: {
    direction: choice(DIRECTIONS, ""),
    amount: optional(integer(1, 100, "Notches; 3 if left out")),
    ...OPTIONAL_PLACE,
    hold: HELD_KEYS,
  },
  async run({ direction, amount = 3, hold, ...place }, context) {
    const point = await context.placeOrPointer(place);
    await context.run(ACTIONS.scroll, { direction, amount, ...point, hold });
    return said(`scrolled ${direction} by ${amount} at ${placeText(context, point)}`);
  },
});
