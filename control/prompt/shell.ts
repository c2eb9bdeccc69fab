/** Runs lines and shows their results, for the terminal, the pipe and `-c`. */

import { attempt, ExpectedError } from "../../core/errors.ts";
import type { Output } from "../../core/output.ts";
import { leaveRemovedFolder } from "../../core/path.ts";
import { askState } from "../../core/state_files.ts";
import type { ActionRunner } from "../actions/runner.ts";
import type { Recorder } from "../recording/recorder.ts";
import { Quit, type ServerAbout } from "./command.ts";
import { printable } from "../../core/printable.ts";
import { COMMANDS, HELP_TOPICS, inPromptWords, runLine } from "./commands.ts";

interface ShellOptions {
  /** @throws NoDesktopError if there is no desktop; the prompt shows the error and continues. */
  runner: () => ActionRunner;
  output: Output;
  /** The servers that run alongside the prompt. */
  servers?: readonly ServerAbout[];
}

/** The person at a terminal. */
export interface Person {
  /** Asks the person; rejects when the signal is aborted. */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
  /** Whether no other line is queued. */
  isWaiting(): boolean;
}

/** Outcome of a line. */
type Outcome = "done" | "failed" | "quit";

/** Runs the lines of one prompt. */
export class Shell {
  /** Number of failed lines, and of failed attempts to read one. */
  failures = 0;
  readonly #running = new Set<AbortController>();
  /** Whether the last event was the warning that leaving loses data. */
  #isLeaving = false;

  constructor(readonly options: ShellOptions) {}

  /** Whether a line is running. */
  get busy(): boolean {
    return this.#running.size > 0;
  }

  /**
   * Runs a line to its end. Never throws.
   * @param where The text before an error (`line 3: `).
   * @param person Left out if there is none.
   */
  async run(
    line: string,
    where = "",
    person?: Person,
  ): Promise<Outcome> {
    const { runner, output, servers } = this.options;
    const running = new AbortController();
    this.#running.add(running);
    leaveRemovedFolder(output.notice);
    try {
      const result = await runLine(line, {
        get runner() {
          return runner();
        },
        signal: running.signal,
        by: "prompt",
        servers,
        notice: output.notice,
        confirm: person && ((question) => person.confirm(question, running.signal)),
        isObserved: person?.isWaiting() ?? false,
      });
      this.#isLeaving = false;
      if (result) output.result(result);
      return "done";
    } catch (error) {
      if (error instanceof Quit) return "quit";
      this.failures++;
      this.#isLeaving = false;
      if (running.signal.aborted) output.notice(`${where}cancelled`);
      else if (error instanceof ExpectedError) {
        output.notice(where + inPromptWords(error.message));
      } else {
        output.notice(
          `${where}an internal error occurred: ${error instanceof Error ? error.message : error}`,
        );
        output.report(error);
      }
      return "failed";
    } finally {
      this.#running.delete(running);
    }
  }

  /** Counts and shows a failure outside any line. */
  failed(message: string): void {
    this.failures++;
    this.options.output.notice(message);
  }

  /**
   * Whether the person may leave: if a recording would be lost, warns once instead.
   * @returns false if the prompt is to ask for another line.
   */
  async mayLeave(): Promise<boolean> {
    const recorder = this.#recorder();
    if (!recorder?.unsaved) return true;
    if (this.#isLeaving) {
      await askState();
      recorder.abandon();
      return true;
    }
    this.#isLeaving = true;
    this.options.output.notice("the recording is not saved: save it, or quit again to discard it");
    return false;
  }

  /** The recorder; undefined without a desktop, where nothing can have been recorded. */
  #recorder(): Recorder | undefined {
    return attempt(() => this.options.runner().recorder);
  }

  /**
   * Cancels the running line.
   * @returns false if nothing is running.
   */
  cancel(): boolean {
    for (const running of this.#running) running.abort();
    return this.busy;
  }
}

// Reads commands from a pipe or a file.

/**
 * Maximum length of a line, in characters: input without line ends, such as /dev/zero, must not fill the
 * memory.
 */
const LINE_LIMIT = 1024 * 1024;

/** Why reading ended. */
type InputEnd = "quit" | "end of input";

/**
 * Reads standard input, one command per line, until its end; errors name the line. Input that can no longer
 * be read has ended, which counts as a failure: nohup(1) leaves input that cannot be read at all.
 */
export async function readPipe(shell: Shell): Promise<InputEnd> {
  const { TextLineStream } = await import("@std/streams/text-line-stream");
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
 * @param limit Maximum length of a line, in characters.
 * @throws Error, as the stream's error, at a longer line.
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

// Completes command names, also after `help`, and file names after commands that take one.

/** Completions, and the text at the end of the line that they replace, as node:readline expects them. */
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
 * The paths that start with the typed text; folders end in a slash. Names that start with a dot are offered
 * only if the dot was typed; names with characters that a terminal cannot show are never offered.
 */
async function filesThatBegin(typed: string): Promise<string[]> {
  const [folder, begun] = /^(.*[/\\])?(.*)$/s.exec(typed)!.slice(1).map((part) => part ?? "");
  const offers: string[] = [];
  const { diskOf } = await import("../../core/disk.ts"), place = folder || ".";
  const entries = await diskOf(place).run(() => Array.fromAsync(Deno.readDir(place))).catch(() => []); // unreadable
  for (const { name, isDirectory } of entries) {
    if (!name.startsWith(begun) || name.startsWith(".") && !begun.startsWith(".")) continue;
    if (printable(name) === name) offers.push(`${folder}${name}${isDirectory ? "/" : ""}`);
  }
  return offers.sort();
}
