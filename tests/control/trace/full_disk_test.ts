/** The end of a trace on a full disk: whole entries, the last of which says why. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { config } from "../../support/config.ts";
import { needRoot } from "../../support/need.ts";
import { mustRun, temporary } from "../../support/shell.ts";
import type { FullDisk } from "./full_disk_subject.ts";

const SUBJECT = fromFileUrl(new URL("full_disk_subject.ts", import.meta.url));
/** The disk size: room for the trace's page, and some more. */
const SIZE = "400k";

Deno.test({
  name: "a trace on a full disk ends with a whole entry, whatever precedes it",
  ...needRoot("unshare", "-m", "true"),
}, async () => {
  await temporary(async (folder) => {
    const mounted = `mount -t tmpfs -o size=${SIZE} tmpfs "$0" && exec "$@" "$0"`;
    const subject = [Deno.execPath(), "run", "-A", "--no-check", ...config(), SUBJECT];
    const said = await mustRun("unshare", ["-m", "sh", "-c", mounted, folder, ...subject]);
    const cases: FullDisk[] = said.trimEnd().split("\n").map((line) => JSON.parse(line));
    const first = cases.pop()!, next = cases.pop()!;
    assertEquals(cases.length, 12);
    for (const { name, files, problem, last, marks, cut } of [...cases, next]) {
      assertEquals(files.length, 1, name);
      assertMatch(String(problem), /^No space left on device/, name);
      const { kind, why } = last as { kind: string; why: string };
      assertEquals([kind, why], ["end", `it cannot be written: ${problem}`], name);
      assertEquals(cut, [], name);
      if (/^marks of (0|100)\b/.test(name)) assert(marks > 2, `${name}: ${marks} marks`);
    }
    assertEquals([first.files, first.last], [[], undefined]);
    assertMatch(String(first.problem), /^No space left on device/);
  });
});
