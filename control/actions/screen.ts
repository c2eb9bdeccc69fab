/** Actions that look at the screen: size, pictures, pixels, and waiting for them. */

import { InputError, TimeLimitError, UnsupportedError } from "../../core/errors.ts";
import { bmpPieces, bmpSize } from "../image/bmp.ts";
import { queuedPng } from "../image/png.ts";
import { hexOf, pixelOf } from "../pixel.ts";
import { waitForPixel, waitForStillness } from "../wait.ts";
import { action } from "./action.ts";
import { Content } from "./content.ts";
import { INPUT_EVENTS, REGION, X, Y } from "./fields.ts";
import { choice, color, flag, group, integer, list, milliseconds, optional, text } from "./schema.ts";

/** Pictures that may be under way at once: each holds memory for as long as its reader takes. */
const PICTURES = 64;
/** Callers that may wait for the screen at once. */
const WAITERS = 64;

export const screenshot = action({
  name: "screenshot",
  summary: "A picture of the screen",
  effect: "look",
  input: {
    format: optional(choice(["bmp", "png"], "bmp if left out")),
    ...REGION,
    cursor: optional(flag("Whether the pointer is drawn in")),
  },
  output: ["image/bmp", "image/png"],
  limit: { count: PICTURES, message: `${PICTURES} pictures are being sent; try again later` },
  async run({ format, cursor = false, ...region }, { operator }) {
    if (format === "png") {
      const png = await queuedPng((encode) => operator.capture(region, cursor, encode));
      return new Content("image/png", png.length, [png]);
    }
    const { width, height, parts, release } = await operator.picture(region, cursor);
    return new Content("image/bmp", bmpSize(width, height), bmpPieces(width, height, parts)).onEnd(release);
  },
});

const DISPLAY = group({
  name: text("The system's name for it"),
  primary: flag("Whether the system calls it the primary one"),
  x: X,
  y: Y,
  width: integer(1, 1_000_000, "In pixels"),
  height: integer(1, 1_000_000, "In pixels"),
}, "A monitor");

export const screen = action({
  name: "screen",
  summary: "Size, displays and kind of the desktop",
  effect: "look",
  input: {},
  output: {
    kind: text("The backend, as --desktop takes it"),
    x: X,
    y: Y,
    width: integer(1, 1_000_000, "In pixels, all displays together"),
    height: integer(1, 1_000_000, "In pixels, all displays together"),
    displays: list(DISPLAY, "The monitors"),
  },
  run: (_, { operator }) => ({ kind: operator.desktop.kind, ...operator.screen() }),
});

export const pixel = action({
  name: "pixel",
  summary: "The colour of a pixel",
  effect: "look",
  input: { x: X, y: Y },
  output: {
    r: integer(0, 255, "Red"),
    g: integer(0, 255, "Green"),
    b: integer(0, 255, "Blue"),
    hex: text("The same as #rrggbb"),
  },
  async run(point, { operator }) {
    const rgb = await pixelOf(operator, point);
    return { r: rgb >> 16, g: rgb >> 8 & 255, b: rgb & 255, hex: hexOf(rgb) };
  },
});

export const wait = action({
  name: "wait",
  summary: "Wait for a pixel's colour or for a region to stay still",
  effect: "look",
  input: {
    pixel: optional(group({
      x: X,
      y: Y,
      hex: color("The colour to wait for"),
      tolerance: optional(integer(0, 255, "How far each of red, green, blue may be off; 0 if left out")),
    }, "Wait until a pixel has a colour")),
    stable: optional(group({
      ms: integer(1, 600_000, "For how long nothing may change"),
      ...REGION,
    }, "Wait until a region stays as it is")),
    timeout_ms: optional(integer(1, 600_000, "When to give up; 10000 if left out")),
  },
  output: { ok: flag("true"), ms: milliseconds("How long it took") },
  limit: { count: WAITERS, message: `${WAITERS} clients are waiting already; try again later` },
  async run({ pixel, stable, timeout_ms = 10_000 }, { operator, signal }) {
    if (pixel && stable) throw new InputError("pixel and stable cannot both be given");
    if (!pixel && !stable) throw new InputError("Missing pixel or stable");
    const ms = pixel
      ? await waitForPixel(operator, pixel, pixel.hex, pixel.tolerance ?? 0, timeout_ms, signal)
      : await waitForStillness(operator, stable!, stable!.ms, timeout_ms, signal);
    if (ms !== undefined) return { ok: true, ms };
    const what = pixel ? "the pixel did not get that colour" : "the region did not stay still";
    throw new TimeLimitError(`${what} within ${timeout_ms} ms`);
  },
});

const LOGGED = group({
  type: choice(
    [...Object.keys(INPUT_EVENTS), "text"],
    "Which action; its fields are those of recorded events",
  ),
}, "An action");

export const history = action({
  name: "history",
  summary: "The actions that a virtual desktop received, in order",
  effect: "look",
  input: {},
  output: { actions: list(LOGGED, "Oldest first; text stands as one entry a call") },
  run(_, { operator: { desktop } }) {
    if (!desktop.log) throw new UnsupportedError(`a desktop of kind ${desktop.kind} keeps no history`);
    return { actions: [...desktop.log] };
  },
});
