/** Runs chains of commands. */

import { ExpectedError } from "../../core/errors.ts";
import { KEYBOARD } from "./commands/keyboard.ts";
import { MOUSE } from "./commands/mouse.ts";
import { BEHAVIOURS, OTHERS, QUERIES, SEARCH } from "./commands/queries.ts";
import { DESKTOPS, SET_WINDOW, WINDOWS } from "./commands/windows.ts";
import { type Command, Context, OptionReader, OPTIONS_OF_INPUT } from "./context.ts";
import { COMMAND_NAMES } from "./names.ts";
import type { Printer } from "./output.ts";
import type { StepCommand } from "./steps.ts";
import type { CommandNames, Target } from "./target.ts";
import { usageOf } from "./usage.ts";

// The table of commands. `help` lists them in this order.

/** Commands that a version of xdotool may lack. */
interface Versioned {
  readonly lacks: CommandNames;
}

const HELP: Command = {
  name: "help",
  run(context) {
    context.print.out(helpText(context.target));
    return 0;
  },
};

const BY_NAME = new Map(
  [
    ...QUERIES,
    SEARCH,
    HELP,
    ...BEHAVIOURS,
    ...MOUSE,
    ...KEYBOARD,
    SET_WINDOW,
    ...WINDOWS,
    ...DESKTOPS,
    ...OTHERS,
  ].map((command) => [command.name, command]),
);

/** Finds a command by its name in any case. */
export function commandOf(word: string, { lacks }: Versioned): Command | undefined {
  const name = word.toLowerCase();
  return lacks.has(name) ? undefined : BY_NAME.get(name);
}

/** The list that `help` prints. */
export function helpText({ lacks }: Versioned): string {
  const names = COMMAND_NAMES.filter((name) => !lacks.has(name));
  return ["Available commands:", ...names.map((name) => `  ${name}`)].join("\n");
}

/** Makes the state of a chain. */
export function startChain(program: string, target: Target, print: Printer, words: string[]): Context {
  const isCommand = (word: string) => commandOf(word, target) !== undefined;
  return new Context(program, target, print, isCommand, runChain, words);
}

/** Runs the commands in the context's words until one fails. @returns The code of the last command. */
export async function runChain(context: Context): Promise<number> {
  const code = await runLine(context);
  return await hasFailed(() => context.target.steps?.send()) ? 1 : code;
}

/**
 * Runs a chain as {@linkcode runChain} does, except that the last input may still wait to be sent.
 * @returns The code, which is 1 if that input fails.
 */
export async function runLine(context: Context): Promise<number> {
  const chain = {}, { target: { steps }, print } = context;
  while (context.words.length) {
    const [name] = context.words, command = commandOf(name, context.target);
    const report: StepCommand["report"] = (error) => printError(context.program, name, error, print);
    steps?.begin({ chain, report });
    if (!command?.isInput && await hasFailed(() => steps?.settle())) return 1;
    if (!command) {
      print.err(
        `${context.program}: Unknown command: ${name}\n` +
          `Run '${context.program} help' if you want a command list`,
      );
      return 1;
    }
    const code = steps?.isOpen
      ? await printingLate(context, () => runCommand(command, context, name))
      : await runCommand(command, context, name);
    if (code) return code;
  }
  return 0;
}

/** Sends delayed input, and tells whether input of the running chain has failed. */
export async function hasFailed(send: () => Promise<void> | undefined): Promise<boolean> {
  try {
    await send();
    return false;
  } catch (error) {
    if (isChainFailed(error)) return true;
    throw error;
  }
}

/**
 * Runs a command, and prints its messages only when earlier input is done. If that input has failed, the chain ends.
 */
async function printingLate(context: Context, run: () => Promise<number>): Promise<number> {
  const { print, target: { steps } } = context, messages: (() => void)[] = [];
  context.print = {
    out: (text) => messages.push(() => print.out(text)),
    err: (text) => messages.push(() => print.err(text)),
  };
  try {
    const code = await run();
    if (messages.length && await hasFailed(() => steps?.settle())) return 1;
    for (const message of messages) message();
    return code;
  } finally {
    context.print = print;
  }
}

function printError(program: string, name: string, { message }: Error, print: Printer): void {
  print.err(`${program}: ${name}: ${message}`);
}

/** The name of a ChainFailedError, whose module is loaded only if a deskhand is running. */
const CHAIN_FAILED = "ChainFailedError";
const isChainFailed = (error: unknown) => error instanceof Error && error.name === CHAIN_FAILED;

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
      options.delete(option); // so that the option given last stands last
      options.set(option, value);
    }
    context.consume(reader.taken);
  } else context.consume(1);
  const asks = [...options.keys()].some((option) => !OPTIONS_OF_INPUT.includes(option));
  try {
    if (asks) await context.target.steps?.settle();
    return await command.run(context, options, usage, name);
  } catch (error) {
    if (isChainFailed(error)) return 1;
    if (!(error instanceof ExpectedError)) throw error;
    printError(context.program, name, error, context.print);
    return 1;
  }
}

/** The name of an option, also where its letter is given. */
function optionOf({ letters, refused }: Command, option: string): string | undefined {
  if (refused?.includes(option)) return undefined;
  return option.length > 1 ? option : letters?.[option];
}
