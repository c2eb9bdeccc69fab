/** The difference between two lists of windows. */

import type { WindowInfo } from "../desktop.ts";

/** Windows that came and went. */
export interface WindowsDifference {
  opened: WindowInfo[];
  closed: WindowInfo[];
  /** The window that is active now, if it is another one than before; null if there is none any more. */
  active?: WindowInfo | null;
}

/** The window that keys go to. */
export const activeOf = (windows: readonly WindowInfo[]) => windows.find(({ active }) => active);

/** Compares two lists of windows. */
export function differenceOf(before: readonly WindowInfo[], after: readonly WindowInfo[]): WindowsDifference {
  const had = idsOf(before), has = idsOf(after), active = activeOf(after);
  return {
    opened: after.filter(({ id }) => !had.has(id)),
    closed: before.filter(({ id }) => !has.has(id)),
    ...(active?.id === activeOf(before)?.id ? {} : { active: active ?? null }),
  };
}

/** Tells whether windows came or went, or another one is active. */
export function isOther(before: readonly WindowInfo[], after: readonly WindowInfo[]): boolean {
  const { opened, closed, active } = differenceOf(before, after);
  return opened.length > 0 || closed.length > 0 || active !== undefined;
}

const idsOf = (windows: readonly WindowInfo[]) => new Set(windows.map(({ id }) => id));
