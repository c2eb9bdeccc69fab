/** Runs chains of commands. */

import { ExpectedError, UnsupportedError } from "../../core/errors.ts";
import { KEYBOARD } from "./commands/keyboard.ts";
import { MOUSE } from "./commands/mouse.ts";
import { OTHERS, QUERIES, SEARCH } from "./commands/queries.ts";
import { WINDOWS } from "./commands/windows.ts";
import { type Command, type Context, OptionReader } from "./context.ts";
import { COMMAND_NAMES, REFUSED_NAMES } from "./names.ts";
import { usageOf } from "./usage.ts";

// The table of commands. `help` lists them in this order.

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

/** Finds a command by its name in any case. */
export function commandOf(word: string): Command | undefined {
  return BY_NAME.get(word.toLowerCase());
}

/** The list that `help` prints. */
export function helpText(): string {
  return ["Available commands:", ...COMMAND_NAMES.map((name) => `  ${name}`)].join("\n");
}

/** Runs the commands in the context's words until one fails. @returns The code of the last command. */
export async function runChain(context: Context): Promise<number> {
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
      options.delete(option); // so that the option given last stands last
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

/** The name of an option, also where its letter is given. */
function optionOf({ letters }: Command, option: string): string | undefined {
  return option.length > 1 ? option : letters?.[option];
}
