/** Windows that fill a display, whose place follows from their size. Pure. */

import type { Region, WindowState } from "../../../control/desktop.ts";

/** The height of GNOME's top bar by its styles and text sizes, in logical pixels. */
const BAR = { least: 20, most: 48 };

/** A window's place and state. */
export interface Filled {
  region: Region;
  state: WindowState;
}

/**
 * Finds the display that a window fills: as a full screen, or maximized below the top bar.
 * @param size The size of the window, in logical pixels.
 * @param displays All of the desktop, in logical pixels.
 * @returns undefined if the window fills no display, or the display could be one of several of the same size.
 * @example
 * filledRegion({ width: 1280, height: 720 }, [{ x: 0, y: 0, width: 1280, height: 720 }])?.state; // "fullscreen"
 */
export function filledRegion(
  { width, height }: Pick<Region, "width" | "height">,
  displays: readonly Region[],
): Filled | undefined {
  const found = displays.flatMap((display): Filled[] => {
    const bar = display.height - height, { x, y } = display;
    if (display.width !== width) return [];
    if (bar === 0) return [{ region: display, state: "fullscreen" }];
    if (bar < BAR.least || bar > BAR.most) return [];
    return [{ region: { x, y: y + bar, width, height }, state: "maximized" }];
  });
  return found.length === 1 ? found[0] : undefined;
}
