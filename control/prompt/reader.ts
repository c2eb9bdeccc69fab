/** Reads lines for the shell: from a terminal with editing, history and completion, or from a pipe. */

import { TextLineStream } from "@std/streams/text-line-stream";
import { nodeModule } from "../../core/lazy_node.ts";
import { COMMANDS, isImmediate } from "./commands.ts";
import type { Shell } from "./shell.ts";

/** Why reading from a pipe ended. */
export type InputEnd = "quit" | "end of input";

/**
 * Reads from a terminal until the person leaves. Ctrl-C cancels what runs, then clears the line, then leaves;
 * Ctrl-D leaves.
 */
export async function readTerminal(shell: Shell): Promise<void> {
  const history: string[] = [];
  do await readUntilLeft(shell, history); while (!shell.mayLeave());
}

/** @param history Lines that were read before, newest first; kept up to date. */
function readUntilLeft(shell: Shell, history: string[]): Promise<void> {
  const process = nodeModule("node:process");
  const lines = nodeModule("node:readline").createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: true,
    prompt: "> ",
    historySize: 1000,
    history: [...history],
    completer: complete,
  });
  /** Answers the question that is being asked, if one is, with no. */
  let refuse: (() => void) | undefined;
  const confirm = (question: string, signal: AbortSignal) =>
    new Promise<boolean>((resolve, reject) => {
      refuse = () => resolve(false);
      signal.addEventListener("abort", () => reject(signal.reason));
      lines.question(
        `${question} [y/N] `,
        { signal },
        (answer) => resolve(/^y(es)?$/i.test(answer.trim())),
      );
    }).finally(() => refuse = undefined);
  return new Promise((resolve) => {
    let turn = Promise.resolve();
    /** Lines that were typed ahead: the prompt is shown again after the last of them. */
    let waiting = 0;
    let isClosed = false;
    lines.on("line", (line) => {
      if (shell.busy && isImmediate(line)) return void shell.run(line, "", confirm);
      waiting++;
      turn = turn.then(async () => {
        const outcome = await shell.run(line, "", confirm);
        waiting--;
        if (outcome === "quit") lines.close();
        else if (!waiting && !isClosed) lines.prompt();
      });
    });
    lines.on("SIGINT", () => {
      if (shell.cancel()) return;
      if (lines.line) {
        lines.write(null, { ctrl: true, name: "e" });
        lines.write(null, { ctrl: true, name: "u" });
        return;
      }
      lines.close();
    });
    // node:readline pauses when the program is woken after Ctrl-Z, and leaves it to others to go on.
    lines.on("SIGCONT", () => lines.resume());
    lines.on("close", () => {
      isClosed = true;
      process.stdout.write("\n");
      if (!refuse) return resolve();
      refuse();
      turn.then(resolve); // what asked has ended by then
    });
    lines.on("history", (all) => history.splice(0, Infinity, ...all));
    lines.prompt();
  });
}

/**
 * Reads from a pipe or file, a command a line, until its end; errors name the line. What cannot be read any
 * further has ended, and that counts as a failure: nohup(1) leaves an input that cannot be read at all.
 */
export async function readPipe(shell: Shell): Promise<InputEnd> {
  let number = 0;
  const lines: ReadableStream<string> = Deno.stdin.readable
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream());
  try {
    for await (const line of lines) {
      number++;
      if (await shell.run(line, `line ${number}: `) === "quit") return "quit";
    }
  } catch (error) {
    shell.failed(`standard input cannot be read: ${(error as Error).message}`);
  }
  return "end of input";
}

/** Completion of command names, as node:readline wants it. */
export function complete(line: string): [string[], string] {
  const start = line.trimStart();
  const names = COMMANDS.map(({ name, usage }) => usage.startsWith(`${name} `) ? `${name} ` : name);
  const hits = names.filter((name) => name.startsWith(start));
  return [start && !hits.length ? [] : hits, start];
}
