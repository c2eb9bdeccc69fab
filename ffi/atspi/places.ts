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
  /**
   * Pixels of the desktop for each pixel of the program, if the desktop reports it; 1 if programs scale by
   * themselves.
   */
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
 * Maps places in pixels of the screen; a scaled toolkit (GDK_SCALE=2) halves all coordinates.
 * @param scale Pixels of the desktop for each pixel of the program.
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
 * Maps places that are relative to the window. The frame is assumed to be equally wide at the left, the right and the
 * bottom; the rest of its height is the title bar.
 * @param window The window's region as the desktop tells it, with its frame and without its shadow.
 * @param root The window's own element, of which places are relative.
 * @param scale Pixels of the desktop for each pixel of the program.
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

/** The scale with which the element fills its window best, up to a frame; undefined if no scale fits. */
function fittingScale(window: Region, root: Region, scales: readonly number[]): number | undefined {
  const excess = (scale: number) =>
    Math.max(
      Math.abs(window.width - root.width * scale),
      Math.abs(window.height - root.height * scale),
    );
  const best = scales.reduce((best, scale) => excess(scale) < excess(best) ? scale : best);
  return root.width > 0 && root.height > 0 && excess(best) <= FRAME * best ? best : undefined;
}

/**
 * Tells whether the element lies in the window, up to a frame. If not, the program reports outdated places, or places
 * relative to its window.
 */
function isWithin(window: Region, root: Region, scale: number): boolean {
  return Math.abs(root.x * scale - window.x) <= FRAME * scale &&
    Math.abs(root.y * scale - window.y) <= FRAME * scale;
}
