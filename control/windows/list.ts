/** Lists the windows of a desktop, and waits for a window. */

import { InputError, StateError, UnsupportedError } from "../../core/errors.ts";
import { intersection, type Region, type WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { poll } from "../wait.ts";
import { matchingWindows, oneWindow, type WindowQuery } from "./selection.ts";

/** The time between two looks, in milliseconds. */
const INTERVAL_MS = 20;

/**
 * Lists the windows, the front one first.
 * @throws UnsupportedError if the desktop's windows cannot be reached.
 */
export function listWindows(operator: Operator): Promise<WindowInfo[]> {
  return operator.read(({ windows, kind }) => {
    if (!windows) throw new UnsupportedError(`the windows of a desktop of kind ${kind} cannot be reached`);
    return windows.list();
  });
}

/**
 * The part of a window that is on the screen; other windows may cover it.
 * @param given Must hold no region of its own.
 * @throws NotFoundError if there is no such window; StateError if it is minimized or off the screen; InputError if
 *   a region is given too.
 */
export async function visibleRegion(operator: Operator, id: string, given: Partial<Region>): Promise<Region> {
  if (Object.values(given).some((value) => value !== undefined)) {
    throw new InputError("window and a region cannot both be given");
  }
  const window = oneWindow(await listWindows(operator), { id }), screen = operator.screen();
  if (!window.width) throw new StateError("this desktop does not tell where its windows are");
  if (window.state === "minimized") throw new StateError(`the window ${id} is minimized`);
  const visible = intersection(window, screen);
  if (!visible) throw new StateError(`the window ${id} is off the screen`);
  return visible;
}

/**
 * Waits until a window is there, or is gone.
 * @param gone Waits until no window fits the query.
 * @param timeoutMs When to give up.
 * @param signal Ends the waiting by its reason.
 * @returns The window (undefined if it is gone) and how long it took in milliseconds; undefined when the time is
 * over.
 * @throws UnsupportedError if the desktop's windows cannot be reached.
 */
export async function waitForWindow(
  operator: Operator,
  query: WindowQuery,
  gone: boolean,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ ms: number; window?: WindowInfo } | undefined> {
  let window: WindowInfo | undefined;
  const ms = await poll(
    async () => {
      [window] = matchingWindows(await listWindows(operator), query);
      return (window === undefined) === gone;
    },
    INTERVAL_MS,
    timeoutMs,
    signal,
  );
  return ms === undefined ? undefined : { ms, window };
}
