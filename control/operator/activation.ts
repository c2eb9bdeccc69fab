/** Activates windows before presses that bypass the window manager, which would otherwise activate them. */

import { delay } from "@std/async/delay";
import { StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { contains, type Desktop, isShown, type Point, type WindowInfo } from "../desktop/desktop.ts";

/**
 * Maximum wait for a window to become active (longer on a busy machine), and the polling interval, in
 * milliseconds.
 */
const ACTIVE_MS = 300, LOOK_MS = 5;

/** A desktop whose presses bypass the window manager. */
type Activating = Pick<Desktop, "windows" | "targets">;

/**
 * Activates a listed window, as its manager does on a press, unless it is active or cannot be activated.
 * @param point The position of the press.
 * @throws What the judge throws for a press there.
 */
export async function activate(
  { windows, targets }: Activating,
  { id }: WindowInfo,
  point: Point,
): Promise<void> {
  const find = async () => (await windows?.list())?.find((window) => window.id === id);
  const end = performance.now() + timeByLoad(ACTIVE_MS), window = await find();
  if (!window || window.active) return;
  await targets!.check("pointer", point);
  try {
    await targets!.activate!(window);
  } catch (error) {
    if (error instanceof StateError) return; // the manager activates no windows
    throw error;
  }
  while (performance.now() < end && (await find())?.active === false) await delay(LOOK_MS);
}

/**
 * Activates the front window at the position of a press, unless a menu or other popup is there, which would
 * close.
 * @throws Like {@linkcode activate}.
 */
export async function activateAt(desktop: Activating, point: Point): Promise<void> {
  const [popups = [], windows = []] = await Promise.all([
    desktop.targets?.popups?.(),
    desktop.windows?.list(),
  ]);
  if (popups.some((popup) => contains(popup, point))) return;
  const window = windows.find((one) => isShown(one) && one.width > 0 && contains(one, point));
  if (window) await activate(desktop, window, point);
}
