/** Conditions of steps: what a step waits for, expects, or asks. */

import { ExpectedError, InputError } from "../../../core/errors.ts";
import { isJsonObject } from "../../../core/json.ts";
import { describeValue } from "../../../core/printable.ts";
import { LONGEST_OWN_MS, type ToolContext } from "../tool.ts";
import { wait } from "../tools/screen.ts";
import type { Play } from "./runner.ts";
import { targetOf } from "./target.ts";

/** The kinds of conditions. */
const KINDS = ["element", "text", "window", "ms", "still", "picture"];
/** The longest wait of a step that names no time, in milliseconds. */
const USUAL_MS = 10_000;

/** The fields of the tool `wait` for a condition. */
function waited(value: unknown, gone: boolean): Record<string, unknown> {
  if (typeof value === "number") return { ms: value };
  if (typeof value === "string" && /^\d+$/.test(value)) return { ms: Number(value) };
  if (typeof value === "string") return elementOr(value, gone);
  if (!isJsonObject(value)) {
    throw new InputError(
      `wait takes {${KINDS.join("|")}: …}, a name or milliseconds, not ${describeValue(value)}`,
    );
  }
  const { gone: own = gone, ...rest } = value, isGone = own === true || own === "true";
  const [kind] = Object.keys(rest), given = rest[kind];
  if (!KINDS.includes(kind) || Object.keys(rest).length !== 1) {
    throw new InputError(
      `wait takes one of ${KINDS.join(", ")}, not ${describeValue(Object.keys(rest).join(", "))}`,
    );
  }
  if (kind === "ms") return { ms: Number(given) };
  if (kind === "still") return { still: { ms: Number(isJsonObject(given) ? given.ms : given) || 500 } };
  if (kind === "element" && typeof given === "string") return elementOr(given, isGone);
  const named = isJsonObject(given) ? given : { [kind === "window" ? "title" : "text"]: given };
  return { [kind]: { ...named, ...(isGone ? { gone: true } : {}) } };
}

/** An element, or letters on the screen, in the words of a target. */
function elementOr(words: string, gone: boolean): Record<string, unknown> {
  const target = targetOf(words, "wait"), isGone = gone ? { gone } : {};
  if (target.at === "text") return { text: { text: target.text, ...isGone } };
  if (target.at !== "element") {
    throw new InputError(`wait takes an element, a text, a window or a time, not ${words}`);
  }
  const { element, window, ...query } = target.query;
  return {
    element: { ...(element ? { ref: element } : query), ...(window.title ? { window } : {}), ...isGone },
  };
}

/** Waits until a condition is met. */
export async function* waitFor(value: unknown, more: Record<string, unknown>, context: ToolContext): Play {
  const { gone = false, timeout_ms: asked = USUAL_MS } = more;
  const fields = waited(value, gone === true || gone === "true");
  const limit = Math.min(Number(asked) || USUAL_MS, LONGEST_OWN_MS);
  const values = "ms" in fields ? fields : { ...fields, timeout_ms: limit };
  yield { tool: wait, values, run: () => context.call(wait, values) };
  return undefined;
}

/** Whether a condition is met now. */
export async function isMet(value: unknown, gone: boolean, context: ToolContext): Promise<boolean> {
  const fields = waited(value, gone);
  if ("ms" in fields) throw new InputError("if takes an element, a text or a window");
  try {
    await context.call(wait, { ...fields, timeout_ms: 1 });
    return true;
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof ExpectedError && !(error instanceof InputError)) return false;
    throw error;
  }
}
