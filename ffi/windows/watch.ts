/** Watching the input of Windows. */

import type { WatchListener } from "../../control/desktop/desktop.ts";
import { watchInWorker, type WorkerWatch } from "../watch.ts";
import type { Libraries } from "./symbols.ts";

/** The time between checks that Windows has not removed the Worker's hooks, in milliseconds. */
const HEARTBEAT_MS = 2000;
/** Thread message that ends the Worker (winuser.h). */
const WM_QUIT = 0x12;

/** The Worker's report once its hooks are installed. */
export interface HooksReady {
  /** The Worker's thread id. */
  thread: number;
  /** Handles of the hooks (HHOOK). */
  hooks: bigint[];
}

/**
 * Watches all input until closed.
 * @param heartbeatMs How often the hooks are checked, in milliseconds.
 * @returns Once the hooks are installed.
 * @throws DesktopUnavailableError if Windows refuses them.
 */
export function watchWindows(
  { user32 }: Libraries,
  listener: WatchListener,
  heartbeatMs = HEARTBEAT_MS,
): Promise<WorkerWatch<HooksReady>> {
  const url = new URL("./watch_worker.ts", import.meta.url);
  // The Worker blocks in GetMessageW, so only a thread message reaches it.
  return watchInWorker<number, HooksReady>(
    url,
    heartbeatMs,
    listener,
    ({ thread }) => user32.PostThreadMessageW(thread, WM_QUIT, 0n, 0n),
  );
}
