/** That the tour of the README does what it says, line by line. */

import { assert, assertEquals } from "@std/assert";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";

const README = new URL("../../README.md", import.meta.url);
/** A command, and what stands behind it: an answer if it begins with a brace. */
const LINE = /^ {4}(curl .*?)(?:\s+# (.*))?$/gm;

Deno.test({ name: "every curl line of the README works as written", ...need("curl") }, async () => {
  const tour = (await Deno.readTextFile(README)).split("\n## ").find((part) => part.startsWith("A tour"))!;
  const lines = [...tour.matchAll(LINE)];
  assert(lines.length > 10);
  await temporary(async (cwd) => {
    await Deno.writeFile(`${cwd}/film.mp4`, new Uint8Array(200));
    await using program = new Program(
      ["--desktop", "virtual", "--http", "0", "--files", cwd, "--files-port", "0"],
    );
    const control = await program.controlUrl(), files = await program.filesUrl();
    for (const [, command, comment] of lines) {
      const line = command
        .replace("localhost:4000", control).replace("localhost:4001", files)
        .replace("curl -N", "timeout 0.5 curl -N") // endless
        .replace("curl ", "curl -sSf ");
      const { code, stdout, stderr } = await new Deno.Command("bash", { args: ["-c", line], cwd }).output();
      const printed = new TextDecoder().decode(stdout), failed = new TextDecoder().decode(stderr);
      assertEquals(code, line.startsWith("timeout") ? 124 : 0, `${command}: ${printed}${failed}`);
      if (comment?.startsWith("{")) assertEquals(printed, comment, command);
    }
    assertEquals((await Deno.stat(`${cwd}/start.bin`)).size, 100);
    assert((await Deno.stat(`${cwd}/screen.png`)).size > 1000);
  });
});
