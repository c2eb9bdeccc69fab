/** Chooses where prompt commands come from: `-c`, a terminal or a pipe. */

import { splitCommands } from "../control/prompt/commands.ts";
import { openHistory } from "../control/prompt/history.ts";
import { readPipe } from "../control/prompt/pipe.ts";
import type { Shell } from "../control/prompt/shell.ts";
import { readTerminal } from "../control/prompt/terminal.ts";

/**
 * Runs the commands of `-c`, or reads commands until the person leaves or the input ends.
 * @param commands What `-c` gave; if empty, standard input is read.
 * @param serving Whether a server listens: then the end of a pipe does not end the program.
 * @returns The exit code: 1 if a command failed that did not come from a terminal.
 */
export async function runPrompt(shell: Shell, commands: string[], serving: boolean): Promise<number> {
  const terminal = Deno.stdin.isTerminal() && !commands.length;
  if (commands.length) {
    for (const line of commands.flatMap(splitCommands)) {
      if (await shell.run(line) === "quit") break;
    }
  } else if (terminal) {
    await readTerminal(shell, openHistory(shell.options.output.notice));
  } else if (await readPipe(shell) === "end of input" && serving) {
    await new Promise(() => {});
  }
  return shell.failures && !terminal ? 1 : 0;
}
