/** The executable for arm64, on a stand-in for its base runtime (tests/compiled/stand_in.ts). */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { smoked } from "../compiled/smoked.ts";
import { builtExecutable } from "../compiled/stand_in.ts";
import { needExecutable } from "../compiled/lone.ts";
import { need } from "../support/need.ts";
import { temporary } from "../support/shell.ts";
import { Xvfb } from "../support/xvfb.ts";
import { NEEDED } from "./smoke.ts";
import { writeLauncher } from "./system.ts";

Deno.test(
  {
    ignore: NEEDED.ignore || (await needExecutable("linux-arm64")).ignore || need("xterm").ignore,
    name: "the executable passes on arm64 what a release must pass",
  },
  async () => {
    await using server = await Xvfb.start({ width: 640, height: 480 }); // qemu takes seconds for a large picture
    await temporary(async (folder) => {
      const launcher = join(folder, "deskhand");
      await writeLauncher(launcher, [await builtExecutable("linux-arm64")]);
      const { code, lines, printed } = await smoked([launcher], server.env);
      assertEquals([code, lines.length], [0, 8], printed);
    });
  },
);
