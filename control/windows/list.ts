/** Lists the windows of a desktop, and waits for a window. */

import { InputError, NotFoundError, StateError, UnsupportedError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { intersection, isShown, type Region, type WindowInfo } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { poll } from "../operator/wait.ts";

// Choosing a window: by its id, or by title, class and process.

/** A query for windows. A window must fit every field that is given. */
export interface WindowQuery {
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, in any case. */
  class?: string;
  pid?: number;
  active?: boolean;
}

/** The windows that a query means, in the order of the list. */
export function matchingWindows(windows: readonly WindowInfo[], query: WindowQuery): WindowInfo[] {
  const title = query.title?.toLowerCase(),
    className = query.class?.toLowerCase(),
    id = query.id?.toLowerCase();
  return windows.filter((window) =>
    (id === undefined || window.id === id) &&
    (title === undefined || window.title.toLowerCase().includes(title)) &&
    (className === undefined || window.class.toLowerCase() === className) &&
    (query.pid === undefined || window.pid === query.pid) &&
    (query.active === undefined || window.active === query.active)
  );
}

/**
 * Chooses the only window that fits a query.
 * @param any Takes the front window if several fit.
 * @throws NotFoundError if none fits; StateError naming the ids if several do.
 */
export function oneWindow(windows: readonly WindowInfo[], query: WindowQuery, any = false): WindowInfo {
  const matches = matchingWindows(windows, query);
  if (!matches.length) throw new NotFoundError(`no window matches ${describeQuery(query)}`);
  if (matches.length > 1 && !any) {
    const ids = matches.slice(0, 20).map(({ id, title }) => `${id} ${JSON.stringify(printable(title, 60))}`)
      .join(", ");
    throw new StateError(`${matches.length} windows match ${describeQuery(query)}: ${ids}; specify id`);
  }
  return matches[0];
}

/**
 * Describes a query, for messages.
 * @example
 * describeQuery({ title: "notes", pid: 12 }); // 'title "notes" and pid 12'
 */
export function describeQuery({ id, title, class: className, pid, active }: WindowQuery): string {
  const parts = [
    id !== undefined && `id ${id}`,
    title !== undefined && `title ${JSON.stringify(title)}`,
    className !== undefined && `class ${JSON.stringify(className)}`,
    pid !== undefined && `pid ${pid}`,
    active !== undefined && `active ${active}`,
  ];
  return parts.filter((part) => part !== false).join(" and ");
}

/** The time between two looks, in milliseconds. */
const INTERVAL_MS = 20;

/**
 * Lists the windows, the front one first.
 * @throws UnsupportedError if the desktop's windows cannot be reached.
 */
export async function listWindows(operator: Operator): Promise<WindowInfo[]> {
  const windows = await operator.read(({ windows, kind }) => {
    if (!windows) throw new UnsupportedError(`window management is not available on the ${kind} desktop`);
    return windows.list();
  });
  const before = SEEN.get(operator), now = performance.now();
  // Windows of the first list may be of any age.
  SEEN.set(operator, new Map(windows.map(({ id }) => [id, before ? before.get(id) ?? now : -Infinity])));
  return windows;
}

/** The times at which the windows of the last list were first seen, on the scale of `performance.now()`. */
const SEEN = new WeakMap<Operator, ReadonlyMap<string, number>>();

/** The time since a window was first listed, in milliseconds; Infinity if it was there before the first list. */
export function ageOf(operator: Operator, { id }: WindowInfo): number {
  return performance.now() - (SEEN.get(operator)?.get(id) ?? -Infinity);
}

/** A part of a window that can be captured. */
export interface WindowPart {
  /** In pixels of the desktop. */
  region: Region;
  /** The window, where others cover the part, so that the window itself must be captured; else the screen shows the part. */
  window?: WindowInfo;
}

/**
 * The part of a window that is on the screen.
 * @param given Must hold no region of its own.
 * @throws NotFoundError if there is no such window; StateError if it is minimized or off the screen, or if other windows
 *   cover it and this desktop shows no covered windows; InputError if a region is given too.
 */
export async function windowPart(
  operator: Operator,
  id: string,
  given: Partial<Region>,
): Promise<WindowPart> {
  if (Object.values(given).some((value) => value !== undefined)) {
    throw new InputError("window and a region cannot both be given");
  }
  const windows = await listWindows(operator),
    window = oneWindow(windows, { id }),
    screen = operator.screen();
  if (!window.width) throw new StateError("this desktop does not report where its windows are");
  if (window.state === "minimized") throw new StateError(`the window ${id} is minimized`);
  if (window.elsewhere) {
    throw new StateError(`the window ${id} is on another workspace or behind a tab; activate it first`);
  }
  const visible = intersection(window, screen);
  if (!visible) throw new StateError(`the window ${id} is off the screen`);
  return uncoveredPart(operator, windows, window, visible);
}

/**
 * A part of a window as it can be captured. Menus and the like, which no list has, count as parts of the window below them.
 * @param part The part that is on the screen.
 * @throws StateError if another window covers the part, and this desktop shows no covered windows.
 */
export function uncoveredPart(
  { desktop }: Operator,
  windows: readonly WindowInfo[],
  window: WindowInfo,
  part: Region,
): WindowPart {
  const front = windows.slice(0, windows.findIndex(({ id }) => id === window.id));
  const cover = front.find((other) => isShown(other) && other.width > 0 && intersection(other, part));
  if (!cover) return { region: part };
  if (desktop.screen.captureWindow) return { region: part, window };
  const [over, under] = [cover, window].map(({ title }) => JSON.stringify(printable(title, 60)));
  throw new StateError(
    `${over} covers part of ${under}, and this desktop cannot capture covered windows; activate the window first`,
  );
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
