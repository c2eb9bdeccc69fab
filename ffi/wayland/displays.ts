/** The layout of the desktop, from its outputs. Pure. */

import type { ScreenLayout } from "../../control/desktop.ts";
import type { Arrangement } from "./geometry.ts";

/**
 * The displays of an arrangement, from left to right: compositors name them in different orders. Wayland has no primary
 * display: the one whose corner is next to the layout's counts as it.
 */
export function layoutOf({ region, outputs }: Arrangement): ScreenLayout {
  const placed = outputs.toSorted((a, b) => a.region.x - b.region.x || a.region.y - b.region.y);
  const distances = placed.map(({ region: { x, y } }) => Math.hypot(x - region.x, y - region.y));
  const primary = distances.indexOf(Math.min(...distances));
  return {
    ...region,
    displays: placed.map(({ output, region }, i) => ({
      name: output.name,
      primary: i === primary,
      ...region,
    })),
  };
}
