/** Runs lines and shows their results, for the terminal, the pipe and `-c`. The commands are loaded by the first line. */

import { ExpectedError } from "../../core/errors.ts";
import type { Output } from "../../core/output.ts";
import type { ActionRunner } from "../actions/runner.ts";
import type { Recorder } from "../recording/recorder.ts";
import { Quit, type ServerAbout } from "./command.ts";

/** Means of the prompt. */
export interface ShellOptions {
  /** @throws NoDesktopError where there is no desktop; the prompt shows it and continues. */
  runner: () => ActionRunner;
  output: Output;
  /** The servers that run beside the prompt. */
  servers?: readonly ServerAbout[];
}

/** The person at a terminal. */
export interface Person {
  /** Asks the person; rejects when the signal is aborted. */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
  /** Whether no other line waits. */
  isWaiting(): boolean;
}

/** The outcome of a line. */
export type Outcome = "done" | "failed" | "quit";

/** Runs the lines of one prompt. */
export class Shell {
  /** The number of lines, and attempts to read one, that failed so far. */
  failures = 0;
  readonly #running = new Set<AbortController>();
  /** Whether the last thing that happened was the warning about data that leaving loses. */
  #isLeaving = false;

  constructor(readonly options: ShellOptions) {}

  /** Whether a line is running. */
  get busy(): boolean {
    return this.#running.size > 0;
  }

  /**
   * Runs a line to its end. Never throws.
   * @param where The text before an error (`line 3: `).
   * @param person Left out where there is none.
   */
  async run(
    line: string,
    where = "",
    person?: Person,
  ): Promise<Outcome> {
    const { runner, output, servers } = this.options;
    const running = new AbortController();
    this.#running.add(running);
    try {
      const { runLine } = await import("./commands.ts");
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
        const { inPromptWords } = await import("./commands.ts");
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

  /** Counts and shows a failure that belongs to no line. */
  failed(message: string): void {
    this.failures++;
    this.options.output.notice(message);
  }

  /**
   * Asks whether the person may leave: if a recording would be lost, it warns once instead.
   * @returns false if the person is to be asked for another line.
   */
  mayLeave(): boolean {
    const recorder = this.#recorder();
    if (!recorder?.unsaved) return true;
    if (this.#isLeaving) {
      recorder.abandon();
      return true;
    }
    this.#isLeaving = true;
    this.options.output.notice("the recording is not saved: save it, or quit again to discard it");
    return false;
  }

  /** The recorder; undefined without a desktop, since nothing can have been recorded. */
  #recorder(): Recorder | undefined {
    try {
      return this.options.runner().recorder;
    } catch {
      return undefined;
    }
  }

  /**
   * Cancels the running line.
   * @returns false if nothing runs.
   */
  cancel(): boolean {
    for (const running of this.#running) running.abort();
    return this.busy;
  }
}
