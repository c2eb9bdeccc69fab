/** The executable's options and exit codes, each tried on the lone file. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { OPTIONS } from "../../options.ts";
import { VERSION } from "../../version.ts";
import { lone, LoneFile } from "./lone.ts";

const VIRTUAL = ["--desktop", "virtual"];

/** What shows, by option, that the executable obeys it. */
const CASES: Partial<Record<typeof OPTIONS[number]["name"], (file: LoneFile) => Promise<void>>> = {
  async http(file) {
    await using program = file.start([...VIRTUAL, "--http", "0"]);
    const answer = await fetch(`${await program.controlUrl()}/api/position`);
    assertEquals(Object.keys(await answer.json()), ["x", "y"]);
  },
  async host(file) {
    await using program = file.start([...VIRTUAL, "--http", "0", "--host", "127.0.0.2"]);
    const url = new URL(await program.controlUrl());
    url.hostname = "127.0.0.2";
    assertEquals((await fetch(`${url}api/position`)).status, 200);
    const wrong = await file.run([...VIRTUAL, "--http", "0", "--host", "192.0.2.1"]);
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.stderr, "192.0.2.1");
  },
  async desktop(file) {
    assertEquals((await file.run([...VIRTUAL, "-c", "g"])).code, 0);
    const wrong = await file.run(["--desktop", "real"]);
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.stderr, "virtual");
  },
  async command(file) {
    const { code, stdout } = await file.run([...VIRTUAL, "-c", "m5-6; g", "--command", "m7-8", "-c", "g"]);
    assertEquals([code, stdout], [0, "5 6\n7 8\n"]);
  },
  async "read-only"(file) {
    const { code, stdout, stderr } = await file.run([...VIRTUAL, "--read-only", "-c", "g; m1-1"]);
    assertEquals(code, 1);
    assertMatch(stdout, /^\d+ \d+\n$/);
    assertStringIncludes(stderr, "--read-only");
  },
  async log(file) {
    const log = join(file.folder, "requests.log");
    await using program = file.start([...VIRTUAL, "--http", "0", "--log", log]);
    await (await fetch(`${await program.controlUrl()}/api/screen`)).body?.cancel();
    await until(() => Deno.readTextFileSync(log).includes("/api/screen"));
  },
  async help(file) {
    for (const word of ["--help", "-h"]) {
      const { code, stdout } = await file.run([word]);
      assertEquals(code, 0);
      for (const { name } of OPTIONS) assertStringIncludes(stdout, `--${name}`);
    }
  },
  async version(file) {
    assertEquals(await file.run(["--version"]), { code: 0, stdout: `deskhand ${VERSION}\n`, stderr: "" });
  },
};

Deno.test({
  ...lone,
  name: "every option works in the executable",
  async fn(test) {
    await using file = await LoneFile.create();
    for (const [name, shows] of Object.entries(CASES)) {
      await test.step(`--${name}`, () => shows(file));
    }
    await test.step("it leaves nothing behind", () => assertEquals(file.leftBehind(), []));
  },
});

/** Exit codes, by what causes them. */
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
  name: "the executable's exit codes",
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

/** Waits for something with a generous deadline. */
async function until(holds: () => boolean): Promise<void> {
  for (const start = Date.now(); !holds();) {
    assert(Date.now() - start < 30_000, "it did not come to hold");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
