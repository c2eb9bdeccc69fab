/** Whether a place of the screen is still as an earlier picture showed it. Pure. */

import { intersection, isSameRegion, type Point, type Region } from "../desktop/desktop.ts";
import { widened } from "../desktop/geometry.ts";
import { isCaret } from "./motion.ts";

/** The size of the part around a place that is compared, in pixels: it is of one button, and not of its neighbours. */
const PLACE = { width: 48, height: 24 } as const;
/** The space around it in which a caret that reaches into it is known by its whole shape, in pixels. */
const MARGIN = 48;
/**
 * The share of the first difference that the place must change by itself, from one look to the next, to count as moving by
 * itself: a film shows other pixels in each.
 */
const OWN_SHARE = 1 / 3;
/** The looks in which a place moves that moves by itself: a menu that opens, or a page that scrolls, comes to rest before. */
const MOVING_LOOKS = 3;

/** A part of the screen at one time. */
export interface Look {
  /** In pixels of the desktop. */
  area: Region;
  /** The rows of the area, one 32-bit number a pixel. */
  pixels: Uint32Array;
}

/** The part around a place that is compared. */
export function placeAround({ x, y }: Point): Region {
  return { x: x - PLACE.width / 2, y: y - PLACE.height / 2, ...PLACE };
}

/** The part around a place that a look shows, within an area. */
export function lookAround(point: Point, area: Region): Region | undefined {
  return intersection(widened(placeAround(point), MARGIN), area);
}

/** The pixels that differ. */
interface Difference {
  count: number;
  /** The smallest box around them. */
  box?: Region;
}

/**
 * The pixels of a part that differ between two looks at one area.
 * @example
 * const area = { x: 0, y: 0, width: 2, height: 1 };
 * differenceIn(area, { area, pixels: Uint32Array.of(1, 2) }, { area, pixels: Uint32Array.of(1, 3) }); // { count: 1, box: { x: 1, y: 0, width: 1, height: 1 } }
 */
export function differenceIn(part: Region, before: Look, now: Look): Difference {
  const shown = intersection(part, before.area), { area } = before;
  if (!shown) return { count: 0 };
  let count = 0, left = Infinity, top = Infinity, right = -1, bottom = -1;
  for (let y = shown.y - area.y; y < shown.y - area.y + shown.height; y++) {
    const from = shown.x - area.x;
    for (let x = from, at = y * area.width + from; x < from + shown.width; x++, at++) {
      if (((before.pixels[at] ^ now.pixels[at]) & 0xffffff) === 0) continue; // the fourth byte has no meaning
      count++;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  if (!count) return { count };
  const box = { x: area.x + left, y: area.y + top, width: right - left + 1, height: bottom - top + 1 };
  return { count, box };
}

/** The difference at a place, whose box reaches as far as the change itself. */
export function differenceAt(point: Point, before: Look, now: Look): Difference {
  const core = differenceIn(placeAround(point), before, now);
  let { box } = core;
  while (box && isCaretSized(box)) {
    const grown: Region = differenceIn(widened(box, 1), before, now).box!;
    if (isSameRegion(grown, box)) break;
    box = grown;
  }
  return { count: core.count, ...(box ? { box } : {}) };
}

/** Whether a change may still grow into the shape of a caret. */
const isCaretSized = ({ width, height }: Region) => width <= MARGIN / 2 && height <= MARGIN;

/** The state of a place: as in the picture, moving by itself, another one, or not known before a further look. */
export type Staleness = "same" | "restless" | "changed" | "look again";

/**
 * Compares a place with a picture.
 * @param before The place in the picture.
 * @param looks The looks at it since, the oldest first, each so much later than the last that a film shows another frame.
 */
export function stalenessOf(point: Point, before: Look, looks: readonly Look[]): Staleness {
  const first = differenceAt(point, before, looks[0]);
  if (isSame(first)) return "same";
  for (let i = 1; i < MOVING_LOOKS; i++) {
    if (looks.length <= i) return "look again";
    if (isSame(differenceAt(point, before, looks[i]))) return "same";
    const own = differenceIn(placeAround(point), looks[i - 1], looks[i]);
    if (own.count < first.count * OWN_SHARE) return "changed";
  }
  return "restless";
}

const isSame = ({ box }: Difference) => !box || isCaret(box);

/**
 * The picture to drop next: the oldest of the caller that has the most pixels, so that a caller who takes many pictures drops
 * its own.
 * @param pictures The newest first, which stays.
 * @param most The bounds: callers, pictures of each, and pixels of all.
 * @returns Its index; 0 if all pictures may stay.
 * @example
 * const area = { x: 0, y: 0, width: 10, height: 10 };
 * const pictures = [{ caller: "a", area }, { caller: "b", area }, { caller: "a", area }];
 * firstToDrop(pictures, { callers: 2, pictures: 2, pixels: 200 }); // 2
 */
export function firstToDrop(
  pictures: readonly { caller: string; area: Region }[],
  most: { callers: number; pictures: number; pixels: number },
): number {
  const owners = new Map<string, { count: number; pixels: number; last: number }>();
  let pixels = 0;
  pictures.forEach(({ caller, area: { width, height } }, i) => {
    const { count, pixels: before } = owners.get(caller) ?? { count: 0, pixels: 0 };
    owners.set(caller, { count: count + 1, pixels: before + width * height, last: i });
    pixels += width * height;
  });
  const all = [...owners.values()], crowded = all.find(({ count }) => count > most.pictures);
  if (crowded) return crowded.last;
  if (owners.size > most.callers) return pictures.length - 1;
  if (pixels <= most.pixels) return 0;
  const several = all.filter(({ count }) => count > 1).sort((a, b) => b.pixels - a.pixels || b.last - a.last);
  return several[0]?.last ?? pictures.length - 1;
}
