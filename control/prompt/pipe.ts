/** Reads commands from a pipe or a file. */

import { TextLineStream } from "@std/streams/text-line-stream";
import type { Shell } from "./shell.ts";

/** Why reading ended. */
export type InputEnd = "quit" | "end of input";

/**
 * Reads standard input, a command a line, until its end; errors name the line. An input that cannot be read any further
 * has ended, which counts as a failure: nohup(1) leaves one that cannot be read at all.
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
