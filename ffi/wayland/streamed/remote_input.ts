/** Input that a desktop takes over its bus. Mutter's RemoteDesktop and the portal's have the same methods. */

import type { Point } from "../../../control/desktop.ts";
import type { PlacedOutput } from "../wire/geometry.ts";

/** Sends input. Each promise resolves when the desktop has taken it, and rejects with DesktopUnavailableError. */
export interface RemoteInput {
  /**
   * Moves the pointer.
   * @param output The output that the place is on.
   * @param place From the output's corner, as a part of its width and of its height: 0 to 1.
   */
  move(output: PlacedOutput, place: Point): Promise<void>;

  /** @param code As the kernel counts buttons (linux/input-event-codes.h). */
  button(code: number, down: boolean): Promise<void>;

  /**
   * Turns the wheel.
   * @param axis As wl_pointer has it: 0 is vertical, 1 horizontal.
   * @param notches Not 0; down and right are positive.
   */
  scroll(axis: number, notches: number): Promise<void>;

  /** @param code As the kernel counts keys. */
  key(code: number, down: boolean): Promise<void>;
}
