/** Running without a terminal, as at session start: what docs/autostart.md promises. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/shell.ts";

const UNIT = fromFileUrl(new URL("../../docs/systemd/deskhand.service", import.meta.url));

Deno.test({
  ...need("systemd-analyze"),
  name: "systemd accepts the unit without warnings",
  async fn() {
    await temporary(async (folder) => {
      // systemd-analyze requires the program to exist.
      const unit = (await Deno.readTextFile(UNIT)).replace("%h/.local/bin/deskhand", "/bin/true");
      await Deno.writeTextFile(`${folder}/deskhand.service`, unit);
      const { code, stdout, stderr } = await new Deno.Command("systemd-analyze", {
        args: ["verify", "--user", `${folder}/deskhand.service`],
        env: { XDG_RUNTIME_DIR: folder, SYSTEMD_LOG_LEVEL: "warning" },
      }).output();
      const about = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assertEquals(about.split("\n").filter((line) => line.includes("deskhand.service")), []);
      assertEquals(code, 0, about);
    });
  },
});

Deno.test("a serving program survives the end of its input, and SIGTERM ends it with 0", async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0"], { stdin: "null" });
  const url = await program.controlUrl();
  // Its input is at its end from the start: after this many turns the program has read it, and still answers.
  for (let i = 0; i < 20; i++) {
    const answer = await fetch(`${url}/api/position`);
    assertEquals(Object.keys(await answer.json()), ["x", "y"]);
  }
  program.kill("SIGTERM");
  assertEquals((await program.ended()).code, 0);
});

Deno.test("a program without a server exits at the end of its input", async () => {
  await using program = new Program(["--desktop", "virtual"], { stdin: "null" });
  const { code, stdout } = await program.ended();
  assertEquals([code, stdout], [0, ""]);
});
