/** Rows of the table of prompt commands, and the conversion of actions to commands. */

import { describeFileError, InputError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Action, ActionOutput, AnyAction, Effect, ResultOf } from "../actions/action.ts";
import type { ActionRunner } from "../actions/runner.ts";
import { verdictText } from "../operator/calls.ts";
import { type Fields, parseFields, type Values } from "../schema/schema.ts";

/** The syntax of `expect looks` for the prompt and `deskhand do`. */
export const EXPECT_USAGE = "expect looks <file> [window=<title>] [element=<name>] [<field>=<value> ...]";

/** A server's description, printed at its start and again at the prompt. */
export interface ServerAbout {
  /** Describes where the server is and how to reach it, in lines. */
  about(): Promise<string>;
  /** Calls that the server accepts, one per line; left out if it has no list. */
  calls?(): string;
}

export interface CommandContext {
  /** @throws NoDesktopError if there is no desktop. */
  readonly runner: ActionRunner;
  /** Aborted when the person presses Ctrl-C while the command runs. */
  signal: AbortSignal;
  by: "prompt";
  /** Shows a notice, apart from results. */
  notice(text: string): void;
  /** The servers that run alongside the prompt. */
  servers?: readonly ServerAbout[];
  /** Asks the person; undefined without a terminal (a pipe, `-c`). */
  confirm?: (question: string) => Promise<boolean>;
  /** Whether the prompt reports an action's verdict unless it is a hit. */
  isObserved?: boolean;
}

/** The groups of a command's pattern; undefined for groups that did not match. */
type Args = (string | undefined)[];

/** A command's syntax. Parsing, `help`, completion and the documents derive from it. */
interface Syntax {
  /** The letters that the command starts with. */
  name: string;
  /** The command's form, for help and errors. */
  usage: string;
  /** An example line, for error messages. */
  example: string;
  /** One line for help. */
  summary: string;
  /** Matches the whole trimmed line; its groups are the arguments. */
  pattern: RegExp;
  /** Whether the command's argument is a file path, for completion. */
  takesFile?: boolean;
  /** Whether a typed line runs immediately, alongside the line already running. */
  immediate?: boolean;
}

/**
 * The syntax of a command without arguments: its words are both usage and example.
 * @example
 * plain("trace stop").pattern.test("trace  stop"); // true
 */
export function plain(words: string): Pick<Syntax, "name" | "usage" | "example" | "pattern"> {
  const pattern = new RegExp(`^${words.replace(" ", "\\s+")}$`);
  return { name: words.split(" ")[0], usage: words, example: words, pattern };
}

/** A row of the table. */
export interface Command extends Syntax {
  /** Determines whether the command is available under `--read-only`. */
  effect: Effect;
  /** @returns The text for standard output, if any. */
  run(args: Args, context: CommandContext): Promise<string | void>;
}

/** Actions whose effect a person expects to see. */
const OBSERVED = new Set(["click", "drag", "scroll", "key", "type", "clickOnElement", "clickText"]);

/**
 * Reads or writes a file that the person names, which may be on a share that hangs.
 * @param run Does it on other threads.
 * @throws InputError naming the file and the reason.
 */
export async function onFile<T>(what: "read" | "write", path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await (await import("../../core/disk.ts")).diskOf(path).run(run);
  } catch (error) {
    const reason = describeFileError(error);
    throw new InputError(`cannot ${what} ${printable(path, 80)}: ${reason}`, { cause: error });
  }
}

/** Thrown by a command to end the prompt. */
export class Quit extends Error {}

/**
 * Makes an action's command.
 * @param values Converts the arguments to the action's values, which are checked like those of a request.
 * @param print Converts the action's result to text; if left out, nothing is printed.
 * @example
 * actionCommand(ACTIONS.key, {
 *   name: "k",
 *   usage: "k <keys>",
 *   example: "k ctrl+shift+t",
 *   pattern: /^k\s+(\S+)$/u,
 * }, ([keys]) => ({ keys }));
 */
export function actionCommand<I extends Fields, O extends ActionOutput>(
  action: Action<I, O>,
  syntax: Omit<Syntax, "summary"> & { summary?: string },
  values: (args: Args) => Record<string, unknown> | Promise<Record<string, unknown>>,
  print?: (result: ResultOf<O>, args: Args) => string,
): Command {
  return {
    ...syntax,
    summary: syntax.summary ?? lowerFirst(action.summary),
    effect: action.effect,
    async run(args, context) {
      const { runner, isObserved } = context;
      const checkedValues = await checked<I>(action, () => values(args), context);
      const { result, seen } = isObserved && OBSERVED.has(action.name)
        ? await runner.observe(action, checkedValues, context)
        : { result: await runner.run(action, checkedValues, context), seen: undefined };
      if (seen && seen.verdict !== "hit") context.notice(verdictText(seen));
      return print?.(result, args);
    },
  };
}

/** Converts and checks the arguments; a trace records rejected arguments. */
async function checked<I extends Fields>(
  action: Action<I, ActionOutput>,
  values: () => Record<string, unknown> | Promise<Record<string, unknown>>,
  context: CommandContext,
): Promise<Values<I>> {
  try {
    return parseFields(action.input, await values());
  } catch (error) {
    context.runner.calls.refused(action as AnyAction, context, error);
    throw error;
  }
}

/** Converts an action's summary to a line of help. */
function lowerFirst(summary: AnyAction["summary"]): string {
  return summary[0].toLowerCase() + summary.slice(1);
}
