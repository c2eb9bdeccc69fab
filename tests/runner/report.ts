/** Prints a line for each finished job, the whole output of each failed one, and finally the counts. */

import { stripAnsiCode } from "@std/fmt/colors";
import { durationRows } from "./durations.ts";
import { type Counts, type Job, type Outcome, sum } from "./outcome.ts";

/** Lines with which a test names missing programs (tests/support/need.ts). */
const SKIPPED = /^!!! .*SKIP.* !!!$/gm;

/** The report of a run. */
export class Report {
  readonly #ended: (Outcome & { job: Job; seconds: number })[] = [];

  /** @param verbose Whether to also print the output of passed jobs. */
  constructor(readonly verbose = false) {}

  /**
   * Prints a job's outcome.
   * @param seconds The job's duration.
   */
  add(job: Job, outcome: Outcome, seconds: number): void {
    this.#ended.push({ ...outcome, job, seconds });
    const { counts } = outcome;
    const word = counts.failed ? "FAILED" : "ok";
    print(`${word.padEnd(6)} ${seconds.toFixed(1).padStart(5)} s  ${job.name}  (${countsText(counts)})`);
    if (counts.failed || this.verbose) print(`${outcome.output.trim()}\n${"-".repeat(80)}`);
  }

  /**
   * Prints the skipped tests with their reasons, the failed tests with commands to rerun them, the durations
   * with DESKHAND_TEST_TIMES=yes, and only the counts on the last line.
   * @returns The exit code.
   */
  end(): number {
    const skipped = new Set(this.#ended.flatMap(({ output }) => stripAnsiCode(output).match(SKIPPED) ?? []));
    if (skipped.size) print(`\n${[...skipped].join("\n")}`);
    const failed = this.#ended.filter(({ counts }) => counts.failed);
    if (failed.length) print("\nFAILED:");
    for (const { job, failures } of failed) {
      print([job.name, ...failures.map((name) => `  ${name}`), `  again: ${job.again}`].join("\n  "));
    }
    if (Deno.env.get("DESKHAND_TEST_TIMES") === "yes") {
      print(`\n${durationRows(new Map(this.#ended.map(({ job, seconds }) => [job.name, seconds])))}`);
    }
    const total = sum(this.#ended.map(({ counts }) => counts));
    print(`\n${countsText(total)}`);
    return total.failed ? 1 : 0;
  }
}

/** `N passed, N failed, N skipped`. */
export function countsText({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function print(text: string) {
  console.log(Deno.stdout.isTerminal() ? text : stripAnsiCode(text));
}
