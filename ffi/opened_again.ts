/** A Worker opens a desktop that another thread has open. */

import { DesktopUnavailableError, NoDesktopError } from "../core/errors.ts";

/**
 * Opens a desktop that is open on another thread.
 * @throws DesktopUnavailableError if the desktop has ended since.
 */
export async function openedAgain<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw error instanceof NoDesktopError ? new DesktopUnavailableError(error.message) : error;
  }
}
