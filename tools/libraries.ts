/**
 * Generates the modules of the source that are single functions from libraries, so that a first start from
 * source does not fetch whole packages for them:
 *
 * - control/page/inflate.js, fflate's inflateSync: the browser's own DecompressionStream takes five times as
 *   long for the live picture's messages, most of it waiting.
 * - control/find/pixelmatch.js, pixelmatch's comparison, whose package also fetches a PNG reader.
 *
 *     deno task libraries
 */

import { fromFileUrl } from "@std/path";

/** A module generated from a library. */
interface LibraryModule {
  package: string;
  /** The module's path; its first comment contains the library's license. */
  file: string;
  /** The module's exports. */
  exports: string;
  platform: "browser" | "deno";
}

const MODULES: readonly LibraryModule[] = [
  {
    package: "fflate",
    file: "control/page/inflate.js",
    exports: "{ inflateSync }",
    platform: "browser",
  },
  {
    package: "pixelmatch",
    file: "control/find/pixelmatch.js",
    exports: "{ default }",
    platform: "deno",
  },
];

const root = new URL("..", import.meta.url);

async function write({ package: name, file: path, exports, platform }: LibraryModule): Promise<void> {
  const entry = await Deno.makeTempFile({ dir: fromFileUrl(root), suffix: ".ts" });
  try {
    await Deno.writeTextFile(entry, `export ${exports} from "${name}";\n`);
    const { stdout, success } = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", "--config", "tests/deno.json", "--quiet", "--platform", platform, "--minify", entry],
      cwd: fromFileUrl(root),
      stderr: "inherit",
    }).output();
    if (!success) throw new Error("deno bundle failed");
    const { imports } = JSON.parse(await Deno.readTextFile(new URL("tests/deno.json", root)));
    const version = imports[name].replace(`npm:${name}@`, "");
    const file = new URL(path, root);
    // The file's first comment contains the library's license, which must stay with it.
    const [comment] = (await Deno.readTextFile(file)).replace(
      new RegExp(`${name} [\\d.]+`),
      `${name} ${version}`,
    ).split("*/\n");
    await Deno.writeTextFile(file, `${comment}*/\n${new TextDecoder().decode(stdout)}`);
  } finally {
    await Deno.remove(entry);
  }
}

for (const module of MODULES) await write(module);
