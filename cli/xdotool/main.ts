/** `deskhand xdotool`: runs a command line as xdotool would, as a chain of commands on the chosen desktop. */

import { attempt, ExpectedError, on, UnsupportedError } from "../../core/errors.ts";
import { findRunning } from "../running.ts";
import { COMMAND_NAMES, REFUSED_NAMES, type XdotoolCall } from "./call.ts";
import { KEYBOARD } from "./commands/keyboard.ts";
import { MOUSE } from "./commands/mouse.ts";
import { OTHERS, QUERIES, SEARCH } from "./commands/queries.ts";
import { WINDOWS } from "./commands/windows.ts";
import { type Command, Context, OptionReader } from "./context.ts";
import type { Calls, DesktopTarget } from "./desktop_target.ts";
import { type Printer, STREAMS, VERSION } from "./output.ts";
import { fileError, linesOf, ScriptError, scriptWords } from "./script.ts";
import { usageOf } from "./usage.ts";

/** The exit code that a shell reports for a program that wrote to a closed pipe: 128 plus SIGPIPE. */
const BROKEN_PIPE = 141;

/**
 * Runs a call of xdotool.
 * @returns The exit code, which is xdotool's; 2 for an unknown desktop.
 */
export async function main(call: XdotoolCall): Promise<number> {
  const { program, words, desktop = "auto" } = call;
  if (desktop !== "auto") {
    const { DESKTOP_CHOICES } = await import("../../ffi/open.ts");
    if (!(DESKTOP_CHOICES as readonly string[]).includes(desktop)) {
      STREAMS.err(`deskhand: --desktop takes ${DESKTOP_CHOICES.join(", ")}, not ${JSON.stringify(desktop)}`);
      return 2;
    }
  }
  return await runXdotool(words, {
    program,
    print: STREAMS,
    open: (print) => open({ ...call, desktop }, print),
  }).catch(on(Deno.errors.BrokenPipe, BROKEN_PIPE));
}

/** Finds the running deskhand for the desktop of `--desktop`, or opens the desktop. */
async function open(call: Required<XdotoolCall>, print: Printer): Promise<DesktopTarget | undefined> {
  const { desktop, program } = call;
  const url = Deno.env.get("DESKHAND_URL");
  if (url) {
    const token = Deno.env.get("DESKHAND_TOKEN") || undefined,
      { CallsOverHttp } = await import("./calls_http.ts");
    return await targetOf(CallsOverHttp.anywhere({ url: url.replace(/\/+$/, ""), token }), call, print);
  }
  const calls = await callsOfRunning(desktop);
  if (calls) return await targetOf(calls, call, print);
  try {
    return await openedHere(call, print);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    print.err(`${program}: ${error.message}`);
    return undefined;
  }
}

/** Calls to a running deskhand that has a desktop; undefined if there is none. */
async function callsOfRunning(desktop: string): Promise<Calls | undefined> {
  const running = findRunning(desktop);
  if (!running) return undefined;
  const { callsOf } = await import("./calls_http.ts");
  return callsOf(running);
}

/** A desktop on which deskhand actions run. */
async function targetOf(calls: Calls, { words }: XdotoolCall, print: Printer): Promise<DesktopTarget> {
  const { DesktopTarget } = await import("./desktop_target.ts");
  const isScript = words.length > 0 && !commandOf(words[0]);
  if (isScript || words.some((word) => HOLD_WORD.test(word))) await releaseOnSignals(calls);
  return new DesktopTarget(calls, print);
}

/** The commands that press keys, and those that hold keys or buttons while others run. */
const KEY_WORD = /^(?:key|keydown|keyup|type)$/i, HOLD_WORD = /^(?:keydown|mousedown|type)$/i;
/** The signals of a terminal that closes, of Ctrl-C, of Ctrl-\ and of kill(1), with their numbers. */
const END_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 } as const;
/** Maximum time that an end waits for the releases, in milliseconds. */
const LET_GO_MS = 500;

/** Releases what the calls hold before a signal stops or ends the program. */
async function releaseOnSignals(calls: Calls): Promise<void> {
  if (Deno.build.os === "windows") return;
  const [{ JOB }, { isIgnored }, { within }] = await Promise.all([
    import("../../core/job.ts"),
    import("../../core/lifetime.ts"),
    import("../../core/until.ts"),
  ]);
  JOB.beforeStop((continued) => calls.letGo(continued));
  for (const [name, number] of Object.entries(END_SIGNALS)) {
    if (isIgnored(number)) continue;
    const signal = name as keyof typeof END_SIGNALS;
    const end = async () => {
      await within(LET_GO_MS, calls.letGo(new Promise(() => {})).catch(() => {}));
      Deno.removeSignalListener(signal, end);
      Deno.kill(Deno.pid, signal); // a shell's script also ends only if the signal ends this program
    };
    Deno.addSignalListener(signal, end);
  }
}

