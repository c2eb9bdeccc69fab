/** Several steps in one call, and the steps that are not separate tools. */

import { ExpectedError, InputError } from "../../../core/errors.ts";
import { heldOf, KEY, pointOf } from "../../schema/fields.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { BlindStepError, type GuardedStep, StepGuard } from "../../actions/step_guard.ts";
import { anyObject, flag, list, optional, type ValueOf, type Values } from "../../schema/schema.ts";
import { differenceText, EXPECT, runExpecting } from "../window_report.ts";
import { type Held, heldName } from "../../operator/held.ts";
import { verdictText } from "../../operator/calls.ts";
import type { Seen } from "../../observe/mod.ts";
import {
  type Answer,
  BUTTON,
  ELEMENT,
  OPTIONAL_PLACE,
  said,
  SETTLE_MS,
  stoppedAt,
  type Tool,
  tool,
  type ToolContext,
} from "../tool.ts";

/** Fields of the press and release steps. */
const HELD = { button: BUTTON, key: optional(KEY), ...OPTIONAL_PLACE, element: ELEMENT };

/** The key or button to press or release, and the fields of the action that does it. */
function asked({ button, key, element, ...place }: Values<typeof HELD>, context: ToolContext) {
  const held: Held = heldOf({ button, key }) ?? ["button", "left"], point = pointOf(place);
  const at = { ...(point && context.place(point)), ...(element ? { element } : {}) };
  return { held, name: heldName(held), fields: { [held[0]]: held[1], ...at } };
}

export const press = tool({
  name: "press",
  title: "Press and keep down",
  description: "Presses a button or key and keeps it down until release, or the end of the steps.",
  action: ACTIONS.press,
  aim: "held",
  destructive: true,
  partOf: "do",
  input: HELD,
  async run(values, context) {
    const { held, name, fields } = asked(values, context);
    const isDown = () => context.operator.held().map(heldName).includes(name), wasDown = isDown();
    try {
      await context.run(ACTIONS.press, fields);
    } finally {
      // A person may take over while a press is observed: the steps release it all the same.
      if (!wasDown && isDown()) context.kept.set(name, held);
    }
    return said(`pressed ${name}`);
  },
});

export const release = tool({
  name: "release",
  title: "Release",
  description: "Releases a button or key.",
  action: ACTIONS.release,
  partOf: "do",
  input: HELD,
  async run(values, context) {
    const { name, fields } = asked(values, context);
    await context.run(ACTIONS.release, fields);
    context.kept.delete(name);
    return said(`released ${name}`);
  },
});

export const position = tool({
  name: "position",
  title: "Where the pointer is",
  description: "Where the pointer is on the screenshot.",
  action: ACTIONS.position,
  partOf: "screen",
  input: {},
  async run(_, context) {
    const { x, y } = context.shown(await context.run(ACTIONS.position, {}));
    return said(`X=${x},Y=${y}`);
  },
});

/** A step: a tool's name together with its fields. */
const STEP = anyObject({
  properties: { tool: { type: "string", description: "A tool, press or release" } },
  required: ["tool"],
});

export const steps = tool({
  name: "do",
  title: "Do several steps",
  description:
    'Does steps, each with its tool\'s fields: {"tool":"click","x":10,"y":20}; press and release (button or key) keep ' +
    "something down. Stops if one fails, a click or text changes nothing, or a window that no step waits for is active " +
    "(any_window goes on). expect:{window|element|text|verdict} is checked.",
  action: ACTIONS.click,
  picture: "unless refused",
  settleMs: SETTLE_MS,
  destructive: true,
  input: { actions: list(STEP, "", { least: 1, most: 50 }), any_window: optional(flag("")) },
  async run({ actions, any_window = false }, context) {
    const rows = actions.map(({ tool: name, expect, ...values }, i): Step => {
      const row = context.step(name);
      if (row === steps) throw new InputError(`actions[${i}] cannot be another do`);
      return [row, values, expect === undefined ? undefined : EXPECT.parse(expect, `actions[${i}].expect`)];
    });
    try {
      return await runSteps(rows, context, any_window);
    } finally {
      await context.operator.releaseOwned([...context.kept.values()]);
      context.kept.clear();
    }
  },
}) as Tool;

