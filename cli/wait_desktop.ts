/** Waits for a desktop that is still starting, as one beside deskhand in a container does. */

import { delay } from "@std/async/delay";
import type { Desktop } from "../control/desktop.ts";
import { NoDesktopError } from "../core/errors.ts";

/** Between two tries to open it, in milliseconds. */
const RETRY_MS = 100;

/**
 * Opens a desktop, again and again while there is none.
 * @param open Opens it.
 * @param seconds How long it is waited for; 0 tries once.
 * @param notice Receives why there is none yet, once.
 * @throws NoDesktopError of the last try; at once what else `open` throws.
 */
export async function waitForDesktop(
  open: () => Promise<Desktop>,
  seconds: number,
  notice: (text: string) => void,
): Promise<Desktop> {
  const end = performance.now() + 1000 * seconds;
  for (let tries = 1;; tries++) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof NoDesktopError) || performance.now() >= end) throw error;
      if (tries === 1) notice(`waiting ${seconds} s for the desktop: ${error.message}`);
    }
    await delay(Math.min(RETRY_MS, Math.max(0, end - performance.now())));
  }
}
