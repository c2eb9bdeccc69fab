/** The executable's subcommands and exit codes, each tried on the lone file. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { SUBCOMMANDS } from "../../cli/subcommands.ts";
import { Program } from "../support/program.ts";
import { lone, LoneFile } from "./lone.ts";

const VIRTUAL = ["--desktop", "virtual"];

Deno.test({
  ...lone,
  name: "every subcommand works in the executable",
  async fn(test) {
    await using file = await LoneFile.create();
    await test.step("mcp", async () => {
      await using program = file.start(["mcp", ...VIRTUAL]);
      await program.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
      await program.printed(/"name":"screenshot"/);
      await program.endInput();
      assertEquals((await program.ended()).code, 0);
    });
    await test.step("xdotool, also by a link of that name", async () => {
      const { code, stdout } = await file.run(["xdotool", "--version"]);
      assertEquals(code, 0);
      assertMatch(stdout, /^xdotool version \d/);
      const link = join(file.folder, "xdotool");
      await Deno.symlink(file.executable, link);
      await using linked = new Program(["--version"], {
        executable: link,
        clearEnv: true,
        env: file.environment,
      });
      assertEquals(await linked.ended(), { code: 0, stdout, stderr: "" });
    });
    // mcp and xdotool are tried above, the others by their options.
    const tried = ["mcp", "xdotool", "trace", "link", "share"];
    for (const row of SUBCOMMANDS.filter(({ name }) => !tried.includes(name))) {
      const { argument } = row;
      for (const choice of argument && "choices" in argument ? argument.choices : [undefined]) {
        const words = [row.name, ...choice ? [choice] : []];
        await test.step(words.join(" "), async () => {
          const { code, stdout, stderr } = await file.run(words);
          // doctor ends with 1 where this machine lacks something.
          assert(code === 0 || row.name === "doctor" && code === 1, stderr);
          assertStringIncludes(stdout, row.name === "doctor" ? "display" : "deskhand");
        });
      }
    }
  },
});

/** Exit codes, by their causes. */
const EXITS: { args: string[]; input?: string; code: number; stderr: RegExp }[] = [
  { args: [...VIRTUAL], input: "g\nquit\n", code: 0, stderr: /^$/ },
  { args: [...VIRTUAL, "-c", "nonsense"], code: 1, stderr: /nonsense/ },
  { args: [...VIRTUAL], input: "g\nnonsense\ng\n", code: 1, stderr: /line 2: .*nonsense/ },
  { args: ["--nonsense"], code: 2, stderr: /unknown option --nonsense/ },
  { args: ["nonsense"], code: 2, stderr: /nonsense/ },
  { args: ["--http", "65536"], code: 2, stderr: /0 to 65535/ },
  { args: ["--desktop"], code: 2, stderr: /--desktop needs a value/ },
  { args: ["--desktop", "auto"], code: 3, stderr: /--desktop virtual/ },
  { args: ["--desktop", "windows"], code: 3, stderr: /\S/ },
];

Deno.test({
  ...lone,
  name: "the executable ends with the exit code that the README names",
  async fn(test) {
    await using file = await LoneFile.create();
    for (const { args, input, code, stderr } of EXITS) {
      await test.step(`${args.join(" ")}${input ? ` < ${JSON.stringify(input)}` : ""} ends with ${code}`, async () => {
        const ended = await file.run(args, input);
        assertEquals(ended.code, code, ended.stderr);
        assertMatch(ended.stderr, stderr);
      });
    }
    await test.step("a port that is taken: 2", async () => {
      await using first = file.start([...VIRTUAL, "--http", "0"]);
      const { port } = new URL(await first.controlUrl());
      const second = await file.run([...VIRTUAL, "--http", port]);
      assertEquals(second.code, 2);
      assertStringIncludes(second.stderr, `port ${port} is taken`);
    });
  },
});
