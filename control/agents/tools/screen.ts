/** Tools that look. */

import { InputError } from "../../../core/errors.ts";
import { AWAITED_ELEMENT, checkOnePlace } from "../../actions/element_fields.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { WINDOW_NAME } from "../../actions/windows.ts";
import { color } from "../../schema/fields.ts";
import {
  flag,
  group,
  integer,
  inWords,
  number,
  optional,
  parseFields,
  type Values,
} from "../../schema/schema.ts";
import type { Region } from "../../desktop/desktop.ts";
import { shownRegion } from "../../elements/click.ts";
import { LEAST_MATCH } from "../../find/find.ts";
import { heldName } from "../../operator/held.ts";
import {
  ELEMENT,
  LENGTH,
  LONGEST_OWN_MS,
  placeText,
  REGION,
  REGION_FIELDS,
  said,
  TEXT,
  tool,
  type ToolContext,
  WINDOW,
  X,
  Y,
} from "../tool.ts";
import { matchText, regionShown, windowText } from "./windows.ts";

/** Maximum time of a call in addition to the time in its arguments, in milliseconds. */
export const LONGEST_MS = 30_000;

const TOLERANCE = optional(integer(0, 255, "0 to 255"));
const GONE = optional(flag("The reverse"));

/** Default timeout of a wait, in milliseconds. */
const USUAL_WAIT_MS = 10_000;

export const screenshot = tool({
  name: "screenshot",
  title: "Take a screenshot",
  description:
    "A picture of the screen. With region or element, that part enlarged; coordinates stay those of the whole picture.",
  action: ACTIONS.screenshot,
  input: { region: REGION, element: ELEMENT, cursor: optional(flag("Draws the pointer; default true")) },
  async run({ region, element, cursor }, context) {
    checkOnePlace(element, { region });
    const part = element
      ? regionShown(await shownRegion(context.operator, element, context.signal), context)
      : region;
    return await context.picture(part, cursor);
  },
});

export const screen = tool({
  name: "screen",
  title: "Describe the screen",
  description: "Sizes of screenshot and screen, displays, pointer, what is held down.",
  action: ACTIONS.screen,
  input: {},
  async run(_, context) {
    const { operator, view, readOnly } = context, { kind, displays } = await context.run(ACTIONS.screen, {});
    const place = await operator.knownPosition();
    const held = operator.held().map(heldName).join(", ");
    return said([
      `screenshot: ${view.width}x${view.height}, of ${view.area.width}x${view.area.height} at ${view.area.x},${view.area.y} of the desktop`,
      ...displays.map(({ name, primary, x, y, width, height }) =>
        `display ${name}: ${width}x${height} at ${x},${y}${primary ? ", primary" : ""}`
      ),
      `pointer: ${place ? placeText(context, place) : "not known until it is moved"}`,
      `desktop: ${kind}${readOnly ? ", only looking is allowed" : ""}`,
      `held down: ${held || "nothing"}`,
    ].join("\n"));
  },
});

export const pixel = tool({
  name: "pixel",
  title: "Read a pixel's colour",
  description: "The colour of the screen at a place of the screenshot, such as #20242c.",
  action: ACTIONS.pixel,
  input: { x: X, y: Y },
  run: async (point, context) => said((await context.run(ACTIONS.pixel, context.place(point))).hex),
});

const MATCH = optional(number(LEAST_MATCH, 1, "Share that agrees"));

/**
 * A picture to wait for: a part of the last picture that the model received. The schema describes the fields
 * only by name.
 */
const PICTURE = optional({
  ...group({ ...REGION_FIELDS, match: MATCH, gone: GONE }, ""),
  schema: {
    type: "object",
    description: "{x, y, width, height, match, gone}: a part of the last screenshot is shown, anywhere",
  },
});

/** An element to wait for. The schema describes the fields only by name. */
const AWAITED = optional({
  ...AWAITED_ELEMENT,
  schema: { type: "object", description: "{role, name, gone}: it is there" },
});

const WAITS = {
  ms: optional(integer(1, LONGEST_OWN_MS, "")),
  still: optional(group({
    ms: integer(1, LONGEST_OWN_MS, "For how long nothing changes"),
    region: REGION,
  }, "The screen stays as it is")),
  change: optional(group({ region: REGION }, "The screen looks otherwise than now")),
  pixel: optional(group({ x: X, y: Y, hex: color(""), tolerance: TOLERANCE }, "It has a colour")),
  picture: PICTURE,
  text: optional(group({ text: TEXT, gone: GONE }, "Letters are shown")),
  element: AWAITED,
  window: optional(group({
    ...WINDOW,
    active: optional(flag("Keys go to it")),
    gone: GONE,
  }, "There is a window")),
};

