/** Action calls as entries: the request, the target position, and the places found. Pure. */

import { isJsonObject } from "../../core/json.ts";
import { counted, describeValue, printable } from "../../core/printable.ts";
import { type Fields, type JsonSchema, objectSchema } from "../schema/schema.ts";
import { middleOf, type Point, type Region } from "../desktop/geometry.ts";
import { canonicalKey } from "../desktop/keys.ts";
import type { Seen } from "../observe/observation.ts";
import type { CalledAction, NotedCaller } from "../operator/calls.ts";
import type { ActionEntry, TracedSeen } from "./entry.ts";

// Action values as a trace stores them: texts as their length, typing keys as a count. Pure.

/** Fields with texts that a person or a program types or copies: only their length is stored. */
export const HIDDEN_TEXTS: readonly string[] = ["text", "png", "recording"];
/** Actions that search for a text: it is stored, since the screen shows it anyway. */
const LOOKING: ReadonlySet<string> = new Set(["clickText", "findText", "wait"]);
/** Fields with keys: of keys that type a character, only the number is stored. */
export const KEY_FIELDS: readonly string[] = ["key", "keys", "hold"];
/** Fields with choices or names, which traces store. */
export const SHOWN_TEXTS: readonly string[] = [
  "at",
  "class",
  "element",
  "hex",
  "id",
  "language",
  "locator",
  "mask",
  "name",
  "path",
  "program",
  "role",
  "seen",
  "title",
  "window",
];

/** Maximum number of stored list entries. */
const LIST_LIMIT = 20;
/** Maximum number of stored characters of a text. */
const TEXT_LIMIT = 300;

/** The stored values of a call. */
interface KeptValues {
  values: Record<string, unknown>;
  /** The values of which only the length is stored. */
  hidden: unknown[];
}

/** The texts to store: none, or all except those that the caller marks as secret. */
interface TextRule {
  keepsTexts: boolean;
  isSensitive: boolean;
}

/**
 * An action's values without secrets.
 * @param values Values that fit the action's fields.
 */
export function keptValues(
  { name, input }: Pick<CalledAction, "name" | "input">,
  values: Record<string, unknown>,
  rule: TextRule,
): KeptValues {
  const hidden: unknown[] = [], own = { ...rule, isLooking: LOOKING.has(name) };
  return { values: keptObject(values, schemaOf(input), own, hidden), hidden };
}

/** Schemas by their fields, cached because building a schema takes longer than everything else here. */
const schemas = new WeakMap<Fields, JsonSchema>();

function schemaOf(input: Fields): JsonSchema {
  let schema = schemas.get(input);
  if (!schema) schemas.set(input, schema = objectSchema(input));
  return schema;
}

/** The rule for one action. */
interface OwnRule extends TextRule {
  isLooking: boolean;
}

function keptObject(
  values: Record<string, unknown>,
  schema: JsonSchema,
  rule: OwnRule,
  hidden: unknown[],
): Record<string, unknown> {
  const fields = schema.properties as Record<string, JsonSchema> | undefined ?? {};
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) kept[name] = keptValue(name, value, fields[name] ?? {}, rule, hidden);
  }
  return kept;
}

function keptValue(
  name: string,
  value: unknown,
  schema: JsonSchema,
  rule: OwnRule,
  hidden: unknown[],
): unknown {
  const hide = () => {
    hidden.push(value);
    return rule.isSensitive ? "secret" : lengthOf(value);
  };
  if (HIDDEN_TEXTS.includes(name) && !(rule.isLooking && name === "text")) {
    const isKept = rule.keepsTexts && !rule.isSensitive && typeof value === "string";
    return isKept ? printable(value, TEXT_LIMIT) : hide();
  }
  if (Array.isArray(value)) {
    const items = schema.items as JsonSchema | undefined ?? {};
    return value.slice(0, LIST_LIMIT).map((entry) => keptValue(name, entry, items, rule, hidden));
  }
  if (isJsonObject(value)) return keptObject(value, schema, rule, hidden);
  if (typeof value === "number" && name === "hex") return `#${value.toString(16).padStart(6, "0")}`;
  if (typeof value !== "string") return value;
  if (KEY_FIELDS.includes(name)) {
    return rule.keepsTexts && !rule.isSensitive || !isTyping(value) ? printable(value, TEXT_LIMIT) : hide();
  }
  const isShown = Array.isArray(schema.enum) || SHOWN_TEXTS.includes(name) || name === "text"; // of a search
  return isShown ? printable(value, TEXT_LIMIT) : hide();
}

/** Modifiers with which a key types a character; with any other, it is a command. */
const LEVEL_KEYS: readonly (string | undefined)[] = ["shift", "rightshift", "altgr"];

