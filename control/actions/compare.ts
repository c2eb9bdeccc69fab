/** Comparing the screen with a picture of an earlier time: visual tests. */

import { InputError } from "../../core/errors.ts";
import type { Region } from "../desktop/geometry.ts";
import type { WindowInfo } from "../desktop/windows.ts";
import type { ElementTarget } from "../elements/query.ts";
import type { CompareRequest, Comparison } from "../find/compare.ts";
import type { Operator } from "../operator/operator.ts";
import { REGION } from "../schema/fields.ts";
import {
  count,
  type Field,
  flag,
  group,
  integer,
  inWords,
  milliseconds,
  number,
  optional,
  plainText,
  type Values,
  wholeNumber,
} from "../schema/schema.ts";
import { action, type ActionContext, Content } from "./action.ts";
import { checkOnePlace, ELEMENT_NAME, ELEMENT_PLACE } from "./elements.ts";
import { PICTURE_QUERY } from "./find.ts";
import { REGIONS } from "./observe_fields.ts";
import { fromJson, lookedAt, WINDOW_NAME } from "./windows.ts";

/** A part of the picture, or an element. */
type Mask = Region | ElementTarget;

const maskRegion = group({
  x: wholeNumber("Pixels from the picture's left edge"),
  y: wholeNumber("Pixels from the picture's top edge"),
  width: integer(1, 1_000_000, "The size in pixels"),
  height: integer(1, 1_000_000, "The size in pixels"),
}, "A part of the picture");

/** The most parts that are not compared. */
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

/** The part of the screen that is compared. */
async function regionOf(
  operator: Operator,
  { element, window, ...given }: Pick<Values<typeof INPUT>, "element" | "window" | keyof Region>,
): Promise<{ region: Partial<Region>; window?: WindowInfo }> {
  if (element) {
    checkOnePlace(element, { window, ...given });
    const { shownRegion } = await import("../elements/click.ts");
    return { region: await shownRegion(operator, element) };
  }
  return await lookedAt(operator, window, given);
}

async function maskRegions(
  operator: Operator,
  masks: readonly Mask[],
  region: Partial<Region>,
): Promise<Region[]> {
  const { x, y } = operator.region(region), regions: Region[] = [];
  for (const mask of masks) {
    if ("x" in mask) regions.push(mask);
    else {
      const { shownRegion } = await import("../elements/click.ts");
      const place = await shownRegion(operator, mask);
      regions.push({ ...place, x: place.x - x, y: place.y - y });
    }
  }
  return regions;
}

async function run(
  { png, threshold, antialiasing, max_pixels, timeout_ms, mask = [], ...place }: Values<typeof INPUT>,
  withPictures: boolean,
  context: ActionContext,
): Promise<Comparison> {
  const { operator, finder, signal } = context;
  const request: CompareRequest = {
    png,
    async locate() {
      const part = await regionOf(operator, place);
      return { ...part, masks: await maskRegions(operator, mask, part.region) };
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

const SIZE = {
  width: integer(1, 1_000_000, "The size in pixels"),
  height: integer(1, 1_000_000, "The size in pixels"),
};

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
