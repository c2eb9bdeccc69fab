/** Changes a window, and waits until the change shows. */

import { delay } from "@std/async/delay";
import { NotFoundError, TimeLimitError } from "../../core/errors.ts";
import { waiterOf } from "../../core/mutex.ts";
import { timeByLoad } from "../../core/proc.ts";
import {
  isSameRegion,
  isShown,
  type Region,
  type WindowChange,
  type WindowInfo,
  type WindowState,
} from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { DialogError, dialogOver, dialogText, listWindows, oneWindow, type WindowQuery } from "./list.ts";

/** Polling interval of the list, in milliseconds: a look costs about 2. */
const LOOK_MS = 10;
// Times of window managers and programs, in milliseconds, which take longer on a busy machine.

/** How long changed bounds must stay to be those that the window manager allows. */
const settledMs = () => timeByLoad(100);
/** Time after which a change counts as rejected by the window or its manager. */
const refusedMs = () => timeByLoad(300);
/** Maximum time for a program to learn its window's new bounds. */
const programMs = () => timeByLoad(500);

interface ChangeOptions {
  query: WindowQuery;
  change: WindowChange;
  /** Uses the front window if several match the query. */
  any?: boolean;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Changes a window.
 * @returns The window after the change; undefined if it is closed.
 * @throws NotFoundError or StateError unless exactly one window matches; StateError with the reason if the
 * change is not possible; DialogError if the manager keeps a dialog in front of the window; TimeLimitError if
 * the change does not show in time.
 * @example
 * const query = { title: "notes" };
 * await changeWindow(operator, { query, change: { to: "maximized" }, timeoutMs: 2000, signal });
 */
export async function changeWindow(
  operator: Operator,
  options: ChangeOptions,
): Promise<WindowInfo | undefined> {
  const { query, change, any, timeoutMs, signal } = options;
  const windows = await listWindows(operator), window = oneWindow(windows, query, any);
  if (isAlready(window, window === frontOf(windows), change)) return window;
  const isDone = checkOf(window, change);
  const waitsFor = "the window manager to change the window";
  await operator.run(
    (desktop) => desktop.windows!.change(window, change),
    waiterOf(signal),
    { waitsFor },
  );
  const end = performance.now() + timeoutMs;
  let handledAt = Infinity;
  for (;;) {
    // Asked before the windows are listed, so that the list shows all handled changes.
    const isHandled = await operator.read(isEveryChangeHandled);
    const listed = await listWindows(operator);
    const now = listed.find(({ id }) => id === window.id);
    if (isDone(now, now !== undefined && now === frontOf(listed), isHandled)) {
      if (now && BOUNDS.has(change.to)) await knowsBounds(operator, now);
      return now;
    }
    if (!now) throw new NotFoundError(`window ${window.id} was closed before the change`);
    if (isHandled && change.to === "active") handledAt = Math.min(handledAt, performance.now());
    if (performance.now() - handledAt >= refusedMs()) {
      await checkNoDialog(operator, now, listed);
      handledAt = Infinity;
    }
    if (performance.now() >= end) {
      const place = now.elsewhere ? "on another workspace" : now.state;
      throw new TimeLimitError(`the window is not ${change.to} after ${timeoutMs} ms; it is ${place}`);
    }
    await delay(LOOK_MS, { signal });
  }
}

/** Managers give the focus to a modal dialog instead of its owner. */
async function checkNoDialog(operator: Operator, window: WindowInfo, windows: readonly WindowInfo[]) {
  const dialog = await dialogOver(operator, window, windows);
  if (!dialog) return;
  const title = JSON.stringify(window.title);
  throw new DialogError(`${title} is not active: ${dialogText(dialog)} is in the way`);
}

/** Changes that alter a window's bounds. */
const BOUNDS: ReadonlySet<WindowChange["to"]> = new Set(["placed", "maximized", "fullscreen", "normal"]);

/**
 * Waits until a window's program knows its new bounds: until then, it reports element places by the old ones.
 */
async function knowsBounds({ desktop: { windows } }: Operator, window: WindowInfo): Promise<void> {
  await windows?.hasHandled?.(window, programMs()).catch(() => undefined);
}

/** The front window of those on the screen. */
function frontOf(windows: readonly WindowInfo[]): WindowInfo | undefined {
  return windows.find(isShown);
}

function isEveryChangeHandled({ windows }: Operator["desktop"]): Promise<boolean> {
  return Promise.try(() => windows?.isHandled?.() ?? true);
}

/**
 * Whether a window already has the wanted state. Bounds are always set, since the program may choose others
 * each time.
 */
function isAlready(window: WindowInfo, isFront: boolean, { to }: WindowChange): boolean {
  if (to === "active") return window.active && isFront && isShown(window);
  return window.state === to;
}

/**
 * Whether a window (undefined if it has closed) has the wanted state; `isFront` is true for the front window,
 * and `isHandled` once the change was handled, successfully or not.
 */
type Check = (window: WindowInfo | undefined, isFront: boolean, isHandled: boolean) => boolean;

function checkOf(before: WindowInfo, change: WindowChange): Check {
  if (change.to === "placed") return placement(before, change.region);
  return change.to === "active" ? activation(before) : state(change.to, before);
}

/**
 * Waits until a window is in front and has the focus. Some windows never take the focus (ICCCM section 4.1.7,
 * "No Input"), and some stay below others that are always on top: therefore, once the change was handled,
 * either of the two for a while is enough.
 */
function activation(before: WindowInfo): Check {
  let since = Infinity;
  const isStill = isShown(before) ? () => true : stillness();
  return (window, isFront, isHandled) => {
    if (!window || !isShown(window) || !isStill(window)) return false;
    since = isHandled && (window.active || isFront) ? Math.min(since, performance.now()) : Infinity;
    return window.active && isFront || performance.now() - since >= refusedMs();
  };
}

/** Whether bounds have stopped changing: some managers move a window for a while before showing it again. */
function stillness(): (window: Region) => boolean {
  let last: Region | undefined, since = Infinity;
  return (window) => {
    if (!last || !isSameRegion(window, last)) [last, since] = [window, performance.now()];
    return performance.now() - since >= settledMs();
  };
}

/** Waits for a state, and until the bounds have stopped changing: a window receives them after its state. */
function state(to: "closed" | WindowState, before: WindowInfo): Check {
  if (to === "closed") return (window) => window === undefined;
  // Restoring a minimized window makes it maximized again if it was before.
  const isRestored = to === "normal" && before.state === "minimized";
  let last: Region = before, since = Infinity;
  return (window) => {
    if (!window || (isRestored ? window.state === "minimized" : window.state !== to)) return false;
    if (since === Infinity || !isSameRegion(window, last)) [last, since] = [window, performance.now()];
    // A minimized window keeps its bounds; others usually get new ones, with some managers a moment after the
    // state. openbox shows a restored window off the screen for a while.
    const isSame = isSameRegion(last, before), isKept = isSame && to === "minimized";
    const isMoved = !isSame && before.state !== "minimized";
    return performance.now() - since >= (isKept ? LOOK_MS : isMoved ? settledMs() : refusedMs());
  };
}

/**
 * Waits for bounds. A window manager may choose bounds other than the requested ones (a terminal's size is in
 * whole characters, a window stays on the screen). Therefore, once the change was handled, the wait also ends
 * with other bounds that have stopped changing.
 */
function placement(before: WindowInfo, wanted: Partial<Region>): Check {
  const target = { ...before, ...wanted };
  let last: Region = before, since = performance.now();
  return (window, _, isHandled) => {
    if (!window) return false;
    if (isSameRegion(window, target)) return true;
    if (!isHandled || !isSameRegion(window, last)) [last, since] = [window, performance.now()];
    const quiet = performance.now() - since;
    return quiet >= (isSameRegion(last, before) ? refusedMs() : settledMs());
  };
}
