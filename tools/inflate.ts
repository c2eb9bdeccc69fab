/**
 * Writes control/page/inflate.js: fflate's inflateSync, without the rest of that library. The live picture needs it: the
 * browser's own DecompressionStream takes five times as long for messages of some kilobytes, most of it waiting.
 *
 *     deno task inflate
 */

import { fromFileUrl } from "@std/path";

const root = new URL("..", import.meta.url);
const entry = await Deno.makeTempFile({ dir: fromFileUrl(root), suffix: ".ts" });
try {
  await Deno.writeTextFile(entry, 'export { inflateSync } from "fflate";\n');
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--config", "tests/deno.json", "--quiet", "--platform", "browser", "--minify", entry],
    cwd: fromFileUrl(root),
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("deno bundle failed");
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("tests/deno.json", root)));
  const version = imports.fflate.replace("npm:fflate@", "");
  const file = new URL("control/page/inflate.js", root);
  // The file's first comment holds fflate's license, which has to stay with it.
  const [comment] = (await Deno.readTextFile(file)).replace(/fflate [\d.]+/, `fflate ${version}`).split(
    "*/\n",
  );
  await Deno.writeTextFile(file, `${comment}*/\n${new TextDecoder().decode(stdout)}`);
} finally {
  await Deno.remove(entry);
}
