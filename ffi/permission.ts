/** Permission to control a desktop, where the user grants it to each program. */

import { DesktopUnavailableError, NoDesktopError } from "../core/errors.ts";

/** A permission stored in one of the user's files. */
export interface Permission {
  /** Why the desktop requires the permission, and which file would be written: sentences for the user. */
  readonly description: string;

  /**
   * Writes the permission and waits until the desktop has read it.
   * @returns A sentence about the change.
   * @throws StateError if another program's file is in its place, or if the desktop does not read it.
   */
  grant(): Promise<string>;
}

/** One line of `deskhand doctor`. */
export interface Finding {
  /** The subject of the check. */
  name: string;
  /** Whether the checked part works, or deskhand works without it. */
  ok: boolean;
  /** Whether the part is optional and absent. */
  isAbsent?: boolean;
  /** The result of the check, and the remedy; further lines are shown below the first. */
  detail: string;
}

// A Worker opens a desktop that another thread has open.

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
