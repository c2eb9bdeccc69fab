/** Points and regions of a desktop. Pure. */

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
 * @returns true on the left and top edge, false on the right and bottom edge, which belong to the next region.
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

/** The part that two regions share; undefined if there is none. */
export function intersection(a: Region, b: Region): Region | undefined {
  const x = Math.max(a.x, b.x), y = Math.max(a.y, b.y);
  const width = Math.min(a.x + a.width, b.x + b.width) - x;
  const height = Math.min(a.y + a.height, b.y + b.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

/** The smallest region that covers both regions; the new region if there is no earlier one. */
export function united(before: Region | undefined, region: Region): Region {
  if (!before) return region;
  const x = Math.min(before.x, region.x), y = Math.min(before.y, region.y);
  const width = Math.max(before.x + before.width, region.x + region.width) - x;
  return { x, y, width, height: Math.max(before.y + before.height, region.y + region.height) - y };
}

/** Whether a region has no pixel outside another. */
export function isWithin(inner: Region, outer: Region): boolean {
  return inner.x >= outer.x && inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width && inner.y + inner.height <= outer.y + outer.height;
}

/**
 * The pixel in the middle of a region, which a click on the region hits.
 * @example
 * middleOf({ x: 10, y: 20, width: 5, height: 4 }); // { x: 12, y: 22 }
 */
export function middleOf({ x, y, width, height }: Region): Point {
  return { x: x + (width >> 1), y: y + (height >> 1) };
}
