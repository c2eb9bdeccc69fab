/** Waiting until a window has an element. */

import { NotFoundError } from "../../core/errors.ts";
import type { Operator } from "../operator.ts";
import { poll } from "../wait.ts";
import type { WindowQuery } from "../windows/selection.ts";
import { type ElementQuery, matchingElements } from "./query.ts";
import { type ListedElement, readElements } from "./reading.ts";

/** Time between two readings, in milliseconds: one takes up to 200 ms of the program. */
const INTERVAL_MS = 250;

/** An element that a caller waits for. */
export interface AwaitedElement extends ElementQuery {
  window: WindowQuery;
  /** Waits until no element fits. */
  gone: boolean;
}

/**
 * Waits until a window has an element, or has it no longer. A window that does not exist has no elements.
 * @param timeoutMs When to give up, in milliseconds.
 * @param signal Ends the waiting by its reason.
 * @returns The element, and how long the wait took in milliseconds; undefined if the time was over first.
 */
export async function waitForElement(
  operator: Operator,
  { window, gone, nth = 1, ...query }: AwaitedElement,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ ms?: number; element?: ListedElement }> {
  let element: ListedElement | undefined;
  const ms = await poll(
    async () => {
      element = matchingElements(await readIfThere(operator, window), query)[nth - 1];
      return (element === undefined) === gone;
    },
    INTERVAL_MS,
    timeoutMs,
    signal,
  );
  return { ms, element };
}

async function readIfThere(operator: Operator, window: WindowQuery): Promise<ListedElement[]> {
  try {
    return (await readElements(operator, window)).elements;
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}
