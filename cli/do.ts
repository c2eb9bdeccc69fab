/** `deskhand do`: steps on the desktop of a deskhand that runs, as agents' tool `act` does them. */

import { UsageError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import type { Settings } from "./option_table.ts";
import { apiOf } from "./own_server.ts";

/** The answer of `POST /api/steps`. */
interface Answer {
  text?: string;
  error?: string;
  /** PNG files in base64. */
  images?: string[];
}

/** The end of a step that looks: the file of its picture. */
const TO_FILE = /^(\s*see\b.*?)\s+to=(\S+)\s*$/s;
/** The exit code of steps that failed. */
const FAILED = 1;

/**
 * Runs `deskhand do`.
 * @param words The steps, such as `click "Save"`; those of standard input, one on a line, if there are none.
 * @returns The exit code: 1 if a step failed.
 * @throws UsageError if no deskhand answers, or there is no step.
 */
export async function runDo(words: readonly string[], settings: Settings, output: Output): Promise<number> {
  const lines = words.length ? words : await linesOfInput();
  if (!lines.length) {
    throw new UsageError("do takes steps, such as: deskhand do 'click \"Save\"' 'key ctrl+q'");
  }
  const files: string[] = [];
  const steps = lines.map((line) => {
    const [, step, file] = TO_FILE.exec(line) ?? [];
    if (file === undefined) return line;
    files.push(file);
    return step;
  });
  const call = apiOf(settings, { "user-agent": "deskhand do" });
  const response = await call("POST", "/api/steps", { steps });
  const { text, error, images = [] } = await response.json() as Answer;
  if (text !== undefined) output.result(text);
  for (const [i, file] of files.entries()) {
    if (images[i] === undefined) continue;
    await Deno.writeFile(file, Uint8Array.fromBase64(images[i]));
    output.notice(`${file} has the picture`);
  }
  if (response.ok) return 0;
  output.notice(`deskhand: ${error}`);
  return FAILED;
}

async function linesOfInput(): Promise<string[]> {
  if (Deno.stdin.isTerminal()) return [];
  const text = await new Response(Deno.stdin.readable).text();
  return text.split("\n").filter((line) => line.trim() && !line.trimStart().startsWith("#"));
}