async function openedHere(call: Required<XdotoolCall>, print: Printer) {
  const { program, words, desktop: name } = call;
  const { openDesktop } = await import("../../ffi/open.ts");
  const notice = (text: string) => print.err(`${program}: ${text}`);
  const desktop = await openDesktop(name as Parameters<typeof openDesktop>[0], notice, {
    hasKeys: words.some((word) => KEY_WORD.test(word)),
  });
  const { CallsHere } = await import("./calls_here.ts");
  return await targetOf(new CallsHere(desktop), call, print);
}

/** Dependencies that tests replace. */
interface Run {
  /** The name by which the program was started. */
  program: string;
  print: Printer;
  /** Opens the desktop; returns undefined, with a message printed, if there is none. */
  open(print: Printer): Promise<DesktopTarget | undefined>;
}

/** The word with which `mousemove` returns to the previous position. */
const RESTORE = "restore";
const OPTIONS = { letters: "+hv", names: ["help", "version"] };

/**
 * Runs a command line.
 * @param words The words after the program's name.
 * @returns The exit code.
 */
export async function runXdotool(words: string[], run: Run): Promise<number> {
  const [first] = words;
  const isScript = first !== undefined && !commandOf(first) &&
    (first === "-" || attempt(() => Deno.statSync(first)) !== undefined);
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
  try {
    return await runChain(context);
  } finally {
    await target.close(); // releases what is held
  }
}

async function opened({ print, open }: Run): Promise<DesktopTarget | undefined> {
  const target = await open(print);
  if (!target) print.err("Failed creating new xdo instance");
  return target;
}

/** Creates a chain's state. */
function contextOf({ program, print }: Run, target: DesktopTarget, words: string[]): Context {
  return new Context(program, target, print, (word) => commandOf(word) !== undefined, words);
}

/**
 * Whether `mousemove restore` may need the pointer position before a line. The position is needed before a
 * later line with `restore`, or with an argument that may stand for it, and before the last line that moves
 * the pointer, because lines that arrive later may contain `restore`.
 */
function restores(lines: readonly string[]): (at: number) => boolean {
  const last = lines.findLastIndex((line) => /mousemove/i.test(line));
  const isHere = lines.some((line) => line.includes(RESTORE) || line.includes("$"));
  return (at) => isHere || at === last;
}

/**
 * Each line of a script is a chain of commands. A chain runs even if an earlier one failed; the script's exit
 * code is that of the last chain.
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
  } finally {
    await target.close();
  }
  return code;
}

// The command table. `help` lists commands in this order.

const HELP: Command = {
  name: "help",
  run(context) {
    context.print.out(helpText());
    return 0;
  },
};

const REFUSED: readonly Command[] = REFUSED_NAMES.map((name) => ({
  name,
  run() {
    throw new UnsupportedError("deskhand does not support this command; on X11, use xdotool itself");
  },
}));

const BY_NAME = new Map(
  [...QUERIES, SEARCH, HELP, ...MOUSE, ...KEYBOARD, ...WINDOWS, ...OTHERS, ...REFUSED]
    .map((command) => [command.name, command]),
);

/** Finds a command by name, ignoring case. */
function commandOf(word: string): Command | undefined {
  return BY_NAME.get(word.toLowerCase());
}

/** The list that `help` prints. */
function helpText(): string {
  return ["Available commands:", ...COMMAND_NAMES.map((name) => `  ${name}`)].join("\n");
}

/** Runs the commands in the context's words until one fails. @returns The exit code of the last command. */
async function runChain(context: Context): Promise<number> {
  while (context.words.length) {
    const [name] = context.words, command = commandOf(name);
    if (!command) {
      context.print.err(
        `${context.program}: Unknown command: ${name}\n` +
          `Run '${context.program} help' if you want a command list`,
      );
      return 1;
    }
    const code = await runCommand(command, context, name);
    if (code) return code;
  }
  return 0;
}

async function runCommand(command: Command, context: Context, name: string): Promise<number> {
  const usage = usageOf(command.name, name), options = new Map<string, string>();
  if (command.options) {
    const reader = new OptionReader(context.words, command.options);
    for (let given = reader.next(); given !== undefined; given = reader.next()) {
      const option = typeof given === "string" ? undefined : optionOf(command, given.option);
      if (option === undefined) {
        if (typeof given === "string") context.print.err(`${name}: ${given}`);
        command.wrong?.(context);
        context.print.err(usage);
        return 1;
      }
      if (option === "help") {
        context.print.out(usage);
        context.consume(context.words.length);
        return 0;
      }
      const { value } = given as Exclude<typeof given, string>;
      const code = command.given?.(context, option, value, usage);
      if (code !== undefined) return code;
      options.delete(option); // so that the option given last is the last in the map
      options.set(option, value);
    }
    context.consume(reader.taken);
  } else context.consume(1);
  try {
    return await command.run(context, options, usage, name);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    context.print.err(`${context.program}: ${name}: ${error.message}`);
    return 1;
  }
}

/** An option's name, also for its letter. */
function optionOf({ letters }: Command, option: string): string | undefined {
  return option.length > 1 ? option : letters?.[option];
}
