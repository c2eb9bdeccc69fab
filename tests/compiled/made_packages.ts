/** The packages that `deno task package` makes from the tests' executable. */

import { fromFileUrl, join } from "@std/path";
import { config, kept } from "../support/config.ts";
import { mustRun } from "../support/shell.ts";
import { builtExecutable } from "./stand_in.ts";

const TOOL = fromFileUrl(new URL("../../tools/package.ts", import.meta.url));

/**
 * Makes the packages, once per build.
 * @returns The folder with them; it is cached, so do not change it.
 */
export async function madePackages(): Promise<string> {
  const executable = await builtExecutable(), from = join(executable, "..");
  // Named after the executable's source, and removed with it.
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
