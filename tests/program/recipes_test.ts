/** The recipes work: their shell commands run, and print the text shown after them. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { freePort } from "../support/program.ts";
import { temporary } from "../support/shell.ts";
import { Xvfb } from "../support/xvfb.ts";

const FOLDER = new URL("../../docs/recipes/", import.meta.url);
const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
/** Stand-ins for programs of that name; root's Chromium runs without a sandbox. */
const SHIMS = {
  deskhand: `${Deno.execPath()} run -q -A ${MAIN}`,
  chromium: "/usr/bin/chromium --no-sandbox --disable-gpu",
};
/** The programs that the recipes call in addition to deskhand. */
const PROGRAMS = need(
  ...[
    "Xvfb",
    "xvfb-run",
    "xauth",
    "openbox",
    "zenity",
    "chromium",
    "curl",
    "openssl",
    "file",
    "xclock",
    "xev",
    "xprop",
  ],
);

for (const { name } of Deno.readDirSync(FOLDER)) {
  Deno.test({ ...PROGRAMS, name: `the recipe ${name} works as written` }, async () => {
    const text = await Deno.readTextFile(new URL(name, FOLDER));
    const [, commands, printed] = /```sh\n([^]*?)```[^]*?```text\n([^]*?)```/.exec(text)!;
    await using server = await Xvfb.start();
    await using _manager = await server.manager("openbox");
    await using _changing = server.spawn("xclock", "-digital", "-update", "1"); // the window to watch
    await temporary(async (cwd) => {
      for (const [program, command] of Object.entries(SHIMS)) {
        const shim = `#!/bin/sh\nexec ${command} "$@" </dev/null\n`;
        await Deno.mkdir(`${cwd}/bin`, { recursive: true });
        await Deno.writeTextFile(`${cwd}/bin/${program}`, shim, { mode: 0o755 });
      }
      const script = `set -eu\n${commands.replaceAll("4000", String(freePort()))}`;
      // In its own process group, which ends with the test.
      const child = new Deno.Command("setsid", {
        args: ["bash", "-c", script],
        cwd,
        env: {
          ...server.env,
          PATH: `${cwd}/bin:${Deno.env.get("PATH")}`,
          XDG_STATE_HOME: `${cwd}/state`,
        },
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const err = new Response(child.stderr).text(), ended = child.status;
      const { code } = await ended;
      try {
        Deno.kill(-child.pid, "SIGKILL");
      } catch {
        // All have ended.
      }
      const out = await new Response(child.stdout).text();
      assertEquals([out, code], [printed, 0], await err);
    });
  });
}
