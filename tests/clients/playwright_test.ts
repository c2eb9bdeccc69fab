/** Playwright Test with the client's fixtures and matchers: the real runner under Node. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { copy, playwrightProject, type Project } from "./playwright_project.ts";
import { need, needTime } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { CHECKS, saved } from "./recorded_form.ts";

const NEEDED = {
  ignore: need("node", "npm").ignore || needTime("starts Node and a runner a dozen times").ignore,
};
const XVFB = need("Xvfb", "openbox", "dbus-daemon", "/usr/libexec/at-spi2-registryd", "zenity");

interface Result {
  status: string;
  errors: { message: string }[];
  attachments: { name: string; path?: string }[];
  annotations: { type: string; description?: string }[];
}

/** The last run's results by test title. */
async function resultsOf({ folder }: Project): Promise<Map<string, Result[]>> {
  const found = new Map<string, Result[]>();
  const collect = (
    suite: { suites?: unknown[]; specs?: { title: string; tests: { results: Result[] }[] }[] },
  ) => {
    for (const { title, tests: [{ results }] } of suite.specs ?? []) found.set(title, results);
    for (const inner of suite.suites ?? []) collect(inner as typeof suite);
  };
  collect(JSON.parse(await Deno.readTextFile(`${folder}/report.json`)));
  return found;
}

const HOLD = "assertions on elements and windows wait, and hold";
const LOOKS = "a window looks like its baseline, and has its outline";
const FAILS = "an assertion that does not hold says what is there";

const names = ({ attachments }: Result) =>
  attachments.map(({ name }) => name).filter((name) => !name.startsWith("_"));

Deno.test({ ...NEEDED, name: "tests of desktop programs run in Playwright Test" }, async (t) => {
  await using project = await playwrightProject();
  await copy("desk.spec.ts", project);
  const path = `${project.folder}/desk.spec.ts-snapshots/notes.yml`;
  await t.step(
    "attaches trace and pictures to a failed test; the last of --retries writes baselines",
    async () => {
      await using shared = new Program(["--http", "0", "--desktop", "virtual"]);
      const env = { FAILING: "1", CHANGED: "1", DESKHAND_URL: await shared.controlUrl() };
      assertEquals((await project.run(["--grep-invert", HOLD, "--retries", "1"], env)).code, 1);
      const results = await resultsOf(project),
        failed = results.get(FAILS)!,
        [early, last] = results.get(LOOKS)!;
      assertEquals(failed.length, 2);
      assertMatch(
        failed[0].errors[0].message,
        /button "Sned" did not appear within 200 ms: near: button "Send"/,
      );
      assertMatch(failed[0].errors[0].message, /expect\(desktop\)\.toBeVisible\(\): button/);
      assertMatch(
        await Deno.readTextFile(`${project.folder}/junit.xml`),
        /tests="3" failures="2" .*errors="0"/,
      );
      assertEquals(names(failed[0]).sort(), ["desktop", "desktop trace", "error-context"]);
      assertMatch(await attached(failed[0], "desktop trace"), /^<!doctype html>/i);
      assertMatch(early.errors[0].message, /there is no baseline .*notes-linux/);
      const messages = last.errors.map(({ message }) => message);
      for (const message of messages.slice(0, 3)) {
        assertMatch(message, /no baseline .* existed; it has been written now/);
      }
      assertMatch(messages[3], /\d+ pixels .* differ from .*notes-linux\.png after 200 ms: \d+x\d+ at/);
      assertMatch(messages[4], /\+ .*hello/);
      for (const kind of ["expected", "actual", "diff"]) {
        assert(names(last).includes(`notes-${kind}.png`), kind);
      }
      assertMatch(await Deno.readTextFile(path), /hello/);
    },
  );
  await t.step("refuses workers that would share a desktop", async () => {
    await using shared = new Program(["--http", "0", "--desktop", "virtual"]);
    const env = { DESKHAND_URL: await shared.controlUrl() };
    const { code, printed } = await project.run(["--fully-parallel", "--workers", "2"], env);
    assertEquals(code, 1);
    assertMatch(
      printed,
      /several workers would share the desktop of http:\S+: use --workers 1, or leave out/,
    );
  });
  await t.step("--update-snapshots renews the baselines; shards share the tests", async () => {
    const args = ["--update-snapshots", "--shard", "1/2", "--fully-parallel"];
    const { code, printed } = await project.run(args);
    assertEquals(code, 0, printed);
    assertEquals([...(await resultsOf(project)).keys()], [HOLD, LOOKS]);
    assert(!/hello/.test(await Deno.readTextFile(path)));
  });
  await t.step(
    "tests pass on their workers' desktops, including a recording's and an Xvfb test",
    async () => {
      const recorded = await saved(`${project.folder}/form.spec.ts`);
      const own = "test.use({ deskActionTimeout: 300 });\n";
      await Deno.writeTextFile(
        `${project.folder}/form.spec.ts`,
        recorded.replace(/\}\);\n$/, CHECKS.ts) + own,
      );
      if (!XVFB.ignore) await copy("xvfb.spec.ts", project);
      // The excluded test's assertions passed above, and would fill in the form.
      const { code, printed } = await project.run(["--grep-invert", HOLD]);
      assertEquals(code, 0, printed);
      const results = await resultsOf(project), count = XVFB.ignore ? 4 : 5;
      assertEquals(results.size, count);
      const { annotations } = results.get("form")![0];
      assertEquals(annotations.map(({ type }) => type), ["healed"]);
      assertMatch(
        annotations[0].description!,
        /^form\.spec\.ts:9: searchbox "Name" is not there: textbox "Name" \(e\d+\) has the same/,
      );
      assertMatch(printed, /healed: form\.spec\.ts:9: /);
      for (const [title, [result]] of results) if (title !== FAILS) assertEquals(names(result), [], title);
      const junit = await Deno.readTextFile(`${project.folder}/junit.xml`);
      assertMatch(junit, new RegExp(`tests="${count}" failures="0"`));
      assert((await Deno.stat(`${project.folder}/playwright-report/index.html`)).size > 100_000);
    },
  );
});

