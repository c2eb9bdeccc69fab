/** Running without a terminal, as from a session's start: what docs/autostart.md promises. */

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";

const UNIT = fromFileUrl(new URL("../../docs/systemd/deskhand.service", import.meta.url));
const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

Deno.test({
  ...need("systemd-analyze"),
  name: "systemd finds nothing wrong with the unit",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      // The program must be there for systemd to be content.
      const unit = (await Deno.readTextFile(UNIT)).replace("%h/.local/bin/deskhand", "/bin/true");
      await Deno.writeTextFile(`${folder}/deskhand.service`, unit);
      const { code, stdout, stderr } = await new Deno.Command("systemd-analyze", {
        args: ["verify", "--user", `${folder}/deskhand.service`],
        env: { XDG_RUNTIME_DIR: folder, SYSTEMD_LOG_LEVEL: "warning" },
      }).output();
      const about = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assertEquals(about.split("\n").filter((line) => line.includes("deskhand.service")), []);
      assertEquals(code, 0, about);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("the end of input ends no serving program, and SIGTERM ends it with 0", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", MAIN, "--desktop", "virtual", "--http", "0"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let printed = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += text;
    if (printed.includes("/openapi.json")) break;
  }
  const port = /^HTTP server started on port (\d+)$/m.exec(printed)![1];
  // The end of its input is there from the start: after so many turns it has read it, and still answers.
  for (let i = 0; i < 20; i++) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/position`);
    assertEquals(Object.keys(await answer.json()), ["x", "y"]);
  }
  child.kill("SIGTERM");
  assertEquals((await child.status).code, 0);
});

Deno.test("without a listener the end of input is the end", async () => {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", MAIN, "--desktop", "virtual"],
    stdin: "null",
  }).output();
  assertEquals(code, 0);
  assertMatch(new TextDecoder().decode(stdout), /^$/);
});
