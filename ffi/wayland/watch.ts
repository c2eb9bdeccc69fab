/** Watching the input of a Wayland desktop: what deskhand does, and what a person does where devices can be read. */

import type { Point, Watch, WatchListener } from "../../control/desktop.ts";
import { watchInWorker } from "../watch.ts";
import { DEVICE_FOLDER, deviceRefusal } from "./devices.ts";
import type { OwnActions } from "./own_actions.ts";

/** What the Worker needs. */
export interface PersonSource {
  /** Of the compositor's socket. */
  path: string;
  /** Where the devices are. */
  folder: string;
}

/**
 * Watches until closed. Where a person's input cannot be read the listener is told so, as a gap.
 * @param position Asks where the pointer is, so that a button that is pressed next has a place.
 * @throws DesktopUnavailableError if the compositor is gone.
 */
export async function watchWayland(
  own: OwnActions,
  listener: WatchListener,
  position: () => Point | Promise<Point>,
  path: string,
  folder = DEVICE_FOLDER,
): Promise<Watch> {
  await position();
  const refusal = deviceRefusal(folder);
  if (refusal) listener.problem("gap", refusal);
  const source: PersonSource = { path, folder };
  const url = new URL("./watch_worker.ts", import.meta.url);
  const person = refusal ? undefined : await watchInWorker<PersonSource>(url, source, listener);
  own.add(listener);
  return {
    async close() {
      own.remove(listener);
      await person?.close();
    },
  };
}
