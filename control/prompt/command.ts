/** What a row of the table of prompt commands is. */

import type { Services } from "../http/endpoint.ts";

/** What a command works with. */
export interface CommandContext {
  services: Services;
  /** Aborted when the person presses Ctrl-C while the command runs. */
  signal: AbortSignal;
  /** Shows a notice, apart from results. */
  notice(text: string): void;
  /** Asks the person; undefined where nobody can be asked (a pipe, `-c`). */
  confirm?: (question: string) => Promise<boolean>;
}

/** A row of the table. Parsing, `help`, completion and the documents derive from it. */
export interface Command {
  /** The letters it begins with. */
  name: string;
  /** How it is written, for help and errors. */
  usage: string;
  /** One line for help. */
  summary: string;
  /** The whole line, without blanks around it; its groups are the arguments. */
  pattern: RegExp;
  /** Whether it is open under `--read-only`. */
  readOnly: boolean;
  /** Whether a person's line is done at once, beside what runs already. */
  immediate?: boolean;
  /**
   * Does it.
   * @param args The groups of the pattern; undefined where one took no part.
   * @returns What to print on standard output, if anything.
   */
  run(args: (string | undefined)[], context: CommandContext): string | void | Promise<string | void>;
}

/** Thrown by a command to end the prompt. */
export class Quit extends Error {}
