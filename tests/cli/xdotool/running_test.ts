/** xdotool's commands go to the deskhand that has the desktop, if one runs. */

import { assertEquals, assertMatch } from "@std/assert";
import { Program, run } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { temporary } from "../../support/temporary.ts";

Deno.test("a running deskhand does the commands, and is no longer found once it has ended", async () => {
  await temporary(async (folder) => {
    const env = { XDG_STATE_HOME: folder, DISPLAY: "", WAYLAND_DISPLAY: "", DESKHAND_URL: "" };
    const virtual = (line: string, more: Record<string, string> = {}) =>
      run(["--desktop", "virtual", "xdotool", ...line.split(" ")], "", { env: { ...env, ...more } });

    let url = "";
    {
      await using program = new Program(["--desktop", "virtual", "--http", "0"], { env });
      url = await program.controlUrl();
      const records = () =>
        [...Deno.readDirSync(`${folder}/deskhand`)].filter(({ name }) => /^running-/.test(name));
      await until(() => records().length === 1);
      const moved = await virtual("mousemove 30 40 click 3 keydown shift");
      assertEquals(moved, { code: 0, stdout: "", stderr: "" });
      // A key that a command presses stays down after the command, as with xdotool.
      const { actions } = await (await fetch(`${url}/api/history`)).json();
      assertEquals(actions.map(({ type }: { type: string }) => type), ["move", "button", "button", "key"]);
      assertMatch((await virtual("getmouselocation", { DESKHAND_URL: url })).stdout, /^x:30 y:40 /);
      assertEquals((await virtual("keyup shift")).code, 0);
    }
    const { code, stderr } = await virtual("getmouselocation", { DESKHAND_URL: url });
    assertEquals(code, 1);
    assertMatch(stderr, /does not answer/);
  });
});
