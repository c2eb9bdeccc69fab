/** Reads commands from a pipe or a file. */

import { TextLineStream } from "@std/streams/text-line-stream";
import type { Shell } from "./shell.ts";

/** The most characters of a line: input without line ends, such as /dev/zero, must not fill the memory. */
const LINE_LIMIT = 1024 * 1024;

/** The reason why reading ended. */
export type InputEnd = "quit" | "end of input";

/**
 * Reads standard input, a command a line, until its end; errors name the line. An input that cannot be read any further
 * has ended, which counts as a failure: nohup(1) leaves one that cannot be read at all.
 */
export async function readPipe(shell: Shell): Promise<InputEnd> {
  let number = 0;
  const lines: ReadableStream<string> = Deno.stdin.readable
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(boundedLines(LINE_LIMIT))
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

/**
 * Passes text on.
 * @param limit Characters of a line.
 * @throws Error, as the stream's, at a longer line.
 */
function boundedLines(limit: number): TransformStream<string, string> {
  let length = 0;
  return new TransformStream({
    transform(text, controller) {
      const end = text.lastIndexOf("\n");
      length = end < 0 ? length + text.length : text.length - end - 1;
      if (length > limit) throw new Error(`a line has more than ${limit} characters`);
      controller.enqueue(text);
    },
  });
}
