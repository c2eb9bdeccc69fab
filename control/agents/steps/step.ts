/**
 * Steps of `act` as models and people write them: an object whose key is the verb, such as
 * `{"click":"Save"}`, or a line such as `click "Save"`. Pure.
 */

import { ExpectedError, InputError } from "../../../core/errors.ts";
import { isJsonObject, jsonOrWord } from "../../../core/json.ts";
import { describeValue, nearest, printable } from "../../../core/printable.ts";
import type { Region } from "../../desktop/desktop.ts";
import { verdictText } from "../../operator/calls.ts";
import type { Seen } from "../../observe/mod.ts";
import { BlindStepError, StepGuard } from "../../actions/step_guard.ts";
import { guardedStep } from "../tools/steps.ts";
import { type Answer, stoppedAt, type Tool, type ToolContext } from "../tool.ts";
import { differenceText } from "../window_report.ts";

export interface Step {
  verb: Verb;
  /** The value of the verb's key. */
  value: unknown;
  /** The other fields. */
  more: Record<string, unknown>;
}

/** The verbs, and the further fields that each accepts. */
const VERBS = {
  click: ["button", "count", "hold", "background"],
  fill: ["to", "value", "background"],
  type: ["into", "sensitive", "background"],
  paste: ["into"],
  key: ["repeat", "hold_ms"],
  menu: [],
  file: ["existing"],
  drag: ["to", "button", "hold"],
  scroll: ["amount", "at", "hold", "background"],
  move: [],
  press: [],
  release: [],
  window: ["to"],
  open: ["file", "url"],
  see: ["window", "find", "region", "zoom"],
  wait: ["gone", "timeout_ms"],
  expect: ["gone", "timeout_ms"],
  if: ["then", "else", "gone"],
} as const;

/** A verb of a step. */
export type Verb = keyof typeof VERBS;

/** Aliases of verbs, and the fields that they imply. */
const ALIASES: Record<string, { verb: Verb; more?: Record<string, unknown> }> = {
  double_click: { verb: "click", more: { count: 2 } },
  right_click: { verb: "click", more: { button: "right" } },
  set: { verb: "fill" },
  keys: { verb: "key" },
  hover: { verb: "move" },
  focus: { verb: "window", more: { to: "front" } },
};

/** Verbs that need no value. */
const EMPTY_VALUES = new Set<Verb>(["fill", "see"]);

/**
 * Reads a step. Null fields are left out.
 * @param name The step's name in messages, such as `steps[2]`.
 * @throws InputError naming the verbs, or the fields that the verb accepts.
 * @example
 * stepOf({ click: "Save", count: 2 }, "steps[0]").more; // { count: 2 }
 * stepOf('key ctrl+s', "steps[0]").value; // "ctrl+s"
 */
export function stepOf(given: unknown, name: string): Step {
  if (typeof given === "string") {
    return stepOf(given.trim().startsWith("{") ? parsed(given, name) : lineOf(given), name);
  }
  if (!isJsonObject(given)) {
    throw new InputError(`${name} must be an object such as {"click":"Save"}, not ${describeValue(given)}`);
  }
  const fields = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  const verbs = fields.filter(([key]) => Object.hasOwn(VERBS, key) || Object.hasOwn(ALIASES, key));
  const chosen: [string, unknown] | undefined = verbs.find(([key]) => !isFieldOf(key, verbs)) ?? verbs[0];
  if (!chosen) {
    throw new InputError(`${name} needs a verb: one of ${Object.keys(VERBS).join(", ")}${meant(given)}`);
  }
  const [key, value] = chosen, alias = ALIASES[key], verb = alias?.verb ?? key as Verb;
  const more = Object.fromEntries(fields.filter(([other]) => other !== key));
  const known: readonly string[] = VERBS[verb];
  const unknown = Object.keys(more).find((other) => !known.includes(other));
  if (unknown !== undefined) {
    const takes = known.length ? `takes ${known.join(", ")} beside it` : "takes no other field";
    throw new InputError(`${name} has no field ${JSON.stringify(unknown)}: ${verb} ${takes}`);
  }
  if (value === "" && !EMPTY_VALUES.has(verb)) throw new InputError(`${name}.${verb} is empty`);
  return { verb, value, more: { ...alias?.more, ...more } };
}

/** Whether a key that is a verb is a field of another verb in the same step, such as `file` of `open`. */
function isFieldOf(key: string, verbs: readonly [string, unknown][]): boolean {
  return verbs.some(([other]) =>
    other !== key && (VERBS[other as Verb] as readonly string[] | undefined)?.includes(key)
  );
}

