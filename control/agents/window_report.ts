/** The line about windows after a call: the active one, and those that opened or closed. */

import { delay } from "@std/async/delay";
import { TimeLimitError } from "../../core/errors.ts";
import { AWAITED_ELEMENT } from "../actions/element_fields.ts";
import { TEXT_QUERY } from "../actions/find.ts";
import { ACTIONS } from "../actions/mod.ts";
import type { WindowInfo } from "../desktop/desktop.ts";
import type { ActionRunner } from "../actions/runner.ts";
import type { Seen } from "../observe/mod.ts";
import { VERDICTS, verdictText } from "../operator/calls.ts";
import { choice, flag, group, optional, type ValueOf } from "../schema/schema.ts";
import {
  activeOf,
  changeText,
  differenceOf,
  isOther,
  type KnownWindows,
  type Listed,
  quotedTitle,
  type WindowsDifference,
  windowsIfListed,
} from "../windows/list.ts";
import { type Answer, type ToolContext, WINDOW } from "./tool.ts";

/** Polling interval, in milliseconds. */
const INTERVAL_MS = 25;
/** Maximum time for a window change to settle, in milliseconds. */
const CHANGE_MS = 500;
/** Maximum length of the titles of inactive windows, in UTF-8 bytes. */
const OTHER_BYTES = 16;

/** The report of the windows after a call. */
interface WindowsTold {
  /** Such as `active: "Save As" (new)`. */
  text: string;
  /** The change, such as `a window opened`; left out if there is none. */
  change?: string;
}

/** The windows of a desktop before and after its calls. */
export class WindowReport {
  #before: readonly WindowInfo[] | undefined;
  /** The windows that the last line was compared with. */
  #compared: readonly WindowInfo[] = [];
  /** The last list. */
  #last: Listed | undefined;

  constructor(readonly runner: ActionRunner) {}

  /**
   * Reads the windows before a call that is not observed, to detect the call's effect on them.
   * @param known The windows as the call knows them.
   */
  async begin(known: KnownWindows): Promise<void> {
    this.#before = await known.ifListed();
  }

  /** Takes the windows before and after a call from the observations of its actions. */
  observed(seen: readonly Seen[]): void {
    const { before } = seen[0]?.listed ?? {}, { after, isCurrent } = seen.at(-1)?.listed ?? {};
    if (before) this.#before = before;
    if (after && isCurrent) this.#last = { list: after, isCurrent };
  }

  /** The windows now: the last list, as long as the screen has not changed. */
  async #now(): Promise<readonly WindowInfo[] | undefined> {
    if (this.#last?.isCurrent()) return this.#last.list;
    const now = this.runner.knownWindows(), list = await now.ifListed();
    this.#last = now.listed;
    return list;
  }

  /**
   * Reads the windows until they change, and then until a window is active and nothing changes further: a
   * window becomes active after it appears.
   * @param mostMs Maximum wait for a difference, in milliseconds.
   * @param signal Aborts the wait with its reason.
   * @returns A line such as `active: "Save As" (new)`, and the change in words; undefined if the desktop does
   * not list its windows.
   */
  async line(mostMs: number, signal: AbortSignal): Promise<WindowsTold | undefined> {
    let end = performance.now() + mostMs, isChanged = false, last = this.#before;
    for (;;) {
      const after = await this.#now(), now = performance.now(), before = this.#before ?? after;
      if (!before || !after) return undefined;
      if (!isChanged && isOther(before, after)) {
        isChanged = true;
        end = now + (mostMs && CHANGE_MS);
      }
      const isSettled = isChanged && activeOf(after) !== undefined && !isOther(last ?? after, after);
      if (isSettled || now >= end) {
        this.#before = after; // a call that does not wait is compared with the call before it
        this.#compared = before;
        this.#last = undefined;
        return told(before, after);
      }
      last = after;
      await delay(INTERVAL_MS, { signal });
    }
  }

  /**
   * Reads the windows again, for a picture taken after the line.
   * @returns The line that matches the picture; undefined if the previous line still applies.
   */
  async again(): Promise<WindowsTold | undefined> {
    const after = await windowsIfListed(this.runner.operator);
    if (!after || !this.#before || !isOther(this.#before, after)) return undefined;
    this.#before = after;
    return told(this.#compared, after);
  }
}

/** The line, and the change in words. */
function told(before: readonly WindowInfo[], after: readonly WindowInfo[]): WindowsTold {
  const change = changeText(differenceOf(before, after));
  return { text: describe(before, after), ...(change === undefined ? {} : { change }) };
}

function describe(before: readonly WindowInfo[], after: readonly WindowInfo[]): string {
  const { opened, closed } = differenceOf(before, after), active = activeOf(after);
  return [
    active ? `active: ${quotedTitle(active)}${opened.includes(active) ? " (new)" : ""}` : "active: no window",
    ...listed("opened", opened.filter((window) => window !== active)),
    ...listed("closed", closed),
  ].join(", ");
}

/** The changes of windows in a part of a call, such as `opened "Save As"`; undefined if none. */
export function differenceText({ opened, closed, active }: WindowsDifference): string | undefined {
  const isOther = active && !opened.includes(active);
  const parts = [
    ...listed("opened", opened),
    ...listed("closed", closed),
    ...(isOther && !closed.length ? [`active: ${quotedTitle(active)}`] : []),
  ];
  return parts.length ? parts.join(", ") : undefined;
}

function listed(verb: string, [first, ...others]: readonly WindowInfo[]): string[] {
  if (!first) return [];
  return [`${verb} ${quotedTitle(first, OTHER_BYTES)}${others.length ? ` and ${others.length} more` : ""}`];
}

// The expected effect of a `do` step, and the wait for it.

/** Maximum time for a window or an element to appear, in milliseconds. */
const EXPECTED_MS = 5000;

const GONE = { gone: optional(flag("")) };

/** The field of a step. */
export const EXPECT = group({
  verdict: optional(choice(VERDICTS, "")),
  window: optional(group({ ...WINDOW, ...GONE }, "")),
  element: optional(AWAITED_ELEMENT),
  text: optional(group({ ...TEXT_QUERY, ...GONE }, "")),
}, "");

/**
 * Runs a step and waits for its expected effect.
 * @throws TimeLimitError if it does not appear.
 */
export async function runExpecting(
  { verdict, window, element, text }: ValueOf<typeof EXPECT>,
  run: () => Promise<Answer>,
  context: ToolContext,
): Promise<Answer> {
  const { result, seen } = verdict ? await context.observe(run) : { result: await run(), seen: undefined };
  if (verdict && seen?.verdict !== verdict) {
    const was = seen ? verdictText(seen) : "a step that does nothing to observe";
    throw new TimeLimitError(`${result.text}, but ${verdict} was expected: ${was}`);
  }
  const timeout_ms = Math.min(EXPECTED_MS, context.timeLeft());
  for (const awaited of [window && { window }, element && { element }, text && { text }]) {
    if (awaited) await context.run(ACTIONS.wait, { ...awaited, timeout_ms });
  }
  return seen ? { ...result, text: `${result.text}; ${verdictText(seen)}` } : result;
}
