/** The configuration of tests, tools and benchmarks: the program's packages, and those that only these use. */

import { fromFileUrl } from "@std/path";

/** The path of the tests' configuration. */
export const CONFIG_PATH = fromFileUrl(
  new URL("../deno.json", import.meta.url),
);

/** The option of `deno` that names the configuration. */
export const CONFIG = `--config=${CONFIG_PATH}`;
