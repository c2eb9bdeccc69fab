/** The person's layout that KWin has active. */

import { Bus } from "../../linux/dbus/bus.ts";

/** KWin says so there, and only with several layouts. */
const KEYBOARD = {
  destination: "org.kde.keyboard",
  path: "/Layouts",
  interface: "org.kde.KeyboardLayouts",
} as const;

/**
 * The place of the active layout in the keyboard map, from 0.
 * @param buses Paths of sockets of the session's bus; the environment's if left out.
 * @throws DesktopUnavailableError or NoDesktopError if the bus does not answer.
 */
export async function kdeGroup(buses?: readonly string[]): Promise<number> {
  const bus = Bus.open(buses); // for this one purpose: layouts are asked for rarely
  try {
    if (bus.owner(KEYBOARD.destination) === undefined) return 0;
    return (await bus.callAsync(KEYBOARD, "getLayout", "", [], "u"))[0];
  } finally {
    bus.close();
  }
}