/**
 * Whether keys type a character, and so may be part of a password.
 * @param keys A key, or a combination such as `ctrl+shift+t`.
 * @example
 * isTyping("shift+a"); // true
 */
export function isTyping(keys: string): boolean {
  const parts = keys === "+"
    ? ["+"]
    : keys.replace(/\+\+$/, "+plus").split("+").map((part) => canonicalKey(part.trim()));
  const last = parts.at(-1);
  if (last === undefined || [...last].length > 1 && last !== "space") return false;
  return parts.slice(0, -1).every((part) => LEVEL_KEYS.includes(part));
}

function lengthOf(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (typeof value === "string") return counted([...value].length, "character");
  const { count, bytes } = value as { count?: unknown; bytes?: unknown };
  if (typeof bytes === "number") return `${bytes} bytes`;
  return typeof count === "number" ? counted(count, "event") : "not kept";
}

/**
 * The message of a failed call without the hidden values that it quotes.
 * @param isRefused Whether the values were rejected unchecked; if so, every quoted text may be a secret.
 */
export function keptMessage(message: string, hidden: readonly unknown[], isRefused = false): string {
  const kept = hidden.reduce<string>((text, value) => {
    const rest = text.replaceAll(`not ${describeValue(value)}`, "not what was given");
    return typeof value === "string" ? rest.replaceAll(JSON.stringify(value), '"…"') : rest;
  }, message);
  const plain = hidden.length ? kept.replace(/U\+[0-9A-F]{4,6}(?: \(.{1,2}\))?/gu, "a character") : kept;
  return printable(isRefused ? plain.replace(/, not .*$/su, ", not what was given") : plain, TEXT_LIMIT);
}

/**
 * Reading actions that pages and scripts repeat often; a trace records them only if looks are requested.
 * `find`, `wait` and readings of windows and elements are always recorded.
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
/** Actions of the trace itself, for which it has its own entries. */
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

/** Maximum length of a stored client name. */
const CLIENT_LIMIT = 60;

export interface EndedCall {
  action: CalledAction;
  values: Record<string, unknown>;
  caller: NotedCaller;
  t: number;
  ms: number;
  result?: unknown;
  seen?: Seen;
  error?: unknown;
  /** Whether the values were rejected unchecked. */
  isRefused?: boolean;
  /** Whether values and error are already as they are kept. */
  isKept?: boolean;
}

/**
 * Makes the entry of a call.
 * @param keepsTexts Whether texts are stored.
 * @param veil Hides the titles of excluded windows.
 */
export function callEntry(call: EndedCall, keepsTexts: boolean, veil: (text: string) => string): ActionEntry {
  const { action, caller, result, seen, error, isRefused, isKept, t, ms } = call;
  const rule = { keepsTexts, isSensitive: caller.isSensitive || mayBePassword(call) };
  const { values, hidden } = isKept
    ? { values: call.values, hidden: [] }
    : keptValues(action, call.values, rule);
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
    ...(error === undefined ? {} : { error: keptMessage(veil(messageOf(error)), hidden, isRefused) }),
  };
}

/** Whether a call's text may be a password: its element is a password field, or unknown. */
function mayBePassword({ action, result }: EndedCall): boolean {
  return action.name === "setElement" && (!isJsonObject(result) || result.role === "password");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The position that a call targeted. */
function aimOf(
  values: Record<string, unknown>,
  result: unknown,
  found: readonly Region[],
): { at?: Point; to?: Point } {
  const given = pointIn(values), from = pointIn(values.from), to = pointIn(values.to);
  if (given) return { at: given };
  if (from && to) return { at: from, to };
  if (values.click !== undefined && found.length) return { at: middleOf(found[0]) };
  return isJsonObject(result) && typeof result.via === "string" && found.length
    ? { at: middleOf(found[0]) }
    : {};
}

/** Maximum number of stored places of a search. */
const FOUND_LIMIT = 20;

/** The places that an action found: those of `find`, of a wait, or of an element. */
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

function tracedSeen(
  { verdict, reason, settledMs, regions, windows }: Seen,
  veil: (text: string) => string,
): TracedSeen {
  const titles = (list: readonly { title: string }[]) => list.map(({ title }) => printable(veil(title), 200));
  return {
    verdict,
    reason: veil(reason),
    ...(settledMs === undefined ? {} : { settled_ms: settledMs }),
    regions: regions.map(({ x, y, width, height }) => ({ x, y, width, height })),
    ...(windows?.opened.length ? { opened: titles(windows.opened) } : {}),
    ...(windows?.closed.length ? { closed: titles(windows.closed) } : {}),
    ...(windows?.active ? { active: titles([windows.active])[0] } : {}),
  };
}
