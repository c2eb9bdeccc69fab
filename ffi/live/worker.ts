/** The Worker's side of the live picture. */

import { makePictures } from "../../control/live/maker.ts";
import type { LiveScreen } from "../../control/live/screen.ts";
import { DesktopUnavailableError, NoDesktopError } from "../../core/errors.ts";
import { serveWorker } from "../../core/worker_entry.ts";
import type { LiveStart, WorkerReport } from "./protocol.ts";

/**
 * Makes this module the Worker of a live picture. It never returns to its event loop: it sleeps on shared memory, or in
 * the system until the screen changes.
 * @param open Opens the screen. `want` asks the other side for a frame, where the screen needs that.
 */
export function serveLive<Source>(
  open: (start: LiveStart<Source>, want: () => void) => LiveScreen | Promise<LiveScreen>,
): void {
  serveWorker<LiveStart<Source>, WorkerReport, void>(async (start, { report }) => {
    const screen = await openedAgain(() => open(start, () => report({ type: "wanted" })));
    try {
      makePictures(screen, start.memory, report);
    } finally {
      screen.close(); // connections outlive the thread that opened them
    }
  });
}

/** Opens a desktop that is open on another thread: if that fails, it went away meanwhile. */
async function openedAgain<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw error instanceof NoDesktopError ? new DesktopUnavailableError(error.message) : error;
  }
}
