/** Playwright Test with the fixtures and matchers of the client's package: the real runner, under Node. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { copy, playwrightProject, type Project } from "./playwright_project.ts";
import { need, needTime } from "../support/need.ts";

const NEEDED = {
  ignore: need("node", "npm").ignore || needTime("starts Node and a runner a dozen times").ignore,
};
const XVFB = need("Xvfb", "openbox", "dbus-daemon", "/usr/libexec/at-spi2-registryd", "zenity");

interface Result {
  status: string;
  errors: { message: string }[];
  attachments: { name: string; contentType: string; path?: string }[];
}

/** The results of the last run, by the titles of tests. */
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
  await t.step(
    "the first run writes baselines and fails for them; without that it fails and writes none",
    async () => {
      assertEquals((await project.run(["desk.spec.ts", "--update-snapshots", "none"])).code, 1);
      assertMatch(
        (await resultsOf(project)).get(LOOKS)![0].errors[0].message,
        /there is no baseline .*notes-linux/,
      );
      assertEquals((await project.run(["desk.spec.ts"])).code, 1);
      const looks = (await resultsOf(project)).get(LOOKS)![0];
      assertEquals(looks.errors.length, 3);
      for (const { message } of looks.errors) {
        assertMatch(message, /there was no baseline .*: it is written now/);
      }
    },
  );
  await t.step("the next runs pass, without traces and pictures, and shards share the tests", async () => {
    const { code, printed } = await project.run(["desk.spec.ts"]);
    assertEquals(code, 0, printed);
    const results = await resultsOf(project);
    assertEquals([...results.keys()], [HOLD, LOOKS, FAILS]);
    for (const title of [HOLD, LOOKS]) {
      assertEquals(names(results.get(title)![0]), [], title);
    }
    assertMatch(await Deno.readTextFile(`${project.folder}/junit.xml`), /tests="3" failures="0"/);
    assert((await Deno.stat(`${project.folder}/playwright-report/index.html`)).size > 100_000);
    assertEquals((await project.run(["desk.spec.ts", "--shard", "1/2", "--fully-parallel"])).code, 0);
    assert((await resultsOf(project)).size < 3);
  });
  await t.step("a failed test has its trace and pictures, and is repeated by --retries", async () => {
    const env = { FAILING: "1", CHANGED: "1" };
    assertEquals((await project.run(["desk.spec.ts", "--retries", "1"], env)).code, 1);
    const results = await resultsOf(project), failed = results.get(FAILS)!, changed = results.get(LOOKS)!;
    assertEquals([failed.length, changed.length], [2, 2]);
    assertMatch(
      failed[0].errors[0].message,
      /button "Sned" is not there within 200 ms: near: button "Send"/,
    );
    assertEquals(names(failed[0]).sort(), ["desktop", "desktop trace", "error-context"]);
    assertMatch(await attached(failed[0], "desktop trace"), /^<!doctype html>/i);
    const [looks, outline] = changed[0].errors.map(({ message }) => message);
    assertMatch(looks, /\d+ pixels .* differ from .*notes-linux\.png after 200 ms: \d+x\d+ at/);
    assertMatch(outline, /\+ .*hello/);
    for (const kind of ["expected", "actual", "diff"]) {
      assert(names(changed[0]).includes(`notes-${kind}.png`), kind);
    }
  });
  await t.step("--update-snapshots renews the baselines", async () => {
    const path = `${project.folder}/desk.spec.ts-snapshots/notes.yml`, before = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, '- button "Other"\n');
    const { code, printed } = await project.run(["desk.spec.ts", "--grep", "outline", "--update-snapshots"]);
    assertEquals([code, await Deno.readTextFile(path)], [0, before], printed);
  });
});

async function attached({ attachments }: Result, wanted: string): Promise<string> {
  return await Deno.readTextFile(attachments.find(({ name }) => name === wanted)!.path!);
}

Deno.test(
  { ignore: NEEDED.ignore || XVFB.ignore, name: "each worker of Playwright Test has an X server of its own" },
  async () => {
    await using project = await playwrightProject();
    await copy("xvfb.spec.ts", project);
    const { code, printed } = await project.run(["xvfb.spec.ts", "--reporter", "line", "--repeat-each", "2"]);
    assertEquals(code, 0, printed);
  },
);
