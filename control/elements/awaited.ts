/** Waits until an element appears or reaches a required state. */

import { NotFoundError } from "../../core/errors.ts";
import type { ElementState } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { poll } from "../operator/wait.ts";
import type { WindowQuery } from "../windows/list.ts";
import { type ListedElement, readElements, rereadElement } from "./list.ts";
import {
  chosenElement,
  describeElementQuery,
  type ElementQuery,
  matchingElements,
  near,
  numbered,
} from "./query.ts";
import { describedElement } from "./text.ts";

/** The required state of an element. */
export interface ElementCondition {
  /** The whole value of a field. */
  value?: string;
  /** The whole text: the value of a field, or the name; spaces and breaks count as one space. */
  text?: string;
  /** A part of the text, case-insensitive. */
  contains?: string;
  /** States that must be set or unset. */
  states?: Partial<Record<ElementState, boolean>>;
  /** Number of elements that match the query, instead of conditions on one element. */
  count?: number;
}

/** An element to wait for. */
interface AwaitedElement extends ElementQuery, ElementCondition {
  /** The element's ref, instead of a query. */
  ref?: string | undefined;
  window: WindowQuery;
  /** Waits for the opposite: no element matches, or the element does not meet the condition. */
  gone: boolean;
}

/** Polling interval, in milliseconds: one reading takes up to 200 ms of the program's time. */
const INTERVAL_MS = 250;
/** Maximum number of elements that a message about a count names. */
const NAMED = 5;

interface Look {
  element?: ListedElement;
  holds: boolean;
  /** Describes the elements that were found. */
  there: string;
}

/**
 * Waits until a window has an element that meets the condition, or until the opposite holds. A window that
 * does not exist has no elements.
 * @param timeoutMs Maximum wait, in milliseconds.
 * @param signal Aborts the wait with its reason.
 * @returns The element, and how long the wait took, in milliseconds; on timeout, what was there instead.
 */
export async function waitForElement(
  operator: Operator,
  { gone, ...awaited }: AwaitedElement,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ ms?: number; element?: ListedElement; there: string }> {
  let last: Look | undefined;
  const ms = await poll(
    async () => {
      last = await look(operator, awaited, signal);
      return last.holds !== gone;
    },
    INTERVAL_MS,
    timeoutMs,
    signal,
  );
  const isPlain = gone &&
    [awaited.value, awaited.text, awaited.contains, awaited.states, awaited.count].every((
      field,
    ) => field === undefined);
  return { ms, element: last?.element, there: isPlain ? "" : last?.there ?? "" };
}

/**
 * The awaited condition in words, for the message of a wait that was too long.
 * @param isThere Whether such an element existed at the end.
 * @param timeoutMs How long the wait took, in milliseconds.
 * @example
 * describeAwaited({ role: "checkbox", name: "Agree", states: { checked: true }, window: {}, gone: false }, true, 500);
 * // 'checkbox "Agree" is not checked after 500 ms'
 */
export function describeAwaited(
  { ref, gone, ...awaited }: AwaitedElement,
  isThere: boolean,
  timeoutMs: number,
): string {
  const within = `within ${timeoutMs} ms`, after = `after ${timeoutMs} ms`;
  const what = ref ?? describeElementQuery(awaited), { value, text, contains, states = {}, count } = awaited;
  if (count !== undefined) return `the number of ${what} is ${gone ? "still" : "not"} ${count} ${after}`;
  if (!gone && !isThere) return `${what} did not appear ${within}`;
  const wanted = [
    value === undefined ? "" : `the value ${JSON.stringify(value)}`,
    text === undefined ? "" : `the text ${JSON.stringify(text)}`,
    contains === undefined ? "" : `a text with ${JSON.stringify(contains)}`,
  ].filter(Boolean);
  const isStill = (isSet: boolean) => isSet === gone ? "still" : "not";
  const parts = [
    ...(wanted.length ? [`${gone ? "still has" : "does not have"} ${wanted.join(" and ")}`] : []),
    ...Object.entries(states).map(([state, isSet]) => `is ${isStill(isSet)} ${state}`),
  ];
  return parts.length
    ? `${what} ${parts.join(" and ")} ${after}`
    : `${what} did not ${gone ? "disappear" : "appear"} ${within}`;
}

async function look(
  operator: Operator,
  { ref, window, count, nth, ...awaited }: Omit<AwaitedElement, "gone">,
  signal: AbortSignal,
): Promise<Look> {
  try {
    if (ref !== undefined) return judged((await rereadElement(operator, ref, signal)).element, awaited);
    const { elements } = await readElements(operator, window, false, signal),
      found = matchingElements(elements, awaited);
    if (count !== undefined) {
      const some = found.slice(0, NAMED).map(describedElement).join(", ");
      return { holds: found.length === count, there: `there are ${found.length}${some && `: ${some}`}` };
    }
    const element = nth === undefined
      ? chosenElement(elements, awaited) ?? found[0]
      : numbered(elements, awaited)[nth - 1];
    if (element) return judged(element, awaited);
    return { holds: false, there: near(elements, awaited).replace(/^; /, "") };
  } catch (error) {
    signal.throwIfAborted(); // its reason may be a NotFoundError, too
    if (error instanceof NotFoundError) return { holds: count === 0, there: error.message };
    throw error;
  }
}

function judged(element: ListedElement, condition: ElementCondition): Look {
  const holds = meets(element, condition);
  return { element, holds, there: `it is ${describedElement(element)}` };
}

/** Whether an element meets a condition. */
function meets(
  { name, value, states }: ListedElement,
  { value: wanted, text, contains, states: wantedStates = {} }: ElementCondition,
): boolean {
  const shown = plain(value ?? name);
  return (wanted === undefined || value === wanted) &&
    (text === undefined || shown === plain(text) || plain(name) === plain(text)) &&
    (contains === undefined || shown.toLowerCase().includes(plain(contains).toLowerCase())) &&
    Object.entries(wantedStates).every(([state, isSet]) => states.includes(state as ElementState) === isSet);
}

function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
