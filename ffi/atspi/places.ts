/** Places of elements on the desktop: where each kind of desktop and toolkit counts from. */

import type { Region } from "../../control/desktop.ts";

/** Gives the place of an element on the desktop. */
export type PlaceMap = (place: Region) => Region;

/**
 * Maps places that are pixels of the screen; with a scaled toolkit (GDK_SCALE=2) they are halved, the origin too.
 * @param window What the desktop tells of the window, in pixels.
 * @param root The window's own element.
 * @example
 * const map = screenMap({ x: 0, y: 0, width: 800, height: 600 }, { x: 0, y: 0, width: 400, height: 300 });
 * map({ x: 10, y: 20, width: 30, height: 40 }); // { x: 20, y: 40, width: 60, height: 80 }
 */
export function screenMap(window: Region, root: Region): PlaceMap {
  const scale = scaleOf(window, root);
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
 * @param window What the desktop tells of the window, with its frame and without its shadow.
 * @param root The window's own element, of which places are relative.
 * @example
 * const map = windowMap({ x: 100, y: 50, width: 402, height: 321 }, { x: 0, y: 0, width: 400, height: 300 });
 * map({ x: 10, y: 20, width: 30, height: 40 }); // { x: 111, y: 90, width: 30, height: 40 }
 */
export function windowMap(window: Region, root: Region): PlaceMap {
  const scale = scaleOf(window, root);
  const side = Math.max(0, (window.width - root.width * scale) / 2);
  const top = Math.max(0, window.height - root.height * scale - side);
  return ({ x, y, width, height }) => ({
    x: Math.round(window.x + side + (x - root.x) * scale),
    y: Math.round(window.y + top + (y - root.y) * scale),
    width: Math.round(width * scale),
    height: Math.round(height * scale),
  });
}

/** The whole factor between the pixels of a window and those of its elements; 1 where they are not a multiple. */
function scaleOf(window: Region, root: Region): number {
  const scale = root.width > 0 ? Math.round(window.width / root.width) : 1;
  const isMultiple = scale > 1 && Math.abs(window.width - root.width * scale) <= 40;
  return isMultiple ? scale : 1;
}
