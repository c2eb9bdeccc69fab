/** Edges and corners of the screen. */

import type { Edge } from "./target.ts";

/**
 * Tells whether a place is at an edge or in a corner.
 * @example
 * isAtEdge("bottom-left", 0, 719, { width: 1280, height: 720 }); // true
 * isAtEdge("right", 0, 719, { width: 1280, height: 720 }); // false
 */
export function isAtEdge(
  edge: Edge,
  x: number,
  y: number,
  { width, height }: { width: number; height: number },
): boolean {
  const at: Record<string, boolean> = {
    left: x === 0,
    right: x === width - 1,
    top: y === 0,
    bottom: y === height - 1,
  };
  return edge.split("-").every((side) => at[side]);
}