function meant(given: Record<string, unknown>): string {
  const [key = ""] = Object.keys(given), verb = nearest(key, Object.keys(VERBS));
  return verb ? ` (did you mean ${verb}?)` : "";
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${name} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}

// Command-line steps: the verb, its value, and other fields as name=value.

/** Verbs whose value is taken literally, so that quotes are part of a target. */
const TARGETS = new Set([
  "click",
  "double_click",
  "right_click",
  "move",
  "hover",
  "scroll",
  "press",
  "release",
]);

/**
 * Converts a line to a step: `click button "Save" count=2`, `fill "Name" = "Ann"`, `type "a\n"`,
 * `menu File > Save As`, `wait window "Saved"`.
 */
function lineOf(line: string): Record<string, unknown> {
  const [, verb = "", rest = ""] = /^\s*(\w+)\s*(.*)$/s.exec(line) ?? [];
  const more: Record<string, unknown> = {};
  const words = rest.replace(
    /(?<!\s)\s+(\w+)=("(?:[^"\\]|\\.)*"|\{[^{}]*\}|[^\s"]+)(?=\s|$)/g,
    (all, field: string, value: string) => {
      const known: readonly string[] = VERBS[ALIASES[verb]?.verb ?? verb as Verb] ?? [];
      if (!known.includes(field)) return all;
      more[field] = jsonOrWord(value);
      return "";
    },
  ).trim();
  return { [verb]: valueOf(verb, words), ...more };
}

function valueOf(verb: string, words: string): unknown {
  if (TARGETS.has(verb)) return /^\s*"(?:[^"\\]|\\.)*"\s*$/.test(words) ? jsonOrWord(words) : words;
  if (verb === "fill" || verb === "set") {
    const at = words.indexOf("="), target = words.slice(0, at).trimEnd();
    return at < 0 ? words : { [String(jsonOrWord(target))]: jsonOrWord(words.slice(at + 1).trimStart()) };
  }
  if (verb === "menu") return words.split(">").map((part) => String(jsonOrWord(part.trim())));
  if (verb === "drag") return words.split(/(?<!\s)\s+to\s+/).map((part) => String(jsonOrWord(part)));
  if (verb === "wait" || verb === "expect" || verb === "if") {
    const [, kind, rest] = /^(element|text|window|ms|still|picture)\s+(.*)$/s.exec(words) ?? [];
    return kind ? { [kind]: jsonOrWord(rest) } : jsonOrWord(words);
  }
  return jsonOrWord(words);
}

// Steps in the log: their targets, but only the length of texts.

/** Fields whose value is a text that may be secret. */
const TEXTS = new Set(["type", "paste", "to", "value"]);
/** Verbs with which `to` is not a text but a window's place or the end of a drag. */
const PLACED = ["window", "focus", "drag"];

/**
 * Converts a step for the log.
 * @param hide Replaces what must not be shown.
 */
export function loggedStep(given: unknown, hide: (secret: unknown) => unknown): unknown {
  if (typeof given === "string" && !given.trim().startsWith("{")) return loggedStep(lineOf(given), hide);
  if (!isJsonObject(given)) return hide(given);
  const isPlaced = PLACED.some((verb) => Object.hasOwn(given, verb)), fills = ["fill", "set"];
  const isFill = fills.some((verb) => Object.hasOwn(given, verb));
  const hidden = (value: unknown) => given.sensitive === true || isFill ? secretOf(value, hide) : hide(value);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (fills.includes(name) && isJsonObject(value)) return [name, hiddenValues(value, hide)];
      if (TEXTS.has(name) && !(name === "to" && isPlaced)) return [name, hidden(value)];
      if (name === "then" || name === "else") {
        return [name, (Array.isArray(value) ? value : [value]).map((step) => loggedStep(step, hide))];
      }
      return Object.hasOwn(VERBS, name) || Object.hasOwn(ALIASES, name) || KNOWN_FIELDS.has(name)
        ? [name, value]
        : [printable(name, 40), hide(value)];
    }),
  );
}

const KNOWN_FIELDS = new Set<string>(Object.values(VERBS).flat());

function hiddenValues(
  values: Record<string, unknown>,
  hide: (secret: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, secretOf(value, hide)]));
}

/** A text that may be a password; not even its length is logged. */
function secretOf(value: unknown, hide: (secret: unknown) => unknown): string {
  hide(value);
  return "secret";
}

