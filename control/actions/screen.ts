/** Actions that read the screen: size, pictures, pixels. */

import { InputError, NotFoundError } from "../../core/errors.ts";
import { middleOf, type Region } from "../desktop/geometry.ts";
import type { ElementTarget } from "../elements/query.ts";
import { bmpPieces, bmpSize } from "../image/bitmap.ts";
import { hexOf, pixelOf } from "../operator/wait.ts";
import { fromJson, INPUT_EVENTS, PLACE, pointOf, REGION, SIZE, X, Y } from "../schema/fields.ts";
import {
  choice,
  count,
  type Field,
  flag,
  group,
  integer,
  inWords,
  list,
  milliseconds,
  number,
  optional,
  plainText,
  text,
  unless,
  type Values,
  wholeNumber,
} from "../schema/schema.ts";
import { EDGE, fit } from "../view/view.ts";
import { type WindowPart, windowPart } from "../windows/list.ts";
import { action, type ActionContext, Content, namedPicture } from "./action.ts";
import { changesValues, REGIONS, WINDOWS_CHANGED } from "./observe_fields.ts";
import { checkOnePlace, ELEMENT_NAME, ELEMENT_PLACE } from "./element_fields.ts";
import { lookedAt, WINDOW_ID, WINDOW_NAME } from "./windows.ts";
import type { WindowInfo } from "../desktop/windows.ts";
import type { CompareRequest, Comparison } from "../find/compare.ts";
import { PICTURE_QUERY } from "./find.ts";

/** Maximum number of pictures in flight: each holds memory until its reader is done. */
const PICTURES = 64;

export const screenshot = action({
  name: "screenshot",
  summary: "A picture of the screen",
  effect: "read",
  input: {
    format: optional(choice(["bmp", "png"], "The format of the picture; default bmp")),
    ...REGION,
    cursor: optional(flag("Draw the pointer into the picture")),
    window: optional(WINDOW_ID),
    element: inWords(ELEMENT_PLACE, 'The place of this element, such as e12 or button "Save" in "Ask"'),
    seen: optional(
      text("A name for the picture, for later presses at positions chosen in it"),
    ),
    max_edge: optional(
      integer(
        EDGE.least,
        EDGE.most,
        "Shrink the picture to this longest edge",
      ),
    ),
  },
  output: ["image/bmp", "image/png"],
  limit: { count: PICTURES, message: `${PICTURES} pictures are being sent; try again later` },
  async run({ format = "bmp", cursor = false, window, element, seen, max_edge, ...given }, context) {
    const { operator } = context;
    const part: WindowPart | { region: Partial<Region>; window?: undefined } = element
      ? { region: await regionOf(context, element, { window, ...given }) }
      : window === undefined
      ? { region: given }
      : await windowPart(operator, window, given);
    const { region } = part;
    const { width: across, height: down } = operator.region(region);
    if (seen !== undefined) {
      await (await context.seen()).keep(namedPicture(seen), operator.region(region), part.window);
    }
    if (format === "png" || max_edge !== undefined && max_edge < Math.max(across, down)) {
      const { makePicture } = await import("../image/picture_maker.ts");
      const { file } = await makePicture(
        (memory) => operator.share(region, cursor, memory, part.window),
        (frame) => ({ format, size: max_edge === undefined ? frame : fit(frame, max_edge) }),
        context,
      );
      return new Content(`image/${format}`, file.length, [file]);
    }
    const { width, height, parts, release } = await operator.picture(region, cursor, part.window);
    return new Content("image/bmp", bmpSize(width, height), bmpPieces(width, height, parts)).onEnd(release);
  },
});

/** The place of an element on the screen; its window is not brought to the front. */
async function regionOf(
  { operator, signal }: ActionContext,
  element: ElementTarget,
  others: Record<string, unknown> = {},
): Promise<Region> {
  checkOnePlace(element, others);
  const { shownRegion } = await import("../elements/click.ts");
  return await shownRegion(operator, element, signal);
}

const DISPLAY = group({
  name: text("The system's name for the display"),
  primary: flag("True for the primary display of the system"),
  ...PLACE,
}, "A monitor");

