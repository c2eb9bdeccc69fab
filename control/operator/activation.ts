/**
 * The windows that input reaches: activated before presses that bypass the window manager, checked before
 * presses that expect one, and watched while a text is typed.
 */

import { delay } from "@std/async/delay";
import { ExpectedError, on, StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import type { Waiter } from "../../core/mutex.ts";
import { within } from "../../core/until.ts";
import {
  contains,
  type Desktop,
  isShown,
  type Point,
  type Receiver,
  type WindowInfo,
} from "../desktop/desktop.ts";

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

/** The window that a press expects, because its caller chose the place in a picture. */
export interface PressGuard {
  /**
   * The windows of which one must receive the press; left out where the desktop cannot compare windows during
   * the press.
   */
  receivers?: readonly Receiver[] | undefined;
  /**
   * Checks the windows just before the press where the desktop cannot, or activates one.
   * @throws ChangedError if another window would receive the press.
   */
  check?(): Promise<void>;
}

/** The caller of a press. */
export interface PressCaller extends Waiter {
  readonly expects?: PressGuard | undefined;
}

/**
 * Runs a press that must reach the window that its caller saw.
 * @throws ChangedError before the press if another window is at the place now.
 */
export async function guarded<T>(
  { targets }: Activating,
  { receivers, check }: PressGuard,
  press: () => Promise<T>,
): Promise<T> {
  await check?.();
  if (targets && receivers) targets.expected = receivers;
  try {
    return await press();
  } finally {
    if (targets) targets.expected = undefined;
  }
}

/**
 * How long after its beginning a text may be in the window that an earlier click activates (longer on a busy
 * machine), and the least interval between two looks after that, in milliseconds.
 */
const SETTLED_MS = 250, WATCH_MS = 50;
/** Least ratio of the interval to the duration of a look, which takes the time of some programs. */
const WATCH_SHARE = 10;

/**
 * Types a text until another window becomes active, or the active one closes: the rest would go to another
 * program.
 * @param list Lists the windows; undefined where that is not possible.
 * @param type Receives a signal that stops it between two characters.
 * @throws StateError naming the other window; what `type` throws.
 */
export async function typeInOneWindow(
  list: () => Promise<readonly WindowInfo[] | undefined>,
  type: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController(), { promise: typed, resolve } = Promise.withResolvers<true>();
  const look = () => list().catch(on(ExpectedError));
  const watch = async () => {
    if (await within(timeByLoad(SETTLED_MS), typed)) return;
    const first = (await look())?.find(({ active }) => active);
    for (let ms = WATCH_MS; first && !await within(ms, typed);) {
      const start = performance.now(), now = await look();
      const active = now?.find(({ active }) => active), own = now?.find(({ id }) => id === first.id);
      if (now && !own?.active && (active || !own)) { // GNOME may list two windows as active
        return stop.abort(new StateError(movedTo(first, active)));
      }
      ms = Math.max(WATCH_MS, WATCH_SHARE * (performance.now() - start));
    }
  };
  watch().catch((error) => stop.abort(error));
  await type(stop.signal).finally(() => resolve(true));
}

function movedTo(first: WindowInfo, active: WindowInfo | undefined): string {
  const was = JSON.stringify(first.title), now = JSON.stringify(active?.title);
  const what = active ? `${now} became active instead of ${was}` : `${was} was closed`;
  return `${what} during typing: the rest of the text was not typed, and what came just before may be missing`;
}
