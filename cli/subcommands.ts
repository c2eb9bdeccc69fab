/** What the words in place of options do; what one needs is loaded only when it is used. */

import { UsageError } from "../core/errors.ts";
import { SUBCOMMANDS } from "./option_table.ts";
import { CONSOLE } from "../core/output.ts";

/** Prints, and gives the exit code; `rest` is what follows the word. */
type Program = (rest: string[]) => Promise<number>;

const PROGRAMS: Record<typeof SUBCOMMANDS[number]["name"], Program> = {
  async doctor() {
    const { text, ok } = await (await import("./doctor.ts")).diagnosis();
    CONSOLE.result(text);
    return ok ? 0 : 1;
  },
  async completions(rest) {
    CONSOLE.result((await import("./completions.ts")).completions(rest));
    return 0;
  },
  async man() {
    CONSOLE.result((await import("./manual.ts")).manual());
    return 0;
  },
};

/**
 * Runs a word.
 * @param words The word and what follows it.
 * @returns The exit code.
 * @throws UsageError if there is no such word, or it takes no others behind it.
 */
export async function runSubcommand([name, ...rest]: string[]): Promise<number> {
  const row = SUBCOMMANDS.find((word) => word.name === name);
  if (!row) {
    const known = SUBCOMMANDS.map((word) => word.name).join(", ");
    throw new UsageError(
      `unknown word ${JSON.stringify(name)}; there are ${known}, and options (see --help)`,
    );
  }
  if (rest.length && !("choices" in row)) throw new UsageError(`${name} takes no words behind it`);
  return await PROGRAMS[row.name](rest);
}
