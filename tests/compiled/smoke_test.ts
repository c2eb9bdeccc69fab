/** The script that tries a release before it is published, on the executable and on the source. */

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { Xvfb } from "../support/xvfb.ts";
import { lone, LoneFile } from "./lone.ts";
import { smoked } from "./smoked.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
const NEEDED = { ignore: lone.ignore || need("Xvfb", "xterm").ignore };

Deno.test({ ...NEEDED, name: "the executable passes what a release must pass" }, async () => {
  await using file = await LoneFile.create();
  await using server = await Xvfb.start();
  const { code, lines, printed } = await smoked([file.executable], server.env);
  assertEquals([code, lines.length], [0, 8], printed);
});

Deno.test("the file server alone passes it, where there is no desktop", async () => {
  const { code, lines, printed } = await smoked(["--files-only", Deno.execPath(), "run", "-A", MAIN], {
    DISPLAY: "",
  });
  assertEquals([code, lines.length], [0, 3], printed);
});

Deno.test("a release that does not work fails it, and what it printed is told", async () => {
  const { code, printed } = await smoked(["sh", "-c", "echo no such library; exit 3"]);
  assertEquals(code, 1);
  assertMatch(printed, /^NO {2}the control API starts: it ended before [^]*\nno such library\n/m);
});
