/** Signals that a program ignores because its parent did. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { temporary } from "../support/shell.ts";

const MODULE = fromFileUrl(new URL("../../core/lifetime.ts", import.meta.url));
const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));
const HANG_UP = 1, TERMINATE = 15;

Deno.test({
  name: "detects a signal that the parent ignores, with only the FFI permission",
  ignore: Deno.build.os === "windows",
}, async () => {
  await temporary(async (folder) => {
    const probe = `${folder}/probe.ts`;
    await Deno.writeTextFile(
      probe,
      `import { isIgnored } from ${JSON.stringify(MODULE)};\n` +
        `console.log(isIgnored(${HANG_UP}), isIgnored(${TERMINATE}));\n`,
    );
    const cases: [trap: string, printed: string][] = [
      ["", "false false"],
      [`trap "" HUP;`, "true false"],
      [`trap "" HUP TERM;`, "true true"],
    ];
    for (const [trap, printed] of cases) {
      const { stdout, stderr } = await new Deno.Command("sh", {
        args: [
          "-c",
          `${trap} exec "$0" "$@"`,
          ...[Deno.execPath(), "run", "--config", CONFIG, "--no-prompt", "--allow-ffi", probe],
        ],
      }).output();
      assertEquals(new TextDecoder().decode(stdout).trim(), printed, new TextDecoder().decode(stderr));
    }
  });
});

const HEADER = `#include <signal.h>
#include <stddef.h>
_Static_assert(offsetof(struct sigaction, sa_handler) == 0, "sa_handler");
_Static_assert(sizeof(((struct sigaction *) 0)->sa_handler) == 8, "width of sa_handler");
_Static_assert(sizeof(struct sigaction) == 152, "size");
_Static_assert(SIGHUP == ${HANG_UP} && SIGTERM == ${TERMINATE}, "numbers");
`;

for (const compiler of ["gcc", "aarch64-linux-gnu-gcc", "musl-gcc"]) {
  Deno.test({
    name: `struct sigaction has the assumed layout in the headers of ${compiler}`,
    ...need(compiler),
  }, async () => {
    const child = new Deno.Command(compiler, {
      args: ["-x", "c", "-fsyntax-only", "-"],
      stdin: "piped",
      stderr: "piped",
    }).spawn();
    const input = child.stdin.getWriter();
    await input.write(new TextEncoder().encode(HEADER));
    await input.close();
    const { success, stderr } = await child.output();
    assert(success, new TextDecoder().decode(stderr));
  });
}
