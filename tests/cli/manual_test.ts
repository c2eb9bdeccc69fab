/** The manual page: troff formats it without a warning, and it has every row of the tables. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { COMMANDS, splitCommands } from "../../control/prompt/commands.ts";
import { EXAMPLES, FILES, manual } from "../../cli/manual.ts";
import { OPTIONS } from "../../cli/option_table.ts";
import { readOptions } from "../../cli/options.ts";
import { SUBCOMMANDS } from "../../cli/subcommands.ts";
import { globToRegExp } from "@std/path";
import { Program } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";
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

Deno.test("every option and prompt command of the examples is right", () => {
  for (const [line] of EXAMPLES) {
    const words = line.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ""));
    const { settings, notices, words: rest } = readOptions(words.slice(1), () => undefined);
    assertEquals([notices, rest], [[], []], line);
    for (const command of settings.command.flatMap(splitCommands)) {
      assertEquals(COMMANDS.some(({ pattern }) => pattern.test(command.trim())), true, command);
    }
  }
  assertMatch(manual(SUBCOMMANDS), /^\.SH FILES$[^]*^\.SH EXAMPLES$/m);
});

Deno.test("the page names the files that deskhand keeps", async () => {
  await temporary(async (cwd) => {
    await using program = new Program(["--http", "0", "--desktop", "virtual"], { cwd });
    await program.controlUrl();
    await program.write("rec");
    await program.printed(/^recording/m);
    const kept = Array.from(Deno.readDirSync(`${program.stateFolder}/deskhand`), ({ name }) => name);
    const patterns = FILES.flatMap(([names]) => names.split(", ")).map((name) => globToRegExp(name));
    for (const name of kept) assertEquals(patterns.some((pattern) => pattern.test(name)), true, name);
    assertEquals(kept.includes("token"), true);
  });
});

Deno.test("no line of the page is taken for a request of troff by accident", () => {
  for (const line of manual(SUBCOMMANDS).split("\n").filter((line) => /^[.']/.test(line))) {
    assertEquals(/^\.(TH|SH|TP|B|br)\b/.test(line), true, line);
  }
});
