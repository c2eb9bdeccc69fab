/**
 * Runs every test and prints one line of counts at the end: what `deno task test` does.
 *
 * Arguments are passed on to `deno test` (files, `--filter`); then the Windows tests are left out.
 */

import { fromFileUrl } from "@std/path";
import { installPackages } from "./support/packages.ts";
import { type Counts, windowsTests } from "./windows/run.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

async function denoTests(args: string[]): Promise<Counts> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  try {
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", `--junit-path=${report}`, ...(args.length ? args : ["tests/"])],
      cwd: ROOT,
      stdin: "null",
    }).spawn().status;
    const xml = await Deno.readTextFile(report).catch(() => "");
    const count = (tag: string) => xml.match(new RegExp(`<${tag}[ >/]`, "g"))?.length ?? 0;
    const failed = count("failure") + count("error");
    const skipped = count("skipped");
    // A test file that does not load fails the run without a test case of its own.
    return { passed: count("testcase") - failed - skipped, failed: success ? failed : failed || 1, skipped };
  } finally {
    await Deno.remove(report);
  }
}

await installPackages();
const total = await denoTests(Deno.args);
if (!Deno.args.length) {
  const windows = await windowsTests([]);
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += windows[key];
}
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
Deno.exit(total.failed ? 1 : 0);
