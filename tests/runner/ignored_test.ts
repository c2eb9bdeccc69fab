/** The small set: which tests are left to `deno task test --all` because of their needs. */

import { assert, assertEquals, assertStringIncludes, fail } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { isThere, need, needTime, SMALL_RUN } from "../support/need.ts";
import { SMALL } from "../support/package_tables.ts";
import { announcement } from "../support/packages.ts";
import { CONFIG_PATH, refuseFetch, SMALL_LOCK, whyUnavailable } from "../support/config.ts";
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

/** Deno's npm packages. */
const DENO = ["deno", "@deno/linux-x64-glibc"].map((name) => `${name}@${Deno.version.deno}`);
/** Megabytes of the registry's descriptions of packages, and of esbuild, which `deno bundle` fetches. */
const OTHERS_MB = 10;

/** Megabytes that apt would fetch if nothing were installed. */
async function debianMegabytes(...packages: string[]): Promise<number> {
  const said = await announcement(["-o", "Dir::State::status=/dev/null", ...packages]);
  return Number(/, ([\d.]+) MB to fetch,/.exec(said)?.[1] ?? fail(said));
}

/** Megabytes of a package's tarball, as the registry states. @param spec Its name and version. */
async function npmMegabytes(spec: string): Promise<number> {
  const [, name, base, version] = /^((?:@[^/]+\/)?([^@]+))@([^_]+)/.exec(spec)!;
  const url = `https://registry.npmjs.org/${name}/-/${base}-${version}.tgz`;
  const { ok, headers } = await fetch(url, { method: "HEAD" });
  return ok ? Number(headers.get("content-length") ?? fail(url)) / 1e6 : fail(url);
}

const why = await whyUnavailable(() => Promise.resolve(refuseFetch("HEAD requests")));
if (why) console.error(`\n!!! SKIPPED: the size of the small set is not checked, since ${why} !!!\n`);

Deno.test({
  name: "a Debian with only Node fetches 150 MB at most for the small set, including Deno and npm packages",
  ignore: why !== undefined || need("apt-get").ignore,
}, async () => {
  // What apt needs is a part of the base system.
  const debian = await debianMegabytes("apt", ...Object.keys(SMALL)) - await debianMegabytes("apt");
  const sum = (all: number[]) => all.reduce((before, one) => before + one, 0);
  const deno = sum(await Promise.all(DENO.map(npmMegabytes)));
  const npm = sum(await Promise.all(Object.keys(packagesOf(SMALL_LOCK)).map(npmMegabytes)));
  assert(debian > 20 && deno > 20 && npm > 5, `${[debian, deno, npm]}`);
  assert(debian + deno + npm + OTHERS_MB <= 150, `${[debian, deno, npm]}`);
});

/** The packages in a lock file. */
function packagesOf(path: string): Record<string, { integrity: string }> {
  return JSON.parse(Deno.readTextFileSync(path)).npm;
}

Deno.test("tests/small.lock has the packages that the small set imports, with the hashes of tests/deno.lock", async () => {
  const [small, all] = [SMALL_LOCK, CONFIG_PATH.replace(/json$/, "lock")].map((path) =>
    Object.entries(packagesOf(path)).map(([name, { integrity }]) => `${name} ${integrity}`)
  );
  assertEquals(small.filter((row) => !all.includes(row)), []);
  const args = ["cache", "-q", "--frozen", "--config", CONFIG_PATH, "--lock", SMALL_LOCK];
  await mustRun(Deno.execPath(), [...args, "tests/run.ts", "main.ts", ...testFiles().filter(isShort)], {
    cwd: ROOT,
  });
});
