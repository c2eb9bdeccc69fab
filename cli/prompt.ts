/**
 * Chooses the source of prompt commands: `-c`, a terminal or a pipe. The reader of each source is loaded when it is
 * needed.
 */

import type { Shell } from "../control/prompt/shell.ts";
import { fillLines } from "../core/printable.ts";
import { terminalColumns } from "../core/output.ts";
import { VERSION } from "../core/version.ts";
import type { Settings } from "./option_table.ts";

/**
 * Runs the commands of `-c`, or reads commands until the person leaves or the input ends.
 * @param commands The commands of `-c`; if empty, standard input is read.
 * @param serving Whether a server listens. If so, the end of a pipe does not end the program.
 * @returns The exit code: 1 if a command failed that did not come from a terminal.
 */
export async function runPrompt(shell: Shell, commands: string[], serving: boolean): Promise<number> {
  if (commands.length) {
    const { splitCommands } = await import("../control/prompt/commands.ts");
    for (const line of commands.flatMap(splitCommands)) {
      if (await shell.run(line) === "quit") break;
    }
  } else if (Deno.stdin.isTerminal()) {
    const { openHistory } = await import("../control/prompt/history.ts");
    const { readTerminal } = await import("../control/prompt/terminal.ts");
    shell.options.output.notice(wrapped(greeting(serving)));
    await readTerminal(shell, openHistory(shell.options.output.notice));
    return 0;
  } else {
    const { readPipe } = await import("../control/prompt/pipe.ts");
    if (await readPipe(shell) === "end of input" && serving) await new Promise(() => {});
  }
  return shell.failures ? 1 : 0;
}

/** Three things to try at the prompt, where the desktop is the virtual one and a person reads. */
export function suggestion({ desktop, command }: Settings): string | undefined {
  if (desktop !== "virtual" || command.length || !Deno.stdin.isTerminal()) return undefined;
  return wrapped('Try: t Hello (types into Notes), el (lists its controls), find "Orders" click.');
}

/** Breaks a line between words at the terminal's width. */
function wrapped(line: string): string {
  return fillLines(line.split(" "), terminalColumns() ?? Infinity).join("\n");
}

/** Makes the text above the first prompt on a terminal. */
function greeting(serving: boolean): string {
  return serving
    ? "help lists commands, help api the calls; status says this again; quit stops."
    : `deskhand ${VERSION}: help lists the commands; with --http it serves the control API.`;
}
