/**
 * Writes control/page/inflate.js: fflate's inflateSync, without the rest of that library. The live picture needs it: the
 * browser's own DecompressionStream takes five times as long for messages of some kilobytes, most of it waiting.
 *
 *     deno task inflate
 */

import { fromFileUrl } from "@std/path";

/** fflate's license, which asks for being kept with it. */
const LICENSE = `MIT License

Copyright (c) 2023 Arjun Barrett

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const root = new URL("..", import.meta.url);
const entry = await Deno.makeTempFile({ dir: fromFileUrl(root), suffix: ".ts" });
try {
  await Deno.writeTextFile(entry, 'export { inflateSync } from "fflate";\n');
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform", "browser", "--minify", entry],
    cwd: fromFileUrl(root),
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("deno bundle failed");
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  const version = imports.fflate.replace("npm:fflate@", "");
  await Deno.writeTextFile(
    new URL("control/page/inflate.js", root),
    `/* fflate ${version}, its inflateSync alone, made by "deno task inflate".\n\n${LICENSE} */\n` +
      new TextDecoder().decode(stdout),
  );
} finally {
  await Deno.remove(entry);
}
