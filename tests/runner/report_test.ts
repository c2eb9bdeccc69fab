/** The output and end of a test run. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { config } from "../support/config.ts";
import { temporary } from "../support/shell.ts";

const RUN = fromFileUrl(new URL("../run.ts", import.meta.url));
const MODULES = new URL(".", import.meta.url).href;

const PASSES = 'Deno.test("passes", () => {});';
const SKIPS =
  'Deno.test({ name: "skips", ignore: true, fn() {} });\nconsole.error("!!! SKIPPED: a test needs x !!!");';
const FAILS = 'Deno.test("fails", () => { throw new Error("reason"); });';

const CASES: [sources: string[], last: string, code: number][] = [
  [[PASSES], "1 passed, 0 failed, 0 skipped", 0],
  [[PASSES, SKIPS], "1 passed, 0 failed, 1 skipped", 0],
  [[PASSES, SKIPS, FAILS], "1 passed, 1 failed, 1 skipped", 1],
];

/** Writes test files; returns their paths. */
async function write(folder: string, sources: string[]): Promise<string[]> {
  const files = sources.map((_, i) => `${folder}/${i}_test.ts`);
  await Promise.all(files.map((file, i) => Deno.writeTextFile(file, sources[i])));
  return files;
}

async function deno(...args: string[]) {
  const env = { LC_ALL: "C", LANGUAGE: "de" };
  const { code, stdout } = await new Deno.Command(Deno.execPath(), { args, env, stderr: "null" }).output();
  const text = new TextDecoder().decode(stdout);
  return { code, text, last: text.trimEnd().split("\n").at(-1) };
}

Deno.test("files given to the test task are run, and the last line counts", async () => {
  for (const [sources, expected, expectedCode] of CASES) {
    await temporary(async (folder) => {
      const { code, last } = await deno("run", "-A", RUN, "--no-check", ...await write(folder, sources));
      assertEquals([code, last], [expectedCode, expected]);
    });
  }
});

Deno.test("the locale of a person is none of the tests' matter", async () => {
  const prints = 'console.log("locale:", Deno.env.get("LC_ALL"), Deno.env.get("LANGUAGE"));';
  await temporary(async (folder) => {
    const { text } = await deno("run", "-A", RUN, "--no-check", ...await write(folder, [prints + PASSES]));
    assertStringIncludes(text, "locale: C.UTF-8 undefined");
  });
});

Deno.test("jobs side by side end with what was skipped, what failed and the counts", async () => {
  for (const [sources, expected, expectedCode] of CASES) {
    await temporary(async (folder) => {
      const files = await write(folder, sources), script = `${folder}/run.ts`;
      await Deno.writeTextFile(
        script,
        `import { runJobs } from "${MODULES}run_jobs.ts";
         import { testFile } from "${MODULES}test_files.ts";
         const jobs = ${JSON.stringify(files)}.map(testFile);
         Deno.exit(await runJobs([Promise.resolve(jobs)]));`,
      );
      const { code, text, last } = await deno("run", "-A", ...config(), script);
      assertEquals([code, last], [expectedCode, expected]);
      assertMatch(text, /^ok +[\d.]+ s {2}\S+0_test\.ts {2}\(1 passed/m);
      assertEquals(/^!!! SKIPPED: a test needs x !!!$/m.test(text), sources.includes(SKIPS));
      if (sources.includes(FAILS)) {
        assertStringIncludes(text, "Error: reason");
        assertMatch(text, /^FAILED:\n\S+2_test\.ts\n +fails\n +again: deno task test \S+2_test\.ts$/m);
      }
    });
  }
});