export const wait = tool({
  name: "wait",
  title: "Wait",
  description: "Waits for one thing: a time, or until something is the case.",
  action: ACTIONS.wait,
  picture: "if asked",
  input: {
    ...WAITS,
    timeout_ms: optional(integer(1, LONGEST_OWN_MS, "default 10000")),
  },
  ownMs: ({ ms, timeout_ms = USUAL_WAIT_MS }) => ms ?? timeout_ms,
  async run({ timeout_ms = USUAL_WAIT_MS, ...kinds }, context) {
    const given = Object.keys(kinds);
    if (given.length !== 1) throw new InputError(`give one of ${Object.keys(WAITS).join(", ")}`);
    const most = context.timeLeft(), { ms } = kinds;
    if (ms !== undefined) {
      await context.pause(Math.min(ms, most));
      return said(ms > most ? `waited ${most} ms, the longest in one call` : `waited ${ms} ms`);
    }
    const wanted = { ...await wantedBy(kinds, context), timeout_ms: Math.min(timeout_ms, most) };
    const { ms: took, window, match, element } = await context.run(ACTIONS.wait, wanted);
    const found = window
      ? `: ${windowText(window, context)}`
      : element
      ? `: ${element.role} ${JSON.stringify(element.name)} (${element.ref})`
      : match
      ? ` at ${placeText(context, match.center)}`
      : "";
    return said(`${REACHED[given[0] as keyof typeof REACHED]} after ${took} ms${found}`);
  },
});

/** The text for the end of a wait, by kind. */
const REACHED = {
  still: "the screen is still",
  change: "the screen has changed",
  pixel: "the pixel has the colour",
  picture: "the picture is as expected",
  text: "the text is as expected",
  element: "the element is as expected",
  window: "the windows are as expected",
};

/** The fields of the waiting action. */
async function wantedBy(
  { still, change, pixel, picture, text, element, window }: Values<typeof WAITS>,
  context: ToolContext,
): Promise<Values<typeof ACTIONS.wait.input>> {
  const area = (region: Region | undefined, name: string) =>
    region ? context.region(region, `${name}.region.`) : context.view.area;
  if (still) return { still: { ms: still.ms, ...area(still.region, "still") } };
  if (change) return { change: area(change.region, "change") };
  if (pixel) return { pixel: { ...pixel, ...context.place(pixel, "pixel.") } };
  if (window) return { window };
  if (element) return { element };
  if (text) return { text: { ...text, ...context.view.area } };
  const { match, gone, ...part } = picture!, png = await context.seen(context.region(part, "picture."));
  return { picture: { png, match, gone, ...context.view.area } };
}

export const find = tool({
  name: "find",
  title: "Find a text or a picture",
  description:
    "Where a text, or without one the part x, y, width, height of the last screenshot, is on the screen now: the " +
    "middles of the places, the best first.",
  action: ACTIONS.find,
  input: {
    text: optional(TEXT),
    window: inWords(
      optional(WINDOW_NAME),
      "Only there, covered or not: id or part of the title",
    ),
    x: optional(X),
    y: optional(Y),
    width: optional(LENGTH),
    height: optional(LENGTH),
    match: MATCH,
    tolerance: TOLERANCE,
    limit: optional(integer(1, 100, "Places; default 1")),
  },
  async run({ text, match, tolerance, limit, window, ...part }, context) {
    const missing = `it is not ${window ? "in the window" : "on the screen"}`;
    const isPart = Object.values(part).some((value) => value !== undefined);
    if (text !== undefined) {
      const region = isPart ? context.region(parseFields(REGION_FIELDS, part)) : undefined;
      // If both are given, the action reports that they exclude each other.
      const place = window ? { window, ...region } : region ?? context.view.area;
      const query = { text, match, limit, ...place };
      const { matches, nearest = [] } = await context.run(ACTIONS.findText, query);
      const lines = (places: typeof matches) => places.map((place) => matchText(place, context)).join("\n");
      if (matches.length) return said(lines(matches));
      return said(`${missing}${nearest.length ? `; nearest:\n${lines(nearest)}` : ""}`);
    }
    const png = await context.seen(context.region(parseFields(REGION_FIELDS, part)));
    const query = { png, match, tolerance, limit, ...(window ? { window } : context.view.area) };
    const { matches } = await context.run(ACTIONS.find, query);
    return said(
      matches.map(({ center, match }) => `${placeText(context, center)}, match ${match}`).join("\n") ||
        missing,
    );
  },
});
