/** Changing a window, and waiting until it shows. */

import { delay } from "@std/async/delay";
import { NotFoundError, TimeLimitError } from "../../core/errors.ts";
import type { Region, WindowChange, WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { listWindows } from "./list.ts";
import { oneWindow, type WindowQuery } from "./selection.ts";

/** Between two looks at the list, in milliseconds: it costs about 2. */
const LOOK_MS = 10;
/** Bounds that changed and stay for this long are those that the window manager allows, in milliseconds. */
const SETTLED_MS = 100;
/** Bounds that do not change for this long are kept by the window or its manager, in milliseconds. */
const REFUSED_MS = 300;

/** How a change is asked for. */
export interface ChangeOptions {
  query: WindowQuery;
  change: WindowChange;
  /** Takes the front window if several fit the query. */
  any?: boolean;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Changes a window.
 * @returns The window as it is then; undefined if it is closed.
 * @throws NotFoundError or StateError if not exactly one window fits; StateError with the reason if the change cannot
 *   be made; TimeLimitError if it does not show in time.
 */
export async function changeWindow(
  operator: Operator,
  options: ChangeOptions,
): Promise<WindowInfo | undefined> {
  const { query, change, any, timeoutMs, signal } = options;
  const window = oneWindow(await listWindows(operator), query, any);
  const isDone = change.to === "placed" ? placement(window, change.region) : state(change.to, window);
  if (change.to !== "placed" && isDone(window)) return window;
  await operator.act((desktop) => desktop.windows!.change(window, change));
  const end = performance.now() + timeoutMs;
  for (;;) {
    const now = (await listWindows(operator)).find(({ id }) => id === window.id);
    if (isDone(now)) return now;
    if (!now) throw new NotFoundError(`the window ${window.id} was closed meanwhile`);
    if (performance.now() >= end) {
      throw new TimeLimitError(`the window is not ${change.to} after ${timeoutMs} ms; it is ${now.state}`);
    }
    await delay(LOOK_MS, { signal });
  }
}

/** Whether a window, undefined if it is gone, is as it should be. */
type Check = (window: WindowInfo | undefined) => boolean;

function state(to: Exclude<WindowChange["to"], "placed">, before: WindowInfo): Check {
  if (to === "closed") return (window) => window === undefined;
  if (to === "active") return (window) => window?.active === true && window.state !== "minimized";
  // A window that was maximized before it was minimized is restored to that.
  if (to === "normal" && before.state === "minimized") {
    return (window) => !!window && window.state !== "minimized";
  }
  return (window) => window?.state === to;
}

/**
 * Waits for bounds. A window manager may allow others than were asked for (a terminal's size is whole characters, a
 * window stays on the screen), so bounds that changed and stay, or do not change at all, end the waiting too.
 */
function placement(before: WindowInfo, wanted: Partial<Region>): Check {
  const target = { ...before, ...wanted };
  let last: Region = before, since = performance.now();
  return (window) => {
    if (!window) return false;
    if (isSame(window, target)) return true;
    if (!isSame(window, last)) [last, since] = [window, performance.now()];
    const quiet = performance.now() - since;
    return quiet >= (isSame(last, before) ? REFUSED_MS : SETTLED_MS);
  };
}

function isSame(a: Region, b: Region): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
