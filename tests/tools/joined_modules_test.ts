/** The modules that `deno task compile` joins: fewer files with the source's behavior. */

import { assert, assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { bundle } from "../../tools/compile/bundle.ts";
import { findParts } from "../../tools/compile/embedded.ts";
import { TOGETHER } from "../../tools/compile/late.ts";
import { temporary } from "../support/shell.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
/** Files that every project has. */
const PROJECT = { "deno.json": "{}", "deno.lock": '{ "version": "5" }' };

/** Joined modules. */
interface Joined {
  /** The output of the joined program. */
  printed: string;
  /** The modules' texts by file name. */
  texts: ReadonlyMap<string, string>;
  /** Workers and other files. */
  includes: string[];
}

/**
 * Joins the modules of a program that starts at `main.ts`, and runs them without the source.
 * @param files The source files' texts by path.
 */
async function joined(files: Readonly<Record<string, string>>): Promise<Joined> {
  return await temporary(async (folder) => {
    const source = join(folder, "source"), stage = join(folder, "stage");
    for (const [name, text] of Object.entries({ ...PROJECT, ...files })) {
      await Deno.mkdir(dirname(join(source, name)), { recursive: true });
      await Deno.writeTextFile(join(source, name), text);
    }
    const { entry, includes } = await bundle(source, await findParts(join(source, "main.ts")), stage);
    await Deno.remove(source, { recursive: true });
    const names = [...Deno.readDirSync(dirname(entry))].map(({ name }) => name).filter((name) =>
      name.endsWith(".js")
    );
    const texts = new Map(names.map((name) => [name, Deno.readTextFileSync(join(dirname(entry), name))]));
    const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["run", "-A", entry] }).output();
    return {
      printed: new TextDecoder().decode(stdout),
      texts,
      includes: includes.map((path) => path.slice(join(stage, "made/").length)),
    };
  });
}

Deno.test("joined modules find their Workers and files, even if names are equal", async () => {
  const files: Record<string, string> = {
    "main.ts": `const { one } = await import("./one/ask.ts"), { two } = await import("./two/ask.ts");
      const page = new URL("./page/", import.meta.url);
      console.log(await one(), await two(), await Deno.readTextFile(new URL("a.txt", page)));`,
    "shared.ts": "export const shared = 1;",
    "page/a.txt": "page",
  };
  for (const name of ["one", "two"]) {
    files[`${name}/worker.ts`] = `import "../shared.ts"; postMessage("${name}");`;
    files[`${name}/ask.ts`] = `export function ${name}(): Promise<string> {
      const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
      return new Promise((done) => worker.onmessage = ({ data }) => (worker.terminate(), done(data)));
    }`;
  }
  const { includes, printed } = await joined(files);
  assertEquals(includes, ["one-worker.js", "two-worker.js", "page/"]);
  assertEquals(printed, "one two page\n");
});

Deno.test("joins main.ts's imports and what later modules share with them into one file", async () => {
  const { printed, texts } = await joined({
    "main.ts": 'import { run } from "./start.ts";\nawait run();',
    "start.ts": `import { a } from "./a.ts";
      import { b } from "./b.ts";
      export const worker = new URL("./apart/worker.ts", import.meta.url);
      export async function run() {
        const later = [await import("./later_a.ts"), await import("./later_b.ts")];
        console.log(a, b, later.map(({ what }) => what).join(" "));
      }`,
    "a.ts": 'export const a = "a";',
    "b.ts": 'export const b = "b";',
    "later_a.ts": 'import { a } from "./a.ts";\nexport const what = "later " + a;',
    "apart/worker.ts": 'import "../a.ts";',
    "later_b.ts": 'import { b } from "./b.ts";\nexport const what = "later " + b;',
  });
  assertEquals(texts.get("main.js")!.match(/"\.\/chunk-\w+\.js"/g)?.length, 1);
  assertEquals(printed, "a b later a later b\n");
});

Deno.test("joins what an xdotool command loads in turn on Wayland, and still loads it late", async () => {
  const { printed, texts } = await joined({
    "main.ts":
      'const { href } = new URL("./cli/xdotool/main.ts", import.meta.url);\nawait (await import(href)).main();',
    "cli/xdotool/main.ts": `export async function main() {
      const { open } = await import("../../ffi/open.ts");
      const { CALLS } = await import("./calls_here.ts");
      const { TARGET } = await import("./desktop_target.ts");
      console.log(await open(), CALLS, TARGET, await (await import("../../ffi/x11/alone.ts")).alone());
    }`,
    "ffi/x11/alone.ts":
      'import { SHARED } from "../../shared.ts";\nexport const alone = () => "alone " + SHARED;',
    "cli/xdotool/calls_here.ts":
      'import { SHARED } from "../../shared.ts";\nexport const CALLS = "calls " + SHARED;',
    "cli/xdotool/desktop_target.ts": 'export const TARGET = "target";',
    "ffi/open.ts": 'export const open = async () => await (await import("./wayland/mod.ts")).openWayland();',
    "ffi/wayland/mod.ts": `import { SHARED } from "../../shared.ts";
      export const openWayland = async () => SHARED + " " + (await import("./wlroots/way.ts")).WAY;`,
    "ffi/wayland/wlroots/way.ts": 'export const WAY = "way";',
    "shared.ts": 'export const SHARED = "shared";',
  });
  assertEquals(printed, "shared way calls shared target alone shared\n");
  const alone = new Set([...texts.keys()].filter((name) => name.startsWith("alone")));
  assertEquals(alone.size, 1);
  for (const name of alone) {
    for (const [, other] of texts.get(name)!.matchAll(/"\.\/([^"]+\.js)"/g)) alone.add(other);
  }
  const late = [...alone].filter((name) => texts.get(name)!.includes('"way"'));
  assertEquals(late, [], "it loads the joined ones");
  // The main module, xdotool's, the one loaded alone, the joined ones, what all share, and esbuild's own.
  assertEquals(texts.size, 6, [...texts.keys()].join());
});

Deno.test("the modules that are joined by name exist", async () => {
  for (const name of TOGETHER) assert((await Deno.stat(join(ROOT, name))).isFile, name);
});
