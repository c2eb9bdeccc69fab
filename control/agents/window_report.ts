/** One line about the windows after a call: which one is active, and which were opened and closed. */

import { delay } from "@std/async/delay";
import { UnsupportedError } from "../../core/errors.ts";
import type { WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { listWindows } from "../windows/list.ts";

/** Time between two readings of the windows, in milliseconds. */
const INTERVAL_MS = 25;
/** The longest time in which a change of the windows settles, in milliseconds. */
const CHANGE_MS = 500;
/**
 * Bytes of titles in UTF-8, of the active window and of others: the line stays below 40 tokens, also in scripts of which a
 * character is a token.
 */
const TITLE_BYTES = { active: 36, other: 18 };

/** The windows before a call, compared with those after it. */
export class WindowReport {
  private constructor(readonly operator: Operator, readonly before: readonly WindowInfo[]) {}

  /**
   * Reads the windows before a call.
   * @returns undefined where the desktop does not tell its windows.
   */
  static async begin(operator: Operator): Promise<WindowReport | undefined> {
    try {
      return new WindowReport(operator, await listWindows(operator));
    } catch (error) {
      if (error instanceof UnsupportedError) return undefined;
      throw error;
    }
  }

  /**
   * Reads the windows until they differ from those before, and then until one of them is active and nothing changes: a
   * window becomes active after it appears.
   * @param mostMs The longest time to wait for a difference, in milliseconds.
   * @param signal Ends the waiting by its reason.
   * @returns A line such as `active: "Save As" (new)`.
   */
  async line(mostMs: number, signal: AbortSignal): Promise<string> {
    let end = performance.now() + mostMs, isChanged = false, last: readonly WindowInfo[] = this.before;
    for (;;) {
      const after = await listWindows(this.operator), now = performance.now();
      if (!isChanged && isOther(this.before, after)) {
        isChanged = true;
        end = now + CHANGE_MS;
      }
      const isSettled = isChanged && activeOf(after) !== undefined && !isOther(last, after);
      if (isSettled || now >= end) return describe(this.before, after);
      last = after;
      await delay(INTERVAL_MS, { signal });
    }
  }
}

const idsOf = (windows: readonly WindowInfo[]) => new Set(windows.map(({ id }) => id));
const activeOf = (windows: readonly WindowInfo[]) => windows.find(({ active }) => active);

function isOther(before: readonly WindowInfo[], after: readonly WindowInfo[]): boolean {
  return activeOf(before)?.id !== activeOf(after)?.id ||
    idsOf(before).symmetricDifference(idsOf(after)).size > 0;
}

function describe(before: readonly WindowInfo[], after: readonly WindowInfo[]): string {
  const had = idsOf(before), has = idsOf(after), active = activeOf(after);
  const opened = after.filter(({ id }) => !had.has(id)), closed = before.filter(({ id }) => !has.has(id));
  return [
    active
      ? `active: ${titleOf(active, TITLE_BYTES.active)}${had.has(active.id) ? "" : " (new)"}`
      : "active: no window",
    ...listed("opened", opened.filter((window) => window !== active)),
    ...listed("closed", closed),
  ].join(", ");
}

function listed(verb: string, [first, ...others]: readonly WindowInfo[]): string[] {
  if (!first) return [];
  return [`${verb} ${titleOf(first, TITLE_BYTES.other)}${others.length ? ` and ${others.length} more` : ""}`];
}

/** A title in quotes, cut. It is the program's to choose, so that quotes and line breaks in it are escaped. */
function titleOf({ title }: WindowInfo, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(title, new Uint8Array(bytes));
  return JSON.stringify(read < title.length ? `${title.slice(0, read)}…` : title);
}