export const screen = action({
  name: "screen",
  summary: "Size, displays and kind of the desktop",
  effect: "read",
  input: {},
  output: {
    kind: text("The backend, as --desktop takes it"),
    x: X,
    y: Y,
    width: integer(1, 1_000_000, "The size of all displays together, in pixels"),
    height: integer(1, 1_000_000, "The size of all displays together, in pixels"),
    displays: list(DISPLAY, "The monitors"),
  },
  run: (_, { operator }) => Promise.try(() => ({ kind: operator.desktop.kind, ...operator.screen() })),
});

export const pixel = action({
  name: "pixel",
  summary: "The colour of a pixel",
  effect: "read",
  input: { x: unless(["element"], X), y: unless(["element"], Y), element: ELEMENT_PLACE },
  output: {
    r: integer(0, 255, "Red"),
    g: integer(0, 255, "Green"),
    b: integer(0, 255, "Blue"),
    hex: text("The same colour as #rrggbb"),
  },
  async run({ element, ...given }, context) {
    const region = element && await regionOf(context, element, given);
    const point = region ? middleOf(region) : pointOf(given)!;
    const rgb = await pixelOf(context.operator, point);
    return { r: rgb >> 16, g: rgb >> 8 & 255, b: rgb & 255, hex: hexOf(rgb) };
  },
});

const LOGGED = group({
  type: choice(
    [...Object.keys(INPUT_EVENTS), "text"],
    "Name of the action; its fields are those of recorded events",
  ),
}, "An action");

export const history = action({
  name: "history",
  summary: "The actions that a virtual desktop received, in order",
  effect: "read",
  input: {},
  output: { actions: list(LOGGED, "The actions, the oldest first; the text of a call is one entry") },
  run: (_, { operator: { desktop } }) =>
    Promise.try(() => {
      if (!desktop.log) throw new NotFoundError(`the ${desktop.kind} desktop has no history`);
      return { actions: [...desktop.log] };
    }),
});

// Changes that no action causes, of the screen and the windows.

/** Maximum number of simultaneously waiting callers. */
const WAITERS = 64;

const CHANGES = {
  serial: count("The serial of the last change: the value of since for the next call"),
  cut: flag("true if since is so old that not all changes are kept"),
  regions: REGIONS,
  windows: optional(WINDOWS_CHANGED),
};

export const changes = action({
  name: "changes",
  summary: "Changes of the screen and of the windows",
  effect: "read",
  waits: true,
  input: {
    since: optional(count("The serial of an earlier response; default: from now on")),
    wait_ms: optional(integer(0, 600_000, "Milliseconds to wait for a change; default 0")),
  },
  output: CHANGES,
  limit: { count: WAITERS, message: `${WAITERS} clients are waiting already; try again later` },
  async run({ since, wait_ms = 0 }, { followed, signal }) {
    const follower = await followed();
    using _ = await follower.follow();
    const first = since ?? follower.serial;
    if (first > follower.serial) {
      throw new InputError(`since must be a serial from an earlier response, at most ${follower.serial}`);
    }
    if (wait_ms) await follower.waitFor(first, wait_ms, signal);
    return changesValues(follower.since(first));
  },
});

// Comparison of the screen with an earlier picture, for visual tests.

/** A region of the picture, or an element, to ignore. */
type Mask = Region | ElementTarget;

const maskRegion = group({
  x: wholeNumber("Pixels from the picture's left edge"),
  y: wholeNumber("Pixels from the picture's top edge"),
  ...SIZE,
}, "A part of the picture");

/** Maximum number of ignored regions. */
const MASKS = 100;

const MASK: Field<Mask[], true> = {
  required: true,
  schema: {
    type: "string",
    description: "Parts to ignore: an element in words, or a JSON list of elements and of regions " +
      "such as {x, y, width, height}, relative to the picture's corner",
  },
  parse(value, name) {
    const given = typeof value === "string" && value.startsWith("[") ? fromJson(value, name) : value;
    const all = Array.isArray(given) ? given : [given];
    if (all.length > MASKS) throw new InputError(`${name} must have at most ${MASKS} entries`);
    return all.map((one, i) => {
      const isRegion = typeof one === "object" && one !== null && "x" in one;
      return (isRegion ? maskRegion : ELEMENT_NAME).parse(one, `${name}[${i}]`);
    });
  },
};

