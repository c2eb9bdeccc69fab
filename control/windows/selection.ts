/** Choosing a window: by its id, or by title, class and process. */

import { NotFoundError, StateError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { WindowInfo } from "../desktop.ts";

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
  if (!matches.length) throw new NotFoundError(`no window has ${describeQuery(query)}`);
  if (matches.length > 1 && !any) {
    const ids = matches.slice(0, 20).map(({ id, title }) => `${id} ${JSON.stringify(printable(title, 60))}`)
      .join(", ");
    throw new StateError(`${matches.length} windows have ${describeQuery(query)}: ${ids}; give id`);
  }
  return matches[0];
}

/**
 * Describes a query, for messages.
 * @example
 * describeQuery({ title: "notes", pid: 12 }); // 'a title with "notes" and the process 12'
 */
export function describeQuery({ id, title, class: className, pid, active }: WindowQuery): string {
  const parts = [
    id !== undefined && `the id ${id}`,
    title !== undefined && `a title with ${JSON.stringify(title)}`,
    className !== undefined && `the class ${JSON.stringify(className)}`,
    pid !== undefined && `the process ${pid}`,
    active !== undefined && (active ? "the keyboard" : "no keyboard"),
  ];
  return parts.filter((part) => part !== false).join(" and ");
}
