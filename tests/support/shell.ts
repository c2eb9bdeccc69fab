/** Commands of a shell. */

import { mustRun } from "./cache.ts";

/**
 * Runs a script of bash to its end.
 * @returns What it printed on standard output.
 * @throws Error with all it printed, if it fails.
 */
export async function bash(script: string, options: Deno.CommandOptions = {}): Promise<string> {
  return await mustRun("bash", ["-c", `set -o pipefail; ${script}`], options);
}
