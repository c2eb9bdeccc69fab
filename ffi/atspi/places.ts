/** Places of elements on the desktop: where each kind of desktop and toolkit counts from. */

import type { Region } from "../../control/desktop.ts";

/** Gives the place of an element on the desktop. */
export type PlaceMap = (place: Region) => Region;

/** The frame of a window is at most so wide, and its title bar so high, in pixels that are not scaled. */
const FRAME = 80;
/** Scales that toolkits have on desktops that count in pixels, such as X11 with GDK_SCALE=2. */
const WHOLE_SCALES: readonly number[] = [1, 2, 3, 4];

/** Facts for the conversion of a window's places. */
export interface PlaceFacts {
  /** The window's region as the desktop tells it, with its frame and without its shadow, in pixels of the desktop. */
  window: Region;
  /** The window's own element, as its program gives it. */
  root: Region;
  /** Tells whether places count from the window, also those that the program calls places of the screen. */
  isRelative: boolean;
  /** Pixels of the desktop a pixel of the program's, where the desktop tells; 1 where programs scale by themselves. */
  scale: number;
}

/**
 * Finds the mapping of a window's elements.
 * @returns undefined if the window and its element do not fit each other, so that no place is known.
 */
export function placeMap({ window, root, isRelative, scale }: PlaceFacts): PlaceMap | undefined {
  const factor = fittingScale(window, root, scale === 1 ? WHOLE_SCALES : [scale, 1]);
  if (factor === undefined) return undefined;
  return isRelative || !isWithin(window, root, factor) ? windowMap(window, root, factor) : screenMap(factor);
}

/**
 * Maps places that are pixels of the screen; with a scaled toolkit (GDK_SCALE=2) they are halved, the origin too.
 * @param scale Pixels of the desktop a pixel of the program's.
 * @example
 * const map = screenMap(2);
 * map({ x: 10, y: 20, width: 30, height: 40 }); // { x: 20, y: 40, width: 60, height: 80 }
 */
export function screenMap(scale: number): PlaceMap {
  return ({ x, y, width, height }) => ({
    x: Math.round(x * scale),
    y: Math.round(y * scale),
    width: Math.round(width * scale),
    height: Math.round(height * scale),
  });
}

/**
 * Maps places that are relative to the window. A frame around the content is as wide below as on both sides, and the rest
 * of its height is the title bar.
 * @param window The window's region as the desktop tells it, with its frame and without its shadow.
 * @param root The window's own element, of which places are relative.
 * @param scale Pixels of the desktop a pixel of the program's.
 * @example
 * const map = windowMap({ x: 100, y: 50, width: 402, height: 321 }, { x: 0, y: 0, width: 400, height: 300 }, 1);
 * map({ x: 10, y: 20, width: 30, height: 40 }); // { x: 111, y: 90, width: 30, height: 40 }
 */
export function windowMap(window: Region, root: Region, scale: number): PlaceMap {
  const side = Math.max(0, (window.width - root.width * scale) / 2);
  const top = Math.max(0, window.height - root.height * scale - side);
  return ({ x, y, width, height }) => ({
    x: Math.round(window.x + side + (x - root.x) * scale),
    y: Math.round(window.y + top + (y - root.y) * scale),
    width: Math.round(width * scale),
    height: Math.round(height * scale),
  });
}

/** The scale with which the element fills its window best, up to a frame; undefined if none does. */
function fittingScale(window: Region, root: Region, scales: readonly number[]): number | undefined {
  const excess = (scale: number) =>
    Math.max(
      Math.abs(window.width - root.width * scale),
      Math.abs(window.height - root.height * scale),
    );
  const best = scales.reduce((best, scale) => excess(scale) < excess(best) ? scale : best);
  return root.width > 0 && root.height > 0 && excess(best) <= FRAME * best ? best : undefined;
}

/** Tells whether the element is where the window is, up to a frame: a program may say old places, or such of its window. */
function isWithin(window: Region, root: Region, scale: number): boolean {
  return Math.abs(root.x * scale - window.x) <= FRAME * scale &&
    Math.abs(root.y * scale - window.y) <= FRAME * scale;
}
