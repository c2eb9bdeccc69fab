/** Pointer tools. */

import { InputError, NotFoundError, StateError } from "../../../core/errors.ts";
import { checkOnePlace } from "../../actions/element_fields.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { choice, group, integer, inWords, list, optional, type Values } from "../../schema/schema.ts";
import { type Button, DIRECTIONS, type Point } from "../../desktop/desktop.ts";
import { describeElementQuery, type ElementTarget } from "../../elements/query.ts";
import { AlikeTextsError, NoTextError, type TextMatch } from "../../read/find.ts";
import {
  BACKGROUND,
  BUTTON,
  ELEMENT,
  focusText,
  HELD_KEYS,
  OPTIONAL_PLACE,
  placeText,
  said,
  SETTLE_MS,
  TEXT,
  tool,
  type ToolContext,
} from "../tool.ts";
import { matchText } from "./windows.ts";

export const click = tool({
  name: "click",
  title: "Click",
  description: "Clicks at a place of the screenshot, on an element or a text, or where the pointer is.",
  action: ACTIONS.click,
  aim: "place",
  picture: "if asked",
  settleMs: SETTLE_MS,
  destructive: true,
  input: {
    ...OPTIONAL_PLACE,
    element: ELEMENT,
    text: optional(TEXT),
    button: BUTTON,
    count: optional(integer(1, 3, "2: double click")),
    hold: HELD_KEYS,
    background: inWords(
      BACKGROUND,
      "An element, by its program: leaves pointer, focus and front window alone",
    ),
  },
  async run({ button = "left", count = 1, hold, element, text, background, ...place }, context) {
    if (element !== undefined) {
      return await clickOn(element, { button, count, background }, { ...place, hold, text }, context);
    }
    if (background) throw new InputError("background needs an element");
    if (text !== undefined) return await clickOnText(text, { button, count }, { ...place, hold }, context);
    const point = await context.placeOrPointer(place);
    await context.run(ACTIONS.click, { ...point, button, count, hold });
    return said(`clicked ${button}${timesText(count)} at ${placeText(context, point)}`);
  },
});

const timesText = (count: number) => count === 1 ? "" : ` ${count} times`;

/** The number of clicks and the button. */
interface Clicks {
  button: Button;
  count: number;
}

function checkAlone(name: string, others: Record<string, unknown>): void {
  const other = Object.keys(others).find((name) => others[name] !== undefined);
  if (other) throw new InputError(`${name} and ${other} cannot both be given`);
}

/** Clicks on a text that appears on the screen exactly once. */
async function clickOnText(
  text: string,
  { button, count }: Clicks,
  others: Record<string, unknown>,
  context: ToolContext,
) {
  checkAlone("text", others);
  const query = { text, click: button, count, ...context.view.area };
  const { matches: [match] } = await context.run(ACTIONS.clickText, query).catch((error) => {
    throw inPicture(error, text, context);
  });
  return said(`clicked ${button}${timesText(count)} on ${matchText(match, context)}`);
}

/** Converts desktop places in an error to places in the picture. */
function inPicture(error: unknown, text: string, context: ToolContext): unknown {
  const listed = (places: readonly TextMatch[]) =>
    places.slice(0, 5).map((place) => matchText(place, context)).join("; ");
  if (error instanceof AlikeTextsError) {
    const count = error.places.length;
    return new StateError(
      `${JSON.stringify(text)} appears ${count} times; click at x and y of one: ${listed(error.places)}`,
    );
  }
  if (!(error instanceof NoTextError)) return error;
  const nearest = error.nearest.length ? `; nearest: ${listed(error.nearest)}` : "";
  return new NotFoundError(`no text like ${JSON.stringify(text)} is on the screen${nearest}`);
}

/** Clicks an element, and reports how. */
async function clickOn(
  element: ElementTarget,
  click: Clicks & { background: boolean | undefined },
  others: Record<string, unknown>,
  context: ToolContext,
) {
  checkAlone("element", others);
  const { via, ref, role, name, focus } = await context.run(ACTIONS.clickOnElement, {
    element,
    ...click,
  });
  const way = WAYS[via] ?? "clicked";
  return {
    ...said(`${way}: ${role} ${JSON.stringify(name)} (${ref})${focusText(focus)}`),
    ...(click.background ? { isReadBack: true } : {}),
  };
}

const WAYS: Partial<Record<string, string>> = { action: "pressed by its program", none: "is so already" };

/** A place in the screenshot, or an element. */
const PLACE = { ...OPTIONAL_PLACE, element: ELEMENT };

/** A place on the desktop, or an element. */
type End = Point | { element: ElementTarget };

/**
 * The place of an action that requires one.
 * @param prefix The text before a field's name in messages.
 * @throws InputError if there is no place, half of one, or two.
 */
function endOf({ element, ...place }: Values<typeof PLACE>, context: ToolContext, prefix = ""): End {
  checkOnePlace(element, place);
  if (element) return { element };
  const { x, y } = place;
  if (x === undefined || y === undefined) {
    throw new InputError(`Missing ${prefix}${x === undefined ? "x" : "y"}, or ${prefix}element`);
  }
  return context.place({ x, y }, prefix);
}

function endText(place: End, context: ToolContext): string {
  if (!("element" in place)) return placeText(context, place);
  const { element: ref, ...query } = place.element;
  return ref ?? describeElementQuery(query);
}

export const move = tool({
  name: "move",
  title: "Move the pointer",
  description: "Moves the pointer.",
  action: ACTIONS.move,
  picture: "if asked",
  idempotent: true,
  input: PLACE,
  async run(given, context) {
    const place = endOf(given, context);
    await context.run(ACTIONS.move, place);
    return said(`moved to ${endText(place, context)}`);
  },
});

export const drag = tool({
  name: "drag",
  title: "Drag",
  description: "Presses a button at the first place, moves along, and releases it at the last.",
  action: ACTIONS.drag,
  aim: "place",
  picture: "if asked",
  settleMs: SETTLE_MS,
  destructive: true,
  input: {
    path: list(group(PLACE, ""), "", { least: 2, most: 100 }),
    button: BUTTON,
    hold: HELD_KEYS,
  },
  async run({ path, button, hold }, context) {
    const [from, ...via] = path.map((place, i) => endOf(place, context, `path[${i}].`)), to = via.pop()!;
    if (!via.every(isPoint)) throw new InputError("only the first and the last place of path take element");
    await context.run(ACTIONS.drag, { from, via, to, button, hold });
    return said(`dragged ${button ?? "left"} from ${endText(from, context)} to ${endText(to, context)}`);
  },
});

const isPoint = (place: End): place is Point => !("element" in place);

export const scroll = tool({
  name: "scroll",
  title: "Scroll",
  description: "Turns the wheel at a place, an element, or where the pointer is.",
  action: ACTIONS.scroll,
  picture: "if asked",
  input: {
    direction: choice(DIRECTIONS, ""),
    amount: optional(integer(1, 100, "Notches; default 3")),
    ...OPTIONAL_PLACE,
    element: ELEMENT,
    hold: HELD_KEYS,
  },
  async run({ direction, amount = 3, hold, element, ...place }, context) {
    if (element) {
      checkAlone("element", place);
      await context.run(ACTIONS.scroll, { direction, amount, element, hold });
      return said(`scrolled ${direction} by ${amount} on the element`);
    }
    const point = await context.placeOrPointer(place);
    await context.run(ACTIONS.scroll, { direction, amount, ...point, hold });
    return said(`scrolled ${direction} by ${amount} at ${placeText(context, point)}`);
  },
});
