/** Regions of change: joined for people, and counted by cells. */

import { intersection, isSameRegion, type Point, type Region, united } from "../desktop.ts";

/** The most regions of an answer. */
const MOST = 8;
/** Regions nearer than this belong together, in pixels. */
const NEAR = 16;

/** Tells whether a region shares a pixel with another. */
export function touches(a: Region, b: Region): boolean {
  return intersection(a, b) !== undefined;
}

/** Tells whether a region has no pixel outside another. */
export function isInside(inner: Region, outer: Region): boolean {
  const common = intersection(inner, outer);
  return common !== undefined && isSameRegion(common, inner);
}

/** A region with a margin around it, in pixels. */
export function widened({ x, y, width, height }: Region, margin: number): Region {
  return { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin };
}

/**
 * Joins regions that touch or nearly do, and then the nearest regions, until few enough are left.
 * @param most The most regions of the result.
 * @param near Regions nearer than this belong together, in pixels.
 * @returns Regions from the top down.
 * @example
 * joined([{ x: 0, y: 0, width: 4, height: 4 }, { x: 4, y: 0, width: 4, height: 4 }]); // [{ x: 0, y: 0, width: 8, height: 4 }]
 */
export function joined(regions: readonly Region[], most = MOST, near = NEAR): Region[] {
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

/** Size of a picture that is small, in pixels: a caret. */
const SMALL = { width: 24, height: 48 } as const;
/** The most small regions of one change for which neighbours are sought; a film changes hundreds. */
const MOST_SMALL = 32;

function isSmall({ width, height }: Region): boolean {
  return width <= SMALL.width && height <= SMALL.height;
}

/**
 * Joins the parts of small pictures that the borders of tiles cut: a caret is known by its whole shape.
 * @param regions One or fewer of each tile.
 * @example
 * uncut([{ x: 9, y: 62, width: 5, height: 2 }, { x: 9, y: 64, width: 5, height: 11 }]); // [{ x: 9, y: 62, width: 5, height: 13 }]
 */
export function uncut(regions: readonly Region[]): readonly Region[] {
  const parts = regions.filter(isSmall);
  if (parts.length < 2 || parts.length > MOST_SMALL) return regions;
  const wholes: Region[] = [];
  for (const part of parts) {
    let whole = part;
    for (;;) {
      const at = wholes.findIndex((one) => touches(widened(one, 1), whole) && isSmall(united(one, whole)));
      if (at < 0) break;
      whole = united(whole, wholes.splice(at, 1)[0]);
    }
    wholes.push(whole);
  }
  return [...regions.filter((region) => !isSmall(region)), ...wholes];
}

/** Width and height of a cell, in pixels. */
export const CELL = 16;

/** The numbers of the cells that a region touches. */
export function* cellsOf({ x, y, width, height }: Region): Generator<number> {
  const right = Math.floor((x + width - 1) / CELL), bottom = Math.floor((y + height - 1) / CELL);
  for (let row = Math.floor(y / CELL); row <= bottom; row++) {
    for (let column = Math.floor(x / CELL); column <= right; column++) yield cell(column, row);
  }
}

/** Number of a cell; columns are from -32,768 to 32,767. */
function cell(column: number, row: number): number {
  return row * 65536 + column;
}

/** Top left corner of a cell, in pixels. */
export function placeOf(cell: number): Point {
  const row = Math.round(cell / 65536);
  return { x: (cell - row * 65536) * CELL, y: row * CELL };
}
