/** The manual page: what troff makes of it, and that it holds every row of the tables. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { COMMANDS } from "../../control/prompt/commands.ts";
import { manual } from "../../cli/manual.ts";
import { OPTIONS } from "../../cli/option_table.ts";
import { SUBCOMMANDS } from "../../cli/subcommands.ts";
import { need } from "../support/need.ts";

Deno.test({
  ...need("groff"),
  name: "troff reads the manual page without a warning, and every row is in it",
  async fn() {
    const groff = new Deno.Command("groff", {
      args: ["-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=200n"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = groff.stdin.getWriter();
    await writer.write(new TextEncoder().encode(manual(SUBCOMMANDS) + "\n"));
    await writer.close();
    const { success, stdout, stderr } = await groff.output();
    assertEquals([success, new TextDecoder().decode(stderr)], [true, ""]);
    const page = new TextDecoder().decode(stdout).replaceAll("’", "'");
    for (const { name, summary } of [...OPTIONS, ...SUBCOMMANDS, ...COMMANDS]) {
      assertStringIncludes(page, name);
      assertStringIncludes(page, summary);
    }
    for (const { method, path, summary, part } of ENDPOINTS) {
      const isListed = new RegExp(`^ *${method} ${RegExp.escape(path)}(?: |$)`, "m").test(page);
      assertEquals(isListed, !part, path); // a part of the page is no endpoint that a person calls
      assertStringIncludes(page, summary);
    }
  },
});

Deno.test("no line of the page is taken for a request of troff by accident", () => {
  for (const line of manual(SUBCOMMANDS).split("\n").filter((line) => /^[.']/.test(line))) {
    assertEquals(/^\.(TH|SH|TP|B|br)\b/.test(line), true, line);
  }
});
