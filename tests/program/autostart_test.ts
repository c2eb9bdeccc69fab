/** Running without a terminal, as from a session's start: the promises of docs/autostart.md. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/shell.ts";

const UNIT = fromFileUrl(new URL("../../docs/systemd/deskhand.service", import.meta.url));

Deno.test({
  ...need("systemd-analyze"),
  name: "systemd finds nothing wrong with the unit",
  async fn() {
    await temporary(async (folder) => {
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
    });
  },
});

Deno.test("the end of input ends no serving program, and SIGTERM ends it with 0", async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0"], { stdin: "null" });
  const url = await program.controlUrl();
  // The end of its input is there from the start: after so many turns it has read it, and still answers.
  for (let i = 0; i < 20; i++) {
    const answer = await fetch(`${url}/api/position`);
    assertEquals(Object.keys(await answer.json()), ["x", "y"]);
  }
  program.kill("SIGTERM");
  assertEquals((await program.ended()).code, 0);
});

Deno.test("a program without a server ends at the end of its input", async () => {
  await using program = new Program(["--desktop", "virtual"], { stdin: "null" });
  const { code, stdout } = await program.ended();
  assertEquals([code, stdout], [0, ""]);
});