/** A test whose worker ends without its teardown, and one that waits for Ctrl-C. */
const CUT_SHORT = `
import { test } from "@deskhand/client/test";
import { writeFileSync } from "node:fs";
test("killed", async ({ desk }) => {
  writeFileSync("killed", desk.url);
  process.kill(process.pid, "SIGKILL");
});
test("interrupted", async ({ desk }) => {
  writeFileSync("interrupted", desk.url);
  await new Promise(() => {});
});
`;

Deno.test(
  { ...NEEDED, name: "a killed worker leaves nothing, and Ctrl-C the trace of its test" },
  async () => {
    await using project = await playwrightProject();
    const { folder } = project, env = { TMPDIR: `${folder}/temporary` };
    await Deno.mkdir(env.TMPDIR);
    await Deno.writeTextFile(`${folder}/cut.spec.ts`, CUT_SHORT);
    const url = async (name: string) => await Deno.readTextFile(`${folder}/${name}`).catch(() => "");
    const interrupting = () => until(() => url("interrupted"), (text) => text !== "");
    const { code, printed } = await project.run(["--retries", "0"], env, interrupting);
    assert(code !== 0, printed);
    for (const name of ["killed", "interrupted"]) {
      const answers = async (address: string) => (await fetch(address)).body?.cancel().then(() => true);
      await until(async () => await answers(await url(name)).catch(() => false), (isThere) => !isThere);
    }
    const left = async () => (await Array.fromAsync(Deno.readDir(env.TMPDIR))).map(({ name }) => name);
    await until(left, (all) => !all.some((name) => name.startsWith("deskhand-traces-")), String);
    const [interrupted] = (await resultsOf(project)).get("interrupted")!;
    assertEquals([interrupted.status, names(interrupted).includes("desktop trace")], ["interrupted", true]);
  },
);

async function attached({ attachments }: Result, wanted: string): Promise<string> {
  return await Deno.readTextFile(attachments.find(({ name }) => name === wanted)!.path!);
}
