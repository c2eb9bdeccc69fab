/**
 * Runs the steps of `act`. Each step waits for what it names and until its effect has settled. A step that works says
 * nothing; one that misses, fails, or opens and closes windows is told, and what could go wrong blindly is not done.
 */

import { ExpectedError } from "../../../core/errors.ts";
import type { Region } from "../../desktop/desktop.ts";
import { verdictText } from "../../observe/judgement.ts";
import type { Seen } from "../../observe/mod.ts";
import { BlindStepError, StepGuard } from "../../actions/step_guard.ts";
import { guardedStep } from "../tools/steps.ts";
import { type Answer, stoppedAt, type Tool, type ToolContext } from "../tool.ts";
import { differenceText } from "../window_report.ts";
import type { Step } from "./step.ts";

/** One call of a tool, of which a step has one or more. */
export interface Part {
  tool: Tool;
  /** The tool's fields. `element` names the window for the guard. */
  values: Record<string, unknown>;
  /** The window's title that the part waited for. */
  awaited?: string;
  /** Whether the part may change nothing: what follows it checks its effect. */
  mayMiss?: boolean;
  /** Does it; the tool is called with the values if left out. */
  run?(): Promise<Answer>;
}

/** The parts of a step in their order, each with the answer of the one before; returned is a note, if there is one. */
export type Play = AsyncGenerator<Part, string | undefined, Answer>;

/** The outcome of the steps. */
export interface Outcome {
  /** Lines about steps. */
  lines: string[];
  /** The number of steps that were done. */
  done: number;
  isStopped: boolean;
  /** The places that changed, in pixels of the desktop. */
  regions: Region[];
  /** Pictures that steps took. */
  pictures: Answer["pictures"];
}

/** How steps run. */
interface Running {
  context: ToolContext;
  guard: StepGuard;
  outcome: Outcome;
  /** Makes the parts of a step. @param number The step's number, from 1. */
  play(step: Step, number: number): Play;
}

/**
 * Runs steps until one fails.
 * @param anyWindow Whether steps go on in a window that no step waited for.
 * @param play Makes the parts of a step.
 */
export async function runSteps(
  steps: readonly Step[],
  context: ToolContext,
  anyWindow: boolean,
  play: Running["play"],
): Promise<Outcome> {
  const outcome: Outcome = { lines: [], done: 0, isStopped: false, regions: [], pictures: [] };
  const guard = await StepGuard.begin(context.operator, anyWindow);
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

/** Runs a part of a step. @returns Its answer, or why it was not done. */
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

/** Notes what a part changed, and tells of windows and of a miss. */
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
