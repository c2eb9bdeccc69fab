/** Actions that look at the screen: size, pictures, pixels. */

import { InputError, NotFoundError } from "../../core/errors.ts";
import { middleOf, type Region } from "../desktop/geometry.ts";
import type { ElementTarget } from "../elements/query.ts";
import { bmpPieces, bmpSize } from "../image/bitmap.ts";
import type { Operator } from "../operator/operator.ts";
import { hexOf, pixelOf } from "../operator/wait.ts";
import { INPUT_EVENTS, pointOf, REGION, X, Y } from "../schema/fields.ts";
import {
  choice,
  count,
  flag,
  group,
  integer,
  inWords,
  list,
  optional,
  text,
  unless,
} from "../schema/schema.ts";
import { EDGE, fit } from "../view/view.ts";
import { type WindowPart, windowPart } from "../windows/list.ts";
import { action, Content, namedPicture } from "./action.ts";
import { checkOnePlace, ELEMENT_PLACE } from "./elements.ts";
import { changesValues, REGIONS, WINDOWS_CHANGED } from "./observe_fields.ts";
import { WINDOW_ID } from "./windows.ts";

/** Pictures that may be under way at once: each holds memory for as long as its reader takes. */
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
      ? { region: await regionOf(operator, element, { window, ...given }) }
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

/** The place of an element on the screen, which is not brought to the front. */
async function regionOf(
  operator: Operator,
  element: ElementTarget,
  others: Record<string, unknown>,
): Promise<Region> {
  checkOnePlace(element, others);
  const { shownRegion } = await import("../elements/click.ts");
  return await shownRegion(operator, element);
}

const DISPLAY = group({
  name: text("The system's name for the display"),
  primary: flag("True for the primary display of the system"),
  x: X,
  y: Y,
  width: integer(1, 1_000_000, "The size in pixels"),
  height: integer(1, 1_000_000, "The size in pixels"),
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
  async run({ element, ...given }, { operator }) {
    const region = element && await regionOf(operator, element, given);
    const point = region ? middleOf(region) : pointOf(given)!;
    const rgb = await pixelOf(operator, point);
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

// Changes that no action causes, on the screen and among the windows.

/** Callers that may wait at once. */
const WAITERS = 64;

/** The fields of changes. */
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
