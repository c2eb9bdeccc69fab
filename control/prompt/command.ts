/** Rows of the table of prompt commands, and how an action becomes a command. */

import { describeFileError, InputError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Action, ActionOutput, AnyAction, Effect, ResultOf } from "../actions/action.ts";
import type { ActionRunner } from "../actions/runner.ts";
import { verdictText } from "../operator/calls.ts";
import { type Fields, parseFields, type Values } from "../schema/schema.ts";

/** The form of `expect looks`, which the prompt and `deskhand do` take. */
export const EXPECT_USAGE = "expect looks <file> [window=<title>] [element=<name>] [<field>=<value> ...]";

/** Description of a server, printed at its start and again at the prompt. */
export interface ServerAbout {
  /** Describes where the server is, and how it is reached, in lines. */
  about(): Promise<string>;
  /** Calls that the server takes, one a line; left out if it has no list. */
  calls?(): string;
}

export interface CommandContext {
  /** @throws NoDesktopError where there is no desktop. */
  readonly runner: ActionRunner;
  /** A signal that is aborted when the person presses Ctrl-C while the command runs. */
  signal: AbortSignal;
  by: "prompt";
  /** Shows a notice, apart from results. */
  notice(text: string): void;
  /** The servers that run beside the prompt. */
  servers?: readonly ServerAbout[];
  /** Asks the person; undefined where there is no terminal (a pipe, `-c`). */
  confirm?: (question: string) => Promise<boolean>;
  /** Whether the prompt reports the verdict of an action that is no hit. */
  isObserved?: boolean;
}

/** The groups of a command's pattern; undefined where one took no part. */
type Args = (string | undefined)[];

/** The form of a command. Parsing, `help`, completion and the documents derive from it. */
interface Syntax {
  /** The letters that the command begins with. */
  name: string;
  /** The form of the command, for help and errors. */
  usage: string;
  /** An example of a correct line, for error messages. */
  example: string;
  /** One line for help. */
  summary: string;
  /** The whole line, without blanks around it; its groups are the arguments. */
  pattern: RegExp;
  /** Whether the command's argument is the path of a file, for completion. */
  takesFile?: boolean;
  /** Whether a line that a person types runs at once, beside the line that runs already. */
  immediate?: boolean;
}

/**
 * The form of a command without arguments: its words are its usage and its example.
 * @example
 * plain("trace stop").pattern.test("trace  stop"); // true
 */
export function plain(words: string): Pick<Syntax, "name" | "usage" | "example" | "pattern"> {
  const pattern = new RegExp(`^${words.replace(" ", "\\s+")}$`);
  return { name: words.split(" ")[0], usage: words, example: words, pattern };
}

/** A row of the table. */
export interface Command extends Syntax {
  /** Decides whether the command is open under `--read-only`. */
  effect: Effect;
  /** @returns The text for standard output, if any. */
  run(args: Args, context: CommandContext): Promise<string | void>;
}

/** The actions whose effect a person expects to see. */
const OBSERVED = new Set(["click", "drag", "scroll", "key", "type", "clickOnElement", "clickText"]);

/** Reads or writes a file. @throws InputError that names the file and the reason. */
export function onFile<T>(what: "read" | "write", path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const reason = describeFileError(error);
    throw new InputError(`cannot ${what} ${printable(path, 80)}: ${reason}`, { cause: error });
  }
}

/** Thrown by a command to end the prompt. */
export class Quit extends Error {}

/**
 * Makes the command of an action.
 * @param values Translates the arguments into the action's values, which are checked like those of a request.
 * @param print Translates the action's result into text to print; if left out, nothing is printed.
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
  values: (args: Args) => Record<string, unknown>,
  print?: (result: ResultOf<O>, args: Args) => string,
): Command {
  return {
    ...syntax,
    summary: syntax.summary ?? lowerFirst(action.summary),
    effect: action.effect,
    async run(args, context) {
      const { runner, isObserved } = context, checkedValues = checked<I>(action, () => values(args), context);
      const { result, seen } = isObserved && OBSERVED.has(action.name)
        ? await runner.observe(action, checkedValues, context)
        : { result: await runner.run(action, checkedValues, context), seen: undefined };
      if (seen && seen.verdict !== "hit") context.notice(verdictText(seen));
      return print?.(result, args);
    },
  };
}

/** Translates and checks the arguments; a trace notes refused arguments. */
function checked<I extends Fields>(
  action: Action<I, ActionOutput>,
  values: () => Record<string, unknown>,
  context: CommandContext,
): Values<I> {
  try {
    return parseFields(action.input, values());
  } catch (error) {
    context.runner.calls.refused(action as AnyAction, context, error);
    throw error;
  }
}

/** An action's summary as a line of help. */
function lowerFirst(summary: AnyAction["summary"]): string {
  return summary[0].toLowerCase() + summary.slice(1);
}
