/** The small set: which tests are left to `deno task test --all` because of their needs. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { isThere, need, needTime, SMALL_RUN } from "../support/need.ts";
import { SMALL } from "../support/package_tables.ts";
import { announcement } from "../support/packages.ts";
import { CONFIG_PATH, SMALL_LOCK } from "../support/config.ts";
import { mustRun, temporary } from "../support/shell.ts";
import { declaredTests } from "./ignored.ts";
import { isShort } from "./durations.ts";
import { testFiles } from "./test_files.ts";

const NEED = new URL("../support/need.ts", import.meta.url).href;
const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const HEAD = `import { need, needTime } from "${NEED}";\n`;

/** Files, and their numbers of tests: all, and those ignored in the small set and in a run of all tests. */
const CASES: [source: string, tests: number, small: number, all: number][] = [
  ['Deno.test("a", () => { throw new Error("never run"); }); Deno.test({ name: "b", fn() {} });', 2, 0, 0],
  ['Deno.test({ name: "a", ...needTime("sorts a million"), fn() {} }); Deno.test("b", () => {});', 2, 1, 0],
  ['Deno.test({ name: "a", ...need("sway"), fn() {} });', 1, 1, isThere("sway") ? 0 : 1],
  ['Deno.test({ name: "a", ...need("no such program"), fn() {} });', 1, 1, 1],
  ['Deno.test("a", { ignore: true }, () => {}); Deno.test.beforeEach(() => {});', 1, 1, 1],
];

Deno.test("tests that need time or a package beside the small set are known before any runs", async () => {
  await temporary(async (folder) => {
    const files = CASES.map((_, i) => `${folder}/${i}_test.ts`), broken = `${folder}/broken_test.ts`;
    await Promise.all(files.map((file, i) => Deno.writeTextFile(file, HEAD + CASES[i][0])));
    await Deno.writeTextFile(broken, 'import "./none.ts"; Deno.test("a", () => {});');
    for (const isSmall of [true, false]) {
      const { declared, output } = await declaredTests([broken, ...files], {
        [SMALL_RUN]: isSmall ? "yes" : "",
      });
      const expected = CASES.map(([, tests, small, all]) => ({ tests, ignored: isSmall ? small : all }));
      assertEquals(files.map((file) => declared.get(file)), expected);
      assert(!declared.has(broken));
      assertStringIncludes(output, "!!! SKIPPED: a test needs no such program, which this machine lacks !!!");
    }
  });
});

Deno.test({ name: "all files of tests load, this one too", ...needTime("loads all files") }, async () => {
  const files = testFiles(), { declared, output } = await declaredTests(files, { [SMALL_RUN]: "yes" });
  assertEquals(files.filter((file) => !declared.has(file)), [], output);
});

Deno.test({ name: "apt fetches 150 MB at most for the small set", ...need("apt-get") }, async () => {
  // As if nothing were installed: including the base system, which accounts for 17 MB.
  const said = await announcement(["-o", "Dir::State::status=/dev/null", ...Object.keys(SMALL)]);
  const [, megabytes] = /, (\d+) MB to fetch,/.exec(said)!;
  assert(Number(megabytes) <= 150 + 17, said);
});

Deno.test("tests/small.lock has the packages that the small set imports, with the hashes of tests/deno.lock", async () => {
  const [small, all] = [SMALL_LOCK, CONFIG_PATH.replace(/json$/, "lock")].map((path) => {
    const { npm } = JSON.parse(Deno.readTextFileSync(path)) as { npm: Record<string, { integrity: string }> };
    return Object.entries(npm).map(([name, { integrity }]) => `${name} ${integrity}`);
  });
  assertEquals(small.filter((row) => !all.includes(row)), []);
  const args = ["cache", "-q", "--frozen", "--config", CONFIG_PATH, "--lock", SMALL_LOCK];
  await mustRun(Deno.execPath(), [...args, "tests/run.ts", "main.ts", ...testFiles().filter(isShort)], {
    cwd: ROOT,
  });
});
