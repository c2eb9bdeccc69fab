/** The subcommand `trace`, which prints the entries of a trace. */

import { lineOf, readTrace } from "../control/trace/reading.ts";
import type { Output } from "../core/output.ts";
import { printableJson } from "../core/printable.ts";

/**
 * Prints a trace: a line for each entry, or its JSON.
 * @returns The exit code.
 * @throws UsageError if the file cannot be read, or is no trace.
 */
export async function printTrace(path: string, isJson: boolean, output: Output): Promise<number> {
  for await (const entry of readTrace(path)) {
    const text = isJson ? printableJson(JSON.stringify(entry)) : lineOf(entry);
    if (text !== undefined) output.result(text);
  }
  return 0;
}
