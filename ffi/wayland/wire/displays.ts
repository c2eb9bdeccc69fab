/** The layout of the desktop, from its outputs. Pure. */

import type { ScreenLayout } from "../../../control/desktop.ts";
import type { Arrangement } from "./geometry.ts";

/**
 * The displays of an arrangement, in its order. Wayland has no primary display: the one whose corner is next to the
 * layout's counts as it.
 */
export function layoutOf({ region, outputs }: Arrangement): ScreenLayout {
  const distances = outputs.map(({ region: { x, y } }) => Math.hypot(x - region.x, y - region.y));
  const primary = distances.indexOf(Math.min(...distances));
  return {
    ...region,
    displays: outputs.map(({ output, region }, i) => ({
      name: output.name,
      primary: i === primary,
      ...region,
    })),
  };
}
