/** Watching the input of an X11 desktop. */

import type { Watch, WatchListener } from "../../control/desktop.ts";
import { watchInWorker } from "../watch.ts";

/**
 * Watches all input of a display until closed.
 * @param display Its name, such as `:0`.
 * @returns Once every action from now on reaches the listener.
 * @throws DesktopUnavailableError if it cannot be watched.
 */
export function watchX11(display: string, listener: WatchListener): Promise<Watch> {
  return watchInWorker(new URL("./watch_worker.ts", import.meta.url), display, listener);
}
