/** Calls of actions as entries: the request, the place of its aim, and the found places. Pure. */

import type { Seen } from "../observe/observation.ts";
import { printable } from "../../core/printable.ts";
import type { Point, Region } from "../input.ts";
import { isJsonObject } from "../../core/json.ts";
import type { ActionEntry, TracedAction, TracedCaller, TracedSeen } from "./entry.ts";
import { keptMessage, keptValues } from "./values.ts";

/**
 * Reading actions that pages and scripts repeat often; a trace records them only if it is asked for looks. `find`,
 * `wait` and readings of windows and elements are always recorded.
 */
export const LOOKS: ReadonlySet<string> = new Set([
  "agents",
  "changes",
  "history",
  "position",
  "recordingState",
  "screen",
  "screenshot",
]);
/** Actions of the trace itself, which has entries of its own for them. */
export const OWN: ReadonlySet<string> = new Set([
  "markTrace",
  "pauseTrace",
  "removeTrace",
  "resumeTrace",
  "startTrace",
  "stopTrace",
  "traceState",
  "traces",
]);

/** The longest name of a client that is kept. */
const CLIENT_LIMIT = 60;

/** A call that has ended. */
export interface EndedCall {
  action: TracedAction;
  values: Record<string, unknown>;
  caller: TracedCaller;
  t: number;
  ms: number;
  result?: unknown;
  seen?: Seen;
  error?: unknown;
  /** Tells whether the values were refused unchecked. */
  isRefused?: boolean;
}

/**
 * Makes the entry of a call.
 * @param keepsTexts Whether texts are kept.
 * @param veil Hides the titles of windows that are left out.
 */
export function callEntry(call: EndedCall, keepsTexts: boolean, veil: (text: string) => string): ActionEntry {
  const { action, caller, result, seen, error, isRefused, t, ms } = call;
  const rule = { keepsTexts, isSensitive: caller.isSensitive || mayBePassword(call) };
  const { values, hidden } = keptValues(action, call.values, rule);
  const { client } = caller, found = foundIn(result);
  return {
    kind: "action",
    t,
    ms,
    name: action.name,
    effect: action.effect,
    by: caller.by ?? "http",
    ...(client ? { client: printable(client, CLIENT_LIMIT) } : {}),
    values,
    ...(hidden.length ? { partial: true } : {}),
    ...aimOf(call.values, result, found),
    ...(found.length ? { found } : {}),
    ...(seen ? { seen: tracedSeen(seen, veil) } : {}),
    ...(error === undefined ? {} : { error: veil(keptMessage(messageOf(error), hidden, isRefused)) }),
  };
}

/** Tells whether the text of a call may be a password: if its element is a password field, or unknown. */
function mayBePassword({ action, result }: EndedCall): boolean {
  return action.name === "setElement" && (!isJsonObject(result) || result.role === "password");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Finds the place at which a call aimed. */
function aimOf(
  values: Record<string, unknown>,
  result: unknown,
  found: readonly Region[],
): { at?: Point; to?: Point } {
  const given = pointIn(values), from = pointIn(values.from), to = pointIn(values.to);
  if (given) return { at: given };
  if (from && to) return { at: from, to };
  if (values.click !== undefined && found.length) return { at: centerOf(found[0]) };
  return isJsonObject(result) && typeof result.via === "string" && found.length
    ? { at: centerOf(found[0]) }
    : {};
}

/** Most places that are kept of a search. */
const FOUND_LIMIT = 20;

/** The places that an action found: those of `find`, of a wait, of an element. */
function foundIn(result: unknown): Region[] {
  if (!isJsonObject(result)) return [];
  const { matches, match, element } = result;
  const all = [
    ...(Array.isArray(matches) ? matches : []),
    ...[match, element, typeof result.ref === "string" ? result : undefined],
  ];
  return all.slice(0, FOUND_LIMIT).map(regionIn).filter((region) => region !== undefined);
}

function regionIn(value: unknown): Region | undefined {
  const point = pointIn(value);
  if (!point) return undefined;
  const { width, height } = value as Record<string, unknown>;
  if (typeof width !== "number" || typeof height !== "number" || width <= 0 || height <= 0) return undefined;
  return { ...point, width, height };
}

function pointIn(value: unknown): Point | undefined {
  if (!isJsonObject(value)) return undefined;
  const { x, y } = value;
  return typeof x === "number" && typeof y === "number" ? { x, y } : undefined;
}

/** The middle of a place. */
function centerOf({ x, y, width, height }: Region): Point {
  return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
}

function tracedSeen(
  { verdict, reason, settledMs, regions, windows }: Seen,
  veil: (text: string) => string,
): TracedSeen {
  const titles = (list: readonly { title: string }[]) => list.map(({ title }) => veil(printable(title, 200)));
  return {
    verdict,
    reason,
    ...(settledMs === undefined ? {} : { settled_ms: settledMs }),
    regions: regions.map(({ x, y, width, height }) => ({ x, y, width, height })),
    ...(windows?.opened.length ? { opened: titles(windows.opened) } : {}),
    ...(windows?.closed.length ? { closed: titles(windows.closed) } : {}),
    ...(windows?.active ? { active: titles([windows.active])[0] } : {}),
  };
}
