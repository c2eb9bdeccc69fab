/** deskhand from source on arm64. */

import { join } from "@std/path";
import { temporary } from "../support/shell.ts";
import { NEEDED, smoke } from "./smoke.ts";
import { fromSource, writeLauncher } from "./system.ts";

Deno.test({ ...NEEDED, name: "from source, every face works on arm64" }, async (test) => {
  await temporary(async (folder) => {
    const launcher = join(folder, "deskhand");
    await writeLauncher(launcher, ...await fromSource());
    await smoke(test, launcher);
  });
});
