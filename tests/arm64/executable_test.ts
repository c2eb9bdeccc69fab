/** The executable for arm64, on a stand-in for its base runtime (tests/compiled/stand_in.ts). */

import { join } from "@std/path";
import { builtExecutable } from "../compiled/stand_in.ts";
import { needExecutable } from "../compiled/lone.ts";
import { temporary } from "../support/temporary.ts";
import { NEEDED, smoke } from "./smoke.ts";
import { writeLauncher } from "./system.ts";

Deno.test(
  {
    ignore: NEEDED.ignore || (await needExecutable("linux-arm64")).ignore,
    name: "the executable works on arm64",
  },
  async (test) => {
    await temporary(async (folder) => {
      const launcher = join(folder, "deskhand");
      await writeLauncher(launcher, [await builtExecutable("linux-arm64")]);
      // Under qemu a thread takes seconds to start, and recording takes two: source_test.ts has them, and
      // tests/compiled/ an executable's.
      await smoke(test, launcher, ["what a person does is recorded and replayed"]);
    });
  },
);
