/** Runs a command line as xdotool would. */

import { commandOf, helpText, runChain } from "./chain.ts";
import { Context, OptionReader } from "./context.ts";
import type { DesktopTarget } from "./desktop_target.ts";
import { type Printer, VERSION } from "./output.ts";
import { fileError, linesOf, ScriptError, scriptWords } from "./script.ts";

/** The parts of a run that differ between the program and tests. */
export interface Run {
  /** The name by which the program was started. */
  program: string;
  print: Printer;
  /** Opens the desktop; gives undefined, with a message printed, if there is none. */
  open(print: Printer): Promise<DesktopTarget | undefined>;
}

/** The word of `mousemove` for the place before. */
const RESTORE = "restore";
const OPTIONS = { letters: "+hv", names: ["help", "version"] };

/**
 * Runs a command line.
 * @param words Those behind the program's name.
 * @returns The exit code.
 */
export async function runXdotool(words: string[], run: Run): Promise<number> {
  const [first] = words;
  const isScript = first !== undefined && !commandOf(first) &&
    (first === "-" || isThere(first));
  if (isScript) return await runScript(words, run);
  const { program, print } = run, usage = `Usage: ${program} <cmd> <args>`;
  if (first === undefined) {
    print.err(usage);
    print.out(helpText());
    return 1;
  }
  const reader = new OptionReader([program, ...words], OPTIONS);
  for (let given = reader.next(); given !== undefined; given = reader.next()) {
    if (typeof given === "string") {
      print.err(`${program}: ${given}\n${usage}`);
      return 1;
    }
    const isHelp = given.option.startsWith("h");
    print.out(isHelp ? helpText() : `xdotool version ${VERSION}`);
    return 0;
  }
  const target = await opened(run);
  if (!target) return 1;
  const context = contextOf(run, target, words);
  context.mayRestore = words.includes(RESTORE);
  context.isWhole = true;
  const code = await runChain(context);
  await target.close();
  return code;
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

async function opened({ print, open }: Run): Promise<DesktopTarget | undefined> {
  const target = await open(print);
  if (!target) print.err("Failed creating new xdo instance");
  return target;
}

/** Makes the state of a chain. */
function contextOf({ program, print }: Run, target: DesktopTarget, words: string[]): Context {
  return new Context(program, target, print, (word) => commandOf(word) !== undefined, words);
}

/**
 * Whether `mousemove restore` may need the pointer's place before a line. The place is needed before a later
 * line with `restore`, or with an argument that may stand for it, and before the last line that moves the pointer,
 * since `restore` may stand in lines that arrive later.
 */
function restores(lines: readonly string[]): (at: number) => boolean {
  const last = lines.findLastIndex((line) => /mousemove/i.test(line));
  const isHere = lines.some((line) => line.includes(RESTORE) || line.includes("$"));
  return (at) => isHere || at === last;
}

/**
 * Each line of a script is a chain of commands. A chain runs even if an earlier chain failed; the exit code of the last
 * chain is that of the script.
 */
async function runScript([path, ...values]: string[], run: Run): Promise<number> {
  const { program, print } = run;
  let file: { readSync(bytes: Uint8Array): number | null };
  try {
    file = path === "-" ? Deno.stdin : Deno.openSync(path);
  } catch (error) {
    print.err(`Failure opening '${path}': ${fileError(error)}`);
    return 1;
  }
  const target = await opened(run);
  if (!target) return 1;
  const context = contextOf(run, target, []);
  const given = { program, path, values, env: (name: string) => Deno.env.get(name) };
  let code = 0;
  try {
    for (const lines of linesOf(file)) {
      const isRestored = restores(lines);
      for (const [at, line] of lines.entries()) {
        const words = scriptWords(line, given);
        if (!words.length) continue;
        context.words = words;
        context.mayRestore = isRestored(at);
        code = await runChain(context);
      }
    }
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    print.err(error.message);
    code = 1;
  }
  await target.close();
  return code;
}
