/** `deskhand do`: runs steps on a running deskhand's desktop, like the agents' tool `act`. */

import { checkLooks, type Expectation, expectationIn } from "../control/prompt/baselines.ts";
import { InputError, StateError, UsageError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
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
  const call = apiOf(settings, { "user-agent": "deskhand do" }), expectations = lines.map(expectationIn);
  for (let from = 0; from < lines.length;) {
    const expectation = expectations[from], next = expectations.findIndex((one, i) => one && i >= from);
    const to = expectation ? from + 1 : next < 0 ? lines.length : next;
    const failure = expectation
      ? await lookFailure(expectation, call)
      : await stepsFailure(lines.slice(from, to), call, output);
    if (failure !== undefined) {
      output.notice(`deskhand: ${failure}`);
      return FAILED;
    }
    from = to;
  }
  return 0;
}

type Call = ReturnType<typeof apiOf>;

/** Runs steps and prints what they did. @returns Why one failed. */
async function stepsFailure(
  lines: readonly string[],
  call: Call,
  output: Output,
): Promise<string | undefined> {
  const files: string[] = [];
  const steps = lines.map((line) => {
    const [, step, file] = TO_FILE.exec(line) ?? [];
    if (file === undefined) return line;
    files.push(file);
    return step;
  });
  const response = await call("POST", "/api/steps", { steps });
  const { text, error, images = [] } = await response.json() as Answer;
  if (text !== undefined) output.result(text);
  for (const [i, file] of files.entries()) {
    if (images[i] === undefined) continue;
    await Deno.writeFile(file, Uint8Array.fromBase64(images[i]));
    output.notice(`${file} has the picture`);
  }
  return response.ok ? undefined : error;
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
