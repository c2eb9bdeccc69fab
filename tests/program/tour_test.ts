/** The README's tour works line by line, on a virtual desktop and on a real one. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { Xvfb } from "../support/xvfb.ts";

const README = new URL("../../README.md", import.meta.url);
/** A command, and the text after it: an answer if the text begins with a brace. */
const LINE = /^ {4}(curl .*?)(?:\s+# (.*))?$/gm;

Deno.test(
  { name: "every curl line of the README works on the virtual desktop", ...need("curl") },
  async () => {
    await tour(["--desktop", "virtual"]);
  },
);

Deno.test({
  name: "every curl line of the README works on a real desktop",
  ...need("curl", "Xvfb", "openbox", "xev", "xprop", "xterm"),
}, async () => {
  await using server = await Xvfb.start();
  await using _manager = await server.manager("openbox");
  await using _window = server.spawn("xterm", "-geometry", "80x24+100+50");
  await tour([], server.env);
});

/** @param env The environment of a real desktop, which lacks the virtual desktop's programs. */
async function tour(args: string[], env?: Record<string, string>): Promise<void> {
  const tour = (await Deno.readTextFile(README)).split("\n## ").find((part) => part.startsWith("A tour"))!;
  const [any, desk] = tour.split("\n### "), part = env ? any : `${any}${desk}`;
  const lines = [...part.matchAll(LINE)];
  assert(lines.length > 10);
  await temporary(async (cwd) => {
    await Deno.writeFile(`${cwd}/film.mp4`, new Uint8Array(200));
    await using program = new Program([...args, "--http", "0", "--files", cwd, "--files-port", "0"], {
      env: env ?? {},
    });
    const control = await program.controlUrl(), files = await program.filesUrl();
    await until(async () => (await (await fetch(`${control}/api/windows`)).json()).windows.length);
    for (const [, command, comment] of lines) {
      const line = command
        .replace("localhost:4000", control).replace("localhost:4001", files)
        .replace("curl -N", "timeout 0.5 curl -N") // endless
        .replace("curl ", "curl -sSf ");
      const { code, stdout, stderr } = await new Deno.Command("bash", { args: ["-c", line], cwd }).output();
      const printed = new TextDecoder().decode(stdout), failed = new TextDecoder().decode(stderr);
      assertEquals(code, line.startsWith("timeout") ? 124 : 0, `${command}: ${printed}${failed}`);
      if (comment?.startsWith("{")) assertEquals(printed, `${comment}\n`, command);
      if (comment?.startsWith('"')) assertStringIncludes(printed, comment, command);
    }
    assertEquals((await Deno.stat(`${cwd}/start.bin`)).size, 100);
    assert((await Deno.stat(`${cwd}/screen.png`)).size > 1000);
  });
}
