/** The counts of a file's run. */

import { assertEquals, assertMatch } from "@std/assert";
import { temporary } from "../support/temporary.ts";
import { testFile } from "./test_files.ts";

const CASES: [
  source: string,
  counts: [passed: number, failed: number, skipped: number],
  failures: string[],
][] = [
  ['Deno.test("a", () => {});', [1, 0, 0], []],
  ['Deno.test("a", () => {}); Deno.test({ name: "b", ignore: true, fn() {} });', [1, 0, 1], []],
  [
    'Deno.test("a", () => {}); Deno.test("<b> & \\"c\\"", () => { throw new Error("no"); });',
    [1, 1, 0],
    ['<b> & "c"'],
  ],
  ['Deno.test("a", async (t) => void await t.step("s", () => { throw new Error("no"); }));', [0, 2, 0], [
    "a",
    "a > s",
  ]],
  ['import "./missing.ts"; Deno.test("a", () => {});', [0, 1, 0], []],
  ['Deno.test("a", () => {}); Deno.test("b", () => Deno.exit(0));', [1, 1, 0], ["b"]],
  ['Deno.test("a", () => { Deno.kill(Deno.pid, "SIGKILL"); });', [0, 1, 0], []],
];

Deno.test("tests that pass, fail or are skipped are counted as such, and so is a file that does not load", async (t) => {
  for (const [source, [passed, failed, skipped], failures] of CASES) {
    await t.step(source, () =>
      temporary(async (folder) => {
        const file = `${folder}/a_test.ts`;
        await Deno.writeTextFile(file, source);
        const outcome = await testFile(file, 1).run();
        assertEquals(outcome.counts, { passed, failed, skipped }, outcome.output);
        assertEquals(outcome.failures.toSorted(), failures);
        if (failed) assertMatch(outcome.output, /\S/);
      }));
  }
});
