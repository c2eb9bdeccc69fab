/** Windows on GNOME, which only its own extensions reach. */

import type { WindowInfo, Windows } from "../../../control/desktop.ts";
import { UnsupportedError } from "../../../core/errors.ts";

/** Why there are none, as `doctor` says it too. */
export const NO_WINDOWS =
  "GNOME tells no program of other programs' windows, so deskhand neither lists nor changes them";

/** Refuses with the reason. */
export class GnomeWindows implements Windows {
  /** @throws UnsupportedError always. */
  list(): Promise<WindowInfo[]> {
    return Promise.reject(new UnsupportedError(NO_WINDOWS));
  }

  /** @throws UnsupportedError always. */
  change(): Promise<void> {
    return Promise.reject(new UnsupportedError(NO_WINDOWS));
  }

  close(): void {}
}
