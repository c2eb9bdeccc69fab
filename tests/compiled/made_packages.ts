/** The packages that `deno task package` makes of the executable that the tests build. */

import { fromFileUrl, join } from "@std/path";
import { config, kept } from "../support/config.ts";
import { mustRun } from "../support/shell.ts";
import { builtExecutable } from "./stand_in.ts";

const TOOL = fromFileUrl(new URL("../../tools/package.ts", import.meta.url));

/**
 * Makes the packages, once for each build.
 * @returns The folder that holds them; it is kept, so leave it as it is.
 */
export async function madePackages(): Promise<string> {
  const executable = await builtExecutable(), from = join(executable, "..");
  // Of the same source as the executable, and removed with it.
  return await kept(`${from.slice(from.lastIndexOf("built/"))}-packages`, async (output) => {
    await mustRun(Deno.execPath(), [
      "run",
      "-A",
      ...config(),
      TOOL,
      "--from",
      from,
      "--output",
      output,
      "--fast",
    ]);
  });
}
