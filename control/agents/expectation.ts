/** The expected effect of a step of `do`, and the wait for it. */

import { TimeLimitError } from "../../core/errors.ts";
import { ELEMENT_QUERY } from "../actions/element_fields.ts";
import { ACTIONS } from "../actions/mod.ts";
import { choice, flag, group, optional, type ValueOf } from "../actions/schema.ts";
import { TEXT_QUERY } from "../actions/text_fields.ts";
import { VERDICTS, verdictText } from "../observe/judgement.ts";
import type { Answer, ToolContext } from "./tool.ts";
import { WINDOW } from "./tools/fields.ts";

/** The time that a window or an element may take to come, in milliseconds. */
const EXPECTED_MS = 5000;

const GONE = { gone: optional(flag("")) };

/** The field of a step. */
export const EXPECT = group({
  verdict: optional(choice(VERDICTS, "")),
  window: optional(group({ ...WINDOW, ...GONE }, "")),
  element: optional(group({ ...ELEMENT_QUERY, ...GONE }, "")),
  text: optional(group({ ...TEXT_QUERY, ...GONE }, "")),
}, "");

/**
 * Runs a step and waits until its expected effect is there.
 * @throws TimeLimitError if it does not.
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
