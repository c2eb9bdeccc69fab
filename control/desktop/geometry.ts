/** Points and regions on a desktop. Pure. */

/** A place on the desktop, in pixels. */
export interface Point {
  x: number;
  y: number;
}

/** A rectangle of the desktop, in pixels; width and height are at least 1. */
export interface Region extends Point {
  width: number;
  height: number;
}

/**
 * Whether a point lies in a region.
 * @returns true on the left and top edges; false on the right and bottom edges, which belong to the next
 * region.
 * @example
 * contains({ x: 0, y: 0, width: 2, height: 2 }, { x: 2, y: 0 }); // false
 */
export function contains(region: Region, point: Point): boolean {
  return point.x >= region.x && point.x < region.x + region.width &&
    point.y >= region.y && point.y < region.y + region.height;
}

/** Whether two regions have the same place and size. */
export function isSameRegion(a: Region, b: Region): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

/** The part that two regions share; undefined if they do not overlap. */
export function intersection(a: Region, b: Region): Region | undefined {
  const x = Math.max(a.x, b.x), y = Math.max(a.y, b.y);
  const width = Math.min(a.x + a.width, b.x + b.width) - x;
  const height = Math.min(a.y + a.height, b.y + b.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

/** The smallest region that covers both regions; the second one if there is no first. */
export function united(before: Region | undefined, region: Region): Region {
  if (!before) return region;
  const x = Math.min(before.x, region.x), y = Math.min(before.y, region.y);
  const width = Math.max(before.x + before.width, region.x + region.width) - x;
  return { x, y, width, height: Math.max(before.y + before.height, region.y + region.height) - y };
}

/** Whether a region lies entirely within another. */
export function isWithin(inner: Region, outer: Region): boolean {
  return inner.x >= outer.x && inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width && inner.y + inner.height <= outer.y + outer.height;
}

/**
 * The pixel in the middle of a region, where a click on the region goes.
 * @example
 * middleOf({ x: 10, y: 20, width: 5, height: 4 }); // { x: 12, y: 22 }
 */
export function middleOf({ x, y, width, height }: Region): Point {
  return { x: x + (width >> 1), y: y + (height >> 1) };
}

// Changed regions, joined for people.

/** Maximum number of regions in an answer. */
const MOST = 8;
/** Regions nearer than this are joined, in pixels. */
const JOIN_DISTANCE = 16;

/** Whether two regions share a pixel. */
export function touches(a: Region, b: Region): boolean {
  return intersection(a, b) !== undefined;
}

/** A region with a margin around it, in pixels. */
export function widened({ x, y, width, height }: Region, margin: number): Region {
  return { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin };
}

/**
 * Joins regions that touch or nearly touch, then the nearest regions until few enough are left.
 * @param most Maximum number of regions in the result.
 * @param near Regions nearer than this are joined, in pixels.
 * @returns Regions from the top down.
 * @example
 * joined([{ x: 0, y: 0, width: 4, height: 4 }, { x: 4, y: 0, width: 4, height: 4 }]); // [{ x: 0, y: 0, width: 8, height: 4 }]
 */
export function joined(regions: readonly Region[], most = MOST, near = JOIN_DISTANCE): Region[] {
  let margin = near, result = onePass(regions, margin);
  while (result.length > most) result = onePass(result, margin *= 2);
  return result.sort((a, b) => a.y - b.y || a.x - b.x);
}

function onePass(regions: readonly Region[], margin: number): Region[] {
  const result: Region[] = [];
  for (const region of regions) {
    let whole = region;
    for (;;) {
      const at = result.findIndex((one) => touches(widened(one, margin), whole));
      if (at < 0) break;
      whole = united(whole, result.splice(at, 1)[0]);
    }
    result.push(whole);
  }
  return result;
}