const INPUT = {
  png: PICTURE_QUERY.png,
  ...REGION,
  window: optional(WINDOW_NAME),
  element: inWords(ELEMENT_PLACE, 'The place of this element, such as e12 or button "Save" in "Ask"'),
  mask: optional(MASK),
  threshold: optional(
    number(0, 1, "Colour distance that counts as a difference; default 0.1"),
  ),
  antialiasing: optional(
    flag("Count anti-aliasing differences; default false"),
  ),
  max_pixels: optional(count("Pixels that may differ; default 0")),
  timeout_ms: optional(
    integer(
      1,
      600_000,
      "Milliseconds to keep comparing until the screen is the same; default: compare once",
    ),
  ),
};

/** The region of the screen to compare. */
async function comparedRegion(
  context: ActionContext,
  { element, window, ...given }: Pick<Values<typeof INPUT>, "element" | "window" | keyof Region>,
): Promise<{ region: Partial<Region>; window?: WindowInfo }> {
  if (element) return { region: await regionOf(context, element, { window, ...given }) };
  return await lookedAt(context.operator, window, given);
}

async function maskRegions(
  context: ActionContext,
  masks: readonly Mask[],
  region: Partial<Region>,
): Promise<Region[]> {
  const { x, y } = context.operator.region(region), regions: Region[] = [];
  for (const mask of masks) {
    if ("x" in mask) {
      regions.push(mask);
      continue;
    }
    const place = await regionOf(context, mask);
    regions.push({ ...place, x: place.x - x, y: place.y - y });
  }
  return regions;
}

async function run(
  { png, threshold, antialiasing, max_pixels, timeout_ms, mask = [], ...place }: Values<typeof INPUT>,
  withPictures: boolean,
  context: ActionContext,
): Promise<Comparison> {
  const { finder, signal } = context;
  const request: CompareRequest = {
    png,
    async locate() {
      const part = await comparedRegion(context, place);
      return { ...part, masks: await maskRegions(context, mask, part.region) };
    },
    threshold,
    countsEdges: antialiasing,
    most: max_pixels,
    withPictures,
    timeoutMs: timeout_ms,
    signal,
    pictureRead: () => context.inputRead(),
  };
  return await (await import("../find/compare.ts")).comparePicture(finder, request);
}

export const compare = action({
  name: "compare",
  summary: "Compare the screen, a window or an element with a picture",
  effect: "read",
  waits: true,
  input: {
    ...INPUT,
    pictures: optional(flag("Include pictures of the screen and of the differences")),
  },
  output: {
    same: flag("Whether the picture has this size and at most max_pixels of its pixels differ"),
    pixels: count("The number of pixels that differ"),
    share: number(0, 1, "The share of pixels that differ"),
    regions: inWords(REGIONS, "Regions that differ, relative to the picture's corner"),
    expected: group(SIZE, "The size of the picture"),
    actual: group(SIZE, "The size of the compared part of the screen"),
    ms: milliseconds("Milliseconds that the comparison took"),
    actual_png: optional(plainText("The compared part of the screen as a PNG file, in base64")),
    difference_png: optional(
      plainText("Differences in red and anti-aliasing differences in yellow, as a PNG file in base64"),
    ),
  },
  async run({ pictures = false, ...input }, context) {
    const { size, pictures: made, regions, ...result } = await run(input, pictures, context);
    return {
      ...result,
      regions: [...regions],
      actual: size,
      ...(made ? { actual_png: made.actual.toBase64(), difference_png: made.difference.toBase64() } : {}),
    };
  },
});

export const comparePicture = action({
  name: "comparePicture",
  summary: "Compare the screen, a window or an element with a picture; returns a picture of the differences",
  effect: "read",
  waits: true,
  input: INPUT,
  output: ["image/png"],
  async run(input, context) {
    const { pictures } = await run(input, true, context);
    return new Content("image/png", pictures!.difference.length, [pictures!.difference]);
  },
});