/**
 * Converts a tool call to the guard's form, which all lists of steps share.
 * @param values The fields as the caller wrote them.
 * @param number The step's number in its list, from 1.
 * @param expect The effect that the step expects and checks at its end.
 */
export function guardedStep(
  { name, aim }: Pick<Tool, "name" | "aim">,
  values: Readonly<Record<string, unknown>>,
  number: number,
  expect?: ValueOf<typeof EXPECT>,
): GuardedStep {
  return {
    number,
    aim,
    given: { ...values, tool: name },
    awaits: [
      ...name === "wait" ? [values] : [],
      ...expect ? [expect] : [],
      ...name === "window" && values.change !== "close" ? [{ window: values }] : [],
    ],
    isWait: name === "wait" && values.ms === undefined && values.still === undefined,
    startsProgram: name === "open",
    isChecked: expect !== undefined,
  };
}

/** A tool, its fields, and the step's expected effect. */
type Step = [tool: Tool, values: Record<string, unknown>, expect?: ValueOf<typeof EXPECT>];

async function runSteps(rows: Step[], context: ToolContext, anyWindow: boolean): Promise<Answer> {
  const lines: string[] = [], pictures: Answer["pictures"] = [];
  const guard = await StepGuard.begin(context.windows, anyWindow);
  const last = rows.findLastIndex(([{ effect }]) => effect === "act");
  const stopped = (i: number, why: string): Answer => {
    const left = rows.length - i - 1;
    lines.push(`${i + 1}. ${why}${left ? `; ${left} more not done` : ""}`);
    return { text: lines.join("\n"), pictures, isError: true };
  };
  for (const [i, [tool, values, expect]] of rows.entries()) {
    const step = { tool, values, expect };
    try {
      const { result: answer, seen } = await guard.run(
        guardedStep(tool, values, i + 1, expect),
        () => runStep(step, context, i === last),
      );
      lines.push(`${i + 1}. ${answer.text}${seen ? noteOf(tool, seen, answer) : ""}`);
      pictures.push(...answer.pictures);
    } catch (error) {
      if (context.signal.aborted) {
        throw stoppedAt(context.signal.reason, i + 1, rows.length, tool.name);
      }
      if (error instanceof BlindStepError) {
        const stoppedBy = { verdict: "miss", reason: error.reason } as const;
        return { ...stopped(i, error.message), ...(error.isMiss ? { stoppedBy } : {}) };
      }
      if (!(error instanceof ExpectedError)) throw error;
      pictures.push(...(await context.changed(error))?.pictures ?? []);
      return stopped(i, `failed: ${error.message}`);
    }
  }
  return { text: lines.join("\n"), pictures };
}

/** Runs a step, and reports its effect if the call is observed. */
async function runStep(
  { tool, values, expect }: { tool: Tool; values: Record<string, unknown>; expect: Step[2] },
  context: ToolContext,
  isLast: boolean,
): Promise<{ result: Answer; seen?: Seen; isReadBack?: boolean | undefined }> {
  const call = () => context.call(tool, values);
  const run = expect ? () => runExpecting(expect, call, context) : call;
  const done = tool.effect === "act" ? await context.callStep(run, isLast) : { result: await run() };
  return { ...done, isReadBack: done.result.isReadBack };
}

/** The note about a step that changed nothing, or that changed windows. */
function noteOf({ aim }: Tool, { windows, ...seen }: Seen, { isReadBack }: Answer): string {
  const isMiss = aim !== undefined && aim !== "held" && seen.verdict === "miss" && !isReadBack;
  const note = (windows && differenceText(windows)) ?? (isMiss ? verdictText(seen) : undefined);
  return note === undefined ? "" : `; ${note}`;
}
