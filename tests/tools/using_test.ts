/** Resources that a bundle would not dispose of. */

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { bundle, BundleError } from "../../tools/compile/bundle.ts";
import { droppedResources } from "../../tools/compile/using.ts";
import { temporary } from "../support/temporary.ts";

/** Blocks, and the names in them whose `using` esbuild would drop: a value that moves to its only use. */
const RESOURCES: [block: string, dropped: string[]][] = [
  ["using file = open();\nreturn file !== undefined;", ["file"]],
  ["using file = open(); // it is closed\nreturn file;", ["file"]],
  ["await using file = await open(\n  path,\n);\nreturn { ok: true, is: file ? 1 : 2 };", ["file"]],
  ["using hooks = new Hooks();\n\nhooks.watch();", ["hooks"]],
  ["using file = open();\nreturn file ? file.size : 0;", []],
  ["using _place = enter();\nreturn 1;", []],
  ["using file = open();\nconst size = sizeOf();\nreturn [size, file];", []],
  ["using file = open();\nreturn path.file;", []],
];

Deno.test("resources that a bundle would not dispose of are found, and refused", async () => {
  for (const [block, dropped] of RESOURCES) {
    const text = `function use() {\n  ${block.replaceAll("\n", "\n  ")}\n}\nconst file = 1, hooks = 2;\n`;
    assertEquals(droppedResources(text), dropped, text);
  }
  await temporary(async (folder) => {
    const main = join(folder, "main.ts");
    await Deno.writeTextFile(main, "function use() {\n  using a = open();\n  return a === 1;\n}\nuse();\n");
    const made = bundle(folder, { modules: [main], workers: [], files: [] }, join(folder, "stage"));
    await assertRejects(() => made, BundleError, '"using a" would be dropped');
  });
});