// Runs the steps of `act`. Each step waits for its target and until its effect has settled. A step that works
// is silent; one that misses, fails, or opens or closes windows is reported, and whatever could go wrong
// blindly is not done.

/** One tool call; a step consists of one or more. */
interface Part {
  tool: Tool;
  /** The tool's fields. For the guard, `element` names the window. */
  values: Record<string, unknown>;
  /** The title of the window that the part waited for. */
  awaited?: string;
  /** Whether the part may change nothing: the next part checks its effect. */
  mayMiss?: boolean;
  /** Performs the part; by default, the tool is called with the values. */
  run?(): Promise<Answer>;
}

/**
 * The parts of a step in order, each receiving the previous part's answer; the return value is a note, if
 * any.
 */
export type Play = AsyncGenerator<Part, string | undefined, Answer>;

export interface Outcome {
  /** Lines about steps. */
  lines: string[];
  /** The number of steps that were done. */
  done: number;
  isStopped: boolean;
  /** The changed regions, in desktop pixels. */
  regions: Region[];
  /** Pictures that steps took. */
  pictures: Answer["pictures"];
}

/** How steps are run. */
interface Running {
  context: ToolContext;
  guard: StepGuard;
  outcome: Outcome;
  /** Makes the parts of a step. @param number The step's number, from 1. */
  play(step: Step, number: number): Play;
}

/**
 * Runs steps until one fails.
 * @param anyWindow Whether steps continue in a window that no step waited for.
 * @param play Makes the parts of a step.
 */
export async function runSteps(
  steps: readonly Step[],
  context: ToolContext,
  anyWindow: boolean,
  play: Running["play"],
): Promise<Outcome> {
  const outcome: Outcome = { lines: [], done: 0, isStopped: false, regions: [], pictures: [] };
  const guard = await StepGuard.begin(context.windows, anyWindow);
  for (const [i, step] of steps.entries()) {
    const running = runStep(step, i + 1, { context, guard, outcome, play });
    const failed = await running.catch((error) => {
      throw stoppedAt(error, i + 1, steps.length, step.verb);
    });
    if (failed !== undefined) {
      outcome.isStopped = true;
      outcome.lines.push(`${i + 1}. ${failed}`);
      break;
    }
    outcome.done++;
  }
  return outcome;
}

/** Runs one step. @returns Why it failed; undefined if it did not. */
async function runStep(step: Step, number: number, running: Running): Promise<string | undefined> {
  const { context, outcome, play } = running, parts = play(step, number);
  try {
    let next = await parts.next();
    while (!next.done) {
      const stopped = await runPart(next.value, number, running);
      if (typeof stopped === "string") return stopped;
      next = await parts.next(stopped);
    }
    if (next.value) outcome.lines.push(`${number}. ${next.value}`);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ExpectedError)) throw error;
    outcome.pictures.push(...(await context.changed(error))?.pictures ?? []);
    return `failed: ${error.message}`;
  } finally {
    await parts.return(undefined);
  }
}

/** Runs a part of a step. @returns Its answer, or why it was skipped. */
async function runPart(
  part: Part,
  number: number,
  { context, guard, outcome }: Running,
): Promise<Answer | string> {
  const { tool, values, awaited, mayMiss = false } = part, step = guardedStep(tool, values, number);
  const awaits = awaited === undefined ? step.awaits : [...step.awaits, { window: { title: awaited } }];
  const call = part.run ?? (() => context.call(tool, values));
  try {
    const { result, seen } = await guard.run({ ...step, awaits }, async () => {
      const done = tool.effect === "act"
        ? await context.callStep(call, true)
        : { result: await call(), seen: undefined };
      return { ...done, isReadBack: mayMiss || done.result.isReadBack };
    });
    if (tool.effect === "act") await context.settle();
    outcome.pictures.push(...result.pictures);
    if (seen) note(part, seen, result, number, outcome);
    return result;
  } catch (error) {
    if (error instanceof BlindStepError) return error.message;
    throw error;
  }
}

/** Records what a part changed, and reports windows and misses. */
function note(
  { tool, mayMiss }: Part,
  seen: Seen,
  { isReadBack }: Answer,
  number: number,
  outcome: Outcome,
): void {
  outcome.regions.push(...seen.regions);
  const change = seen.windows && differenceText(seen.windows);
  const isMiss = tool.aim !== undefined && seen.verdict === "miss" && !isReadBack && !mayMiss;
  const line = change ?? (isMiss ? verdictText(seen) : undefined);
  if (line !== undefined) outcome.lines.push(`${number}. ${line}`);
}
