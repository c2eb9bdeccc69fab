/** The Worker's side of the live picture. */

import { makePictures } from "../../control/live/maker.ts";
import type { LiveScreen } from "../../control/desktop/screen.ts";
import { serveWorker } from "../../core/worker_entry.ts";
import { openedAgain } from "../permission.ts";
import type { LiveStart, WorkerReport } from "../in_worker.ts";

/**
 * Makes this module the Worker of a live picture. It never returns to its event loop: it sleeps on shared
 * memory, or in a system call until the screen changes.
 * @param open Opens the screen. `want` requests a frame from the other side, for screens that need it.
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
