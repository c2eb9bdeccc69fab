/** Watching the input of a Wayland desktop: what deskhand does. */

import type { Point, Watch, WatchListener } from "../../control/desktop.ts";
import type { OwnActions } from "./own_actions.ts";

/**
 * Watches until closed.
 * @param position Asks where the pointer is, so that a button that is pressed next has a place.
 * @throws DesktopUnavailableError if the compositor is gone.
 */
export async function watchWayland(
  own: OwnActions,
  listener: WatchListener,
  position: () => Point | Promise<Point>,
): Promise<Watch> {
  await position();
  own.add(listener);
  return {
    close() {
      own.remove(listener);
      return Promise.resolve();
    },
  };
}
