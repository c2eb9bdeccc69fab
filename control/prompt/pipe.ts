/** Reads commands from a pipe or a file. */

import { TextLineStream } from "@std/streams/text-line-stream";
import { printable } from "../../core/printable.ts";
import { COMMANDS, HELP_TOPICS } from "./commands.ts";
import type { Shell } from "./shell.ts";

/** The most characters of a line: input without line ends, such as /dev/zero, must not fill the memory. */
const LINE_LIMIT = 1024 * 1024;

/** The reason why reading ended. */
type InputEnd = "quit" | "end of input";

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
    shell.failed(`cannot read standard input: ${(error as Error).message}`);
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

// Completion of command names, also behind `help`, and of file names behind the commands that take one.

/** Offers of completion, and the text at the end of the line that an offer replaces, as node:readline wants them. */
type Completion = [offers: string[], replaced: string];

/**
 * Completes a line.
 * @param line The text before the cursor.
 */
export async function complete(line: string): Promise<Completion> {
  const start = line.trimStart();
  const [, word, file] = /^([a-z]+)!?\s+(.*)$/.exec(start) ?? [];
  if (word === "help") {
    const topics = new Set([...COMMANDS.map(({ name }) => name), ...HELP_TOPICS]);
    return [[...topics].filter((name) => name.startsWith(file)), file];
  }
  if (word !== undefined) {
    const takesFile = COMMANDS.some((row) => row.name === word && row.takesFile);
    return takesFile ? [await filesThatBegin(file), file] : [[], start];
  }
  const names = COMMANDS.map(({ name, usage }) => /^\S+ /.test(usage) ? `${name} ` : name);
  const offers = [...new Set(names.filter((name) => name.startsWith(start)))]; // some have several forms
  return [offers, start];
}

/**
 * The paths that begin with the typed text; folders end in a slash. Names that begin with a dot are offered only if
 * the dot was typed; names with characters that a terminal cannot show are never offered.
 */
async function filesThatBegin(typed: string): Promise<string[]> {
  const [folder, begun] = /^(.*[/\\])?(.*)$/s.exec(typed)!.slice(1).map((part) => part ?? "");
  const offers: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder || ".")) {
      if (!name.startsWith(begun) || name.startsWith(".") && !begun.startsWith(".")) continue;
      if (printable(name) === name) offers.push(`${folder}${name}${isDirectory ? "/" : ""}`);
    }
  } catch {
    // A missing or unreadable folder has no names to offer.
  }
  return offers.sort();
}
