/** The difference between two lists of windows. */

import type { WindowInfo } from "../desktop/desktop.ts";

/** Windows that came and went. */
export interface WindowsDifference {
  opened: WindowInfo[];
  closed: WindowInfo[];
  /** The active window, if it has changed; null if no window is active any more. */
  active?: WindowInfo | null;
}

/** The window that keys go to. */
export const activeOf = (windows: readonly WindowInfo[]) => windows.find(({ active }) => active);

/** Compares two lists of windows. */
export function differenceOf(before: readonly WindowInfo[], after: readonly WindowInfo[]): WindowsDifference {
  const had = byId(before), has = byId(after), active = activeOf(after);
  return {
    opened: after.filter((window) => !isSame(window, had.get(window.id))),
    closed: before.filter((window) => !isSame(window, has.get(window.id))),
    ...(isSame(active, activeOf(before)) ? {} : { active: active ?? null }),
  };
}

/**
 * Whether two descriptions are of the same window; ids alone do not tell, since an X server reuses the ids of a
 * program that has ended.
 */
function isSame(one: WindowInfo | undefined, other: WindowInfo | undefined): boolean {
  if (one?.id !== other?.id) return false;
  return one?.pid === undefined || other?.pid === undefined || one.pid === other.pid;
}

/** Whether windows opened or closed, or another window is active. */
export function isOther(before: readonly WindowInfo[], after: readonly WindowInfo[]): boolean {
  const { opened, closed, active } = differenceOf(before, after);
  return opened.length > 0 || closed.length > 0 || active !== undefined;
}

/** A difference in words; undefined if there is none. */
export function changeText({ opened, closed, active }: WindowsDifference): string | undefined {
  if (opened.length) return "a window opened";
  if (closed.length) return "a window closed";
  if (active === undefined) return undefined;
  return active ? "another window became active" : "no window is active any more";
}

/** Bytes of a title in UTF-8 in a line of words: such a line stays below 40 tokens, also in scripts of which a character is a token. */
const TITLE_BYTES = 36;

/**
 * The title of a window in quotes, cut. It is the program's to choose, so that quotes and line breaks in it are escaped.
 * @param bytes The most bytes of the title in UTF-8.
 */
export function quotedTitle({ title }: Pick<WindowInfo, "title">, bytes = TITLE_BYTES): string {
  const { read } = new TextEncoder().encodeInto(title, new Uint8Array(bytes));
  return JSON.stringify(read < title.length ? `${title.slice(0, read)}…` : title);
}

const byId = (windows: readonly WindowInfo[]) => new Map(windows.map((window) => [window.id, window]));
