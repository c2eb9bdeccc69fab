/** `deskhand do`: runs steps on a running deskhand's desktop, like the agents' tool `act`. */

import { checkLooks, type Expectation, expectationIn } from "../control/prompt/baselines.ts";
import { describeFileError, InputError, StateError, UsageError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import { printable } from "../core/printable.ts";
import type { Settings } from "./option_table.ts";
import { apiOf } from "./own_server.ts";

/** The response of `POST /api/steps`. */
interface Answer {
  text?: string;
  error?: string;
  /** PNG files in base64. */
  images?: string[];
}

/** The end of a step that takes a screenshot: the file to save it to. */
const TO_FILE = /^(\s*see\b.*?)\s+to=(\S+)\s*$/s;
/** The exit code for failed steps. */
const FAILED = 1;

/**
 * Runs `deskhand do`.
 * @param words The steps, such as `click "Save"`; if there are none, they are read from standard input, one
 * per line.
 * @returns The exit code: 1 if a step failed.
 * @throws UsageError if no deskhand answers, or there are no steps.
 */
export async function runDo(words: readonly string[], settings: Settings, output: Output): Promise<number> {
  const lines = words.length ? words : await linesOfInput();
  if (!lines.length) {
    throw new UsageError("do takes steps, such as: deskhand do 'click \"Save\"' 'key ctrl+q'");
  }
  const call = apiOf(settings, { "user-agent": "deskhand do" });
  for (const group of groupsOf(lines)) {
    const [line] = group, expectation = expectationIn(line), [, look, file] = TO_FILE.exec(line) ?? [];
    const failure = expectation
      ? await lookFailure(expectation, call)
      : file === undefined
      ? (await ran(group, call, output)).error
      : await pictureFailure(look, file, call, output);
    if (failure !== undefined) {
      output.notice(`deskhand: ${failure}`);
      return FAILED;
    }
  }
  return 0;
}

/** Groups steps into requests: an expectation, and a picture for a file, each have their own. */
function groupsOf(lines: readonly string[]): string[][] {
  const groups: string[][] = [];
  let isOpen = false;
  for (const line of lines) {
    const isAlone = expectationIn(line) !== undefined || TO_FILE.test(line);
    if (isOpen && !isAlone) groups.at(-1)!.push(line);
    else groups.push([line]);
    isOpen = !isAlone;
  }
  return groups;
}

type Call = ReturnType<typeof apiOf>;

/**
 * Runs steps and prints what they did, without the line about a failed step: the caller prints its error.
 * @returns The answer, whose `error` is why a step failed.
 */
async function ran(steps: readonly string[], call: Call, output: Output): Promise<Answer> {
  const answer = await (await call("POST", "/api/steps", { steps })).json() as Answer,
    { text, error } = answer;
  if (text !== undefined) output.result(`${text}\n`.replace(`\n${error}\n`, "\n").slice(0, -1));
  return answer;
}

/** Saves the picture that a step takes to a file. @returns Why that failed. */
async function pictureFailure(
  step: string,
  file: string,
  call: Call,
  output: Output,
): Promise<string | undefined> {
  const { error, images } = await ran([step], call, output), name = printable(file);
  if (error !== undefined) return error;
  if (!images) {
    return `${name} was not written: only a step that takes a picture, such as see picture, has to=`;
  }
  try {
    await Deno.writeFile(file, Uint8Array.fromBase64(images[0]));
  } catch (error) {
    return `cannot write ${name}: ${describeFileError(error)}`;
  }
  output.notice(`${name} has the picture`);
}

/** Compares the screen with a baseline file on this machine. @returns How they differ. */
async function lookFailure(expectation: Expectation, call: Call): Promise<string | undefined> {
  try {
    await checkLooks(expectation, async (png, fields) => {
      const words = Object.entries(fields).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      const response = await call("POST", `/api/compare?${new URLSearchParams(words)}`, png);
      const answer = await response.json();
      if (!response.ok) throw new InputError(answer.error);
      return answer;
    });
  } catch (error) {
    if (error instanceof StateError || error instanceof InputError) return error.message;
    throw error;
  }
}

async function linesOfInput(): Promise<string[]> {
  if (Deno.stdin.isTerminal()) return [];
  const text = await new Response(Deno.stdin.readable).text();
  return text.split("\n").filter((line) => line.trim() && !line.trimStart().startsWith("#"));
}
