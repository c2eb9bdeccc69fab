/** The first start from source, when Deno still has to download the libraries. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { billOfMaterials } from "../../tools/package/sbom.ts";
import { HELD } from "../../tools/tesseract.ts";
import { mustRun } from "../support/shell.ts";
import { need } from "../support/need.ts";
import { temporary } from "../support/temporary.ts";
import { Terminal } from "../support/terminal.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
/** The limits on packages and megabytes for which a newcomer waits. */
const LIMITS = { packages: 12, bytes: 40e6 };

/** Packages in a cache of Deno, as `name@version`, and the bytes of all that it holds. */
async function contentsOf(folder: string): Promise<{ packages: string[]; bytes: number }> {
  const listed = await mustRun("find", [folder, "-type", "f", "-printf", "%s %P\\n"]);
  const files = listed.trim().split("\n").map((line) => /^(\d+) (.*)$/.exec(line)!);
  const packages = files.flatMap(([, , path]) => {
    const [, name, version] = /^npm\/[^/]+\/((?:@[^/]+\/)?[^/]+)\/(\d[^/]*)\//.exec(path) ?? [];
    return name ? `${name}@${version}` : [];
  });
  return {
    packages: [...new Set(packages)].sort(),
    bytes: files.reduce((sum, [, size]) => sum + Number(size), 0),
  };
}

Deno.test("a first start from source fetches few packages, those of the bill of materials", async () => {
  await temporary(async (folder) => {
    const args = ["task", "start", "--desktop", "virtual", "-c", "g"];
    const printed = await mustRun(Deno.execPath(), args, { cwd: ROOT, env: { DENO_DIR: folder } });
    assertEquals(printed, "640 360\n");
    const { packages, bytes } = await contentsOf(folder);
    assert(packages.length <= LIMITS.packages, `${packages.length} packages: ${packages.join(", ")}`);
    assert(bytes <= LIMITS.bytes, `${(bytes / 1e6).toFixed(1)} MB`);
    const bill = await billOfMaterials("2.9.6") as { components: { name: string; version: string }[] };
    // Components that the repository itself holds are not fetched.
    const listed = bill.components.filter(({ name }) => !HELD.some((held) => held.name === name))
      .map(({ name, version }) => `${name}@${version}`);
    assertEquals(packages, listed.filter((name) => name !== "deno@2.9.6").sort());
  });
});

Deno.test({
  ...need("tmux"),
  name: "the link, the curl line and the prompt stay on the terminal while Deno downloads libraries",
  async fn() {
    await temporary(async (folder) => {
      const start = `${Deno.execPath()} task start --desktop virtual --http 0`;
      await using terminal = await Terminal.open(`DENO_DIR='${folder}/deno' ${start}`);
      await terminal.shows(/^>$/m);
      await terminal.line("g");
      await terminal.shows(/^curl http[^]*^http:\/\/\S+#token=\S+$\n^help lists .*$\n^> g$\n^640 360$\n^>$/m);
    });
  },
});
