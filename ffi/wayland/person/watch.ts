/** Watching the input of a Wayland desktop: deskhand's actions, and, if devices can be read, a person's. */

import type { Point, Watch, WatchListener } from "../../../control/desktop/desktop.ts";
import type { OwnActions } from "../../own_actions.ts";
import { watchInWorker } from "../../watch.ts";
import type { PointerTracker } from "../way.ts";
import { DEVICE_FOLDER, deviceRefusal } from "./devices.ts";
import { PersonMoves } from "./person_moves.ts";

/** Plain data by which the Worker finds devices and compositor. */
export interface PersonSource {
  /** The path of the compositor's socket. */
  path: string;
  /** The folder of the devices. */
  folder: string;
}

/** The pointer that is watched. */
export interface WatchedPointer {
  position(): Promise<Point>;
  /** A view of all the pointer's moves; undefined where there is none. */
  tracker?(): PointerTracker | undefined;
}

/**
 * Watches until closed. Where a person's input cannot be read, the listener gets a gap with the reason. On a desktop
 * that shows the pointer, moves come from there alone.
 * @param own deskhand's own actions.
 * @param pointer The pointer, whose position is asked for first, so that the first press of a button has a place.
 * @param path The path of the compositor's socket.
 * @param folder The folder of the devices.
 * @throws DesktopUnavailableError if the compositor is gone.
 */
export async function watchWayland(
  own: OwnActions,
  listener: WatchListener,
  pointer: WatchedPointer,
  path: string,
  folder = DEVICE_FOLDER,
): Promise<Watch> {
  await pointer.position();
  const tracker = () => pointer.tracker?.(), isSeen = tracker() !== undefined;
  const refusal = deviceRefusal(folder, isSeen);
  if (refusal) listener.problem("gap", refusal);
  const moves = isSeen ? new PersonMoves(own, listener, tracker) : undefined;
  await moves?.begin();
  const source: PersonSource = { path, folder };
  const url = new URL("./watch_worker.ts", import.meta.url);
  const person = refusal ? undefined : await watchInWorker<PersonSource>(url, source, moves ?? listener);
  own.add(listener);
  return {
    async close() {
      own.remove(listener);
      await person?.close();
      await moves?.close();
    },
  };
}
