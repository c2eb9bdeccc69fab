/** Tools that look. */

import { delay } from "@std/async/delay";
import { InputError } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { color, flag, group, integer, optional } from "../../actions/schema.ts";
import { heldName } from "../../held.ts";
import { placeText, said, tool } from "../tool.ts";
import { LONGEST_OWN_MS } from "../deadline.ts";
import { REGION, X, Y } from "./fields.ts";

/** The longest time that a call may take beside the time that it asks for, in milliseconds. */
export const LONGEST_MS = 30_000;

/** When a wait gives up that does not say, in milliseconds. */
const USUAL_WAIT_MS = 10_000;

export const screenshot = tool({
  name: "screenshot",
  title: "Take a screenshot",
  description:
    "A picture of the screen. Coordinates of all tools are pixels of this picture. With region, that part is " +
    "shown enlarged, to read small text; coordinates stay those of the whole picture.",
  action: ACTIONS.screenshot,
  input: { region: REGION, cursor: optional(flag("Whether the pointer is drawn in; true if left out")) },
  run: ({ region, cursor }, context) => context.picture(region, cursor),
});

export const screen = tool({
  name: "screen",
  title: "Describe the screen",
  description:
    "The size of the screenshot and of the screen, the displays, where the pointer is, and what is held down.",
  action: ACTIONS.screen,
  input: {},
  async run(_, context) {
    const { operator, view, readOnly } = context, { kind, displays } = await context.run(ACTIONS.screen, {});
    const held = operator.held().map(heldName).join(", ");
    return said([
      `screenshot: ${view.width}x${view.height}, of ${view.area.width}x${view.area.height} at ${view.area.x},${view.area.y} of the desktop`,
      ...displays.map(({ name, primary, x, y, width, height }) =>
        `display ${name}: ${width}x${height} at ${x},${y}${primary ? ", primary" : ""}`
      ),
      `pointer: ${placeText(context, await operator.sharedPosition())}`,
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

export const wait = tool({
  name: "wait",
  title: "Wait",
  description: "Waits for some milliseconds, until the screen is still, or until a pixel has a colour.",
  action: ACTIONS.wait,
  looks: "if asked",
  input: {
    ms: optional(integer(1, LONGEST_OWN_MS, "Waits so long")),
    still: optional(group({
      ms: integer(1, LONGEST_OWN_MS, "For how long nothing may change"),
      region: REGION,
    }, "Waits until the screen, or a part of it, stays as it is")),
    pixel: optional(group({
      x: X,
      y: Y,
      hex: color("The colour to wait for"),
      tolerance: optional(integer(0, 255, "How far each of red, green, blue may be off; 0 if left out")),
    }, "Waits until a pixel has a colour")),
    timeout_ms: optional(integer(1, LONGEST_OWN_MS, "When to give up; 10000 if left out")),
  },
  ownMs: ({ ms, timeout_ms = USUAL_WAIT_MS }) => ms ?? timeout_ms,
  async run({ ms, still, pixel, timeout_ms = USUAL_WAIT_MS }, context) {
    const given = Object.entries({ ms, still, pixel }).filter(([, value]) => value !== undefined);
    if (given.length !== 1) throw new InputError("give one of ms, still and pixel");
    const most = context.timeLeft();
    if (ms !== undefined) {
      await delay(Math.min(ms, most), { signal: context.signal });
      return said(ms > most ? `waited ${most} ms, the longest in one call` : `waited ${ms} ms`);
    }
    const region = still?.region ? context.region(still.region, "still.region.") : context.view.area;
    const wanted = still
      ? { stable: { ms: still.ms, ...region } }
      : { pixel: { ...pixel!, ...context.place(pixel!, "pixel.") } };
    const took = await context.run(ACTIONS.wait, { ...wanted, timeout_ms: Math.min(timeout_ms, most) });
    return said(`${still ? "the screen is still" : "the pixel has the colour"} after ${took.ms} ms`);
  },
});

const { png, tolerance, match } = ACTIONS.find.input;

export const find = tool({
  name: "find",
  title: "Find a picture",
  description:
    "Where on the screen a small picture is, such as an icon: a PNG file in base64, in the screen's own pixels. " +
    "Answers with the places in pixels of the screenshot, the best first.",
  action: ACTIONS.find,
  input: {
    png,
    tolerance,
    match,
    region: REGION,
    limit: optional(integer(1, 100, "How many places are wanted; 1 if left out")),
    wait_ms: optional(integer(1, LONGEST_OWN_MS, "How long to look for it; once if left out")),
  },
  ownMs: ({ wait_ms = 0 }) => wait_ms,
  async run({ region, wait_ms, ...query }, context) {
    const wait = wait_ms === undefined ? {} : { wait_ms: Math.min(wait_ms, context.timeLeft()) };
    const area = region ? context.region(region, "region.") : context.view.area;
    const { matches } = await context.run(ACTIONS.find, { ...query, ...wait, ...area });
    return said(
      matches.map(({ center, match }) => `${placeText(context, center)}, match ${match}`).join("\n") ||
        "the picture is not on the screen",
    );
  },
});
