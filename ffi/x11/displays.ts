/** Size of the desktop and its displays (XRandR 1.5, XRRGetMonitors). */

import type { Display, ScreenLayout } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";

/** Offsets in XRRMonitorInfo (X11/extensions/Xrandr.h) with 64-bit pointers. */
export const MONITOR = { size: 56, name: 0, primary: 8, x: 20, y: 24, width: 28, height: 32 } as const;

/**
 * Asks for the size of the root window and the monitors on it.
 * @throws DesktopUnavailableError if the server is gone.
 */
export function queryLayout(connection: Connection): ScreenLayout {
  const { x11 } = connection.libraries;
  const ints = new Int32Array(6), root = new BigUint64Array(1);
  const out = [0, 1, 2, 3, 4, 5].map((i) => ints.subarray(i, i + 1));
  const [x, y, width, height, border, depth] = out;
  if (!x11.XGetGeometry(connection.display, connection.root, root, x, y, width, height, border, depth)) {
    connection.check();
    throw new DesktopUnavailableError("the X server refuses to give the size of the screen");
  }
  const region = { x: 0, y: 0, width: ints[2], height: ints[3] };
  const displays = queryDisplays(connection);
  if (!displays.length) displays.push({ name: "screen", primary: true, ...region });
  if (!displays.some(({ primary }) => primary)) displays[0].primary = true;
  return { ...region, displays };
}

function queryDisplays(connection: Connection): Display[] {
  const { libraries: { xrandr }, display, root } = connection;
  const count = new Int32Array(1);
  const monitors = xrandr.XRRGetMonitors(display, root, 1, count);
  if (!monitors) return [];
  const view = new Deno.UnsafePointerView(monitors);
  const displays = Array.from({ length: count[0] }, (_, i): Display => {
    const at = i * MONITOR.size;
    return {
      name: connection.atomName(view.getBigUint64(at + MONITOR.name)) ?? `display ${i + 1}`,
      primary: view.getInt32(at + MONITOR.primary) !== 0,
      x: view.getInt32(at + MONITOR.x),
      y: view.getInt32(at + MONITOR.y),
      width: view.getInt32(at + MONITOR.width),
      height: view.getInt32(at + MONITOR.height),
    };
  });
  xrandr.XRRFreeMonitors(monitors);
  return displays;
}
