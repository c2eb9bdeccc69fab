/** The table of commands. `help` lists them in this order. */

import type { Command } from "./command.ts";
import { BEHAVIOURS } from "./commands/behave.ts";
import { DESKTOPS } from "./commands/desktops.ts";
import { KEYBOARD } from "./commands/keyboard.ts";
import { MOUSE } from "./commands/mouse.ts";
import { OTHERS } from "./commands/others.ts";
import { QUERIES } from "./commands/queries.ts";
import { SEARCH } from "./commands/search.ts";
import { SET_WINDOW } from "./commands/set_window.ts";
import { WINDOWS } from "./commands/windows.ts";
import { COMMAND_NAMES } from "./names.ts";
import type { CommandNames } from "./target.ts";

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

/** Every command, in the order of help. */
export const COMMANDS: readonly Command[] = COMMAND_NAMES.map((name) => BY_NAME.get(name)!);

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
