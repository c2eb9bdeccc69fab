/** The prompt from source on another user's terminal, which the runtime cannot reopen. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseLine } from "../../control/trace/entry.ts";
import { need, needRoot, needTime } from "../support/need.ts";
import { copyFor, giveToUser } from "../support/ordinary_user.ts";
import { FOREIGN_SHELLS, Program, usePromptOn } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { X11 } from "../support/window_desktops.ts";
import { Xvfb } from "../support/xvfb.ts";

const tmux = need("tmux");

for (const shell of FOREIGN_SHELLS) {
  const { ignore } = needRoot(...shell.split(" ") as [string], "-c", "true");
  Deno.test({
    ignore: ignore || tmux.ignore || needTime("copies Deno and the program for another user").ignore,
    name: `lines typed at the prompt after ${shell} delay no request`,
    fn: () =>
      temporary(async (folder) => {
        await giveToUser(folder);
        const { runtime, main, denoDir } = await copyFor(),
          env = `DENO_DIR=${denoDir} XDG_STATE_HOME=${folder}`;
        await usePromptOn(
          shell,
          `cd ${folder}; ${env} ${runtime} run -q -A ${main} --desktop virtual --http 0`,
        );
      }),
  });
}

// A person at the desktop's devices has priority over agents.

const IN_USE = "a person is using the desktop";

Deno.test({
  name:
    "a person's input has priority over agents, holding Escape stops them, and the prompt allows them again",
  ignore: X11.ignore || need("Xephyr").ignore,
  async fn() {
    await using person = await Xvfb.start();
    await using server = await Xvfb.start({ within: person, width: 800, height: 600 });
    await using program = new Program(["--http", "0", "--desktop", "x11"], { env: server.env });
    const url = await program.controlUrl();
    const act = async (action: Record<string, unknown>) => {
      const body = JSON.stringify({ dialect: "anthropic", action });
      const answer = await fetch(`${url}/api/act`, { method: "POST", body });
      return { status: answer.status, ...await answer.json() };
    };
    const click = () => act({ action: "left_click", coordinate: [10, 20] });
    const does = (...words: string[]) => person.run("xdotool", ...words);

    assertEquals(await click(), { status: 200, ok: true, text: "clicked left at 10,20 of 800x600" });
    // The first action starts watching the devices, which takes a moment.
    let x = 300;
    const refused = await until(async () => {
      await does("mousemove", String(x++), "300");
      return await click();
    }, ({ status }) => status !== 200);
    assertEquals(refused.status, 409);
    assertStringIncludes(refused.error, IN_USE);
    assert("image" in await act({ action: "screenshot" }));
    await until(click, ({ status }) => status === 200);

    const holding = act({ action: "hold_key", text: "shift", duration: 20 });
    await until(
      () => server.run("xinput", "query-state", "Virtual core XTEST keyboard"),
      (text) => /=down/.test(text),
    );
    await does("mousemove", "310", "310", "key", "a");
    assertStringIncludes((await holding).error, IN_USE);
    await until(
      () => server.run("xinput", "query-state", "Virtual core XTEST keyboard"),
      (text) => !/=down/.test(text),
    );

    await does("keydown", "Escape");
    const agents = async () => (await (await fetch(`${url}/api/agents`)).json()).allowed;
    await until(agents, (allowed) => !allowed);
    await does("keyup", "Escape");
    await until(click, ({ error }) => error.startsWith("a person stopped the agents"));
    await program.write("agents on");
    await until(click, ({ status }) => status === 200);
    await program.write("agents off");
    await until(agents, (allowed) => !allowed);
    assertStringIncludes((await click()).error, "a person stopped the agents");
  },
});

Deno.test({
  name: "a trace has what a person does between actions: clicks, drags, the wheel, and how many keys",
  ignore: X11.ignore || need("Xephyr").ignore,
  async fn() {
    await using person = await Xvfb.start();
    await using server = await Xvfb.start({ within: person, width: 800, height: 600 });
    await temporary(async (folder) => {
      await using program = new Program(["--http", "0", "--desktop", "x11", "--trace", folder], {
        env: server.env,
      });
      const url = await program.controlUrl();
      const move = (x: number) =>
        fetch(`${url}/api/move`, { method: "POST", body: JSON.stringify({ x, y: 5 }) }).then((answer) =>
          answer.text()
        );
      const does = (...words: string[]) => person.run("xdotool", ...words);
      const [{ name }] = Deno.readDirSync(folder);
      const text = () => Deno.readTextFile(`${folder}/${name}`);
      // The first input may come before the devices are watched.
      await until(async () => {
        await does("mousemove", "100", "100", "click", "1");
        return (await text()).includes('"what":"click"');
      });
      await move(10);
      // At a hand's speed: X11 does not report where a button was pressed.
      const drag = "mousemove 200 200 sleep 0.4 mousedown 1 sleep 0.4 mousemove 300 250 sleep 0.4 mouseup 1";
      await does(...drag.split(" "));
      await does("type", "hunter2");
      await does("click", "5", "click", "5");
      await move(20);
      const written = await until(text, (text) => text.includes('"what":"scroll"'));
      const entries = written.split("\n").map(parseLine).filter((entry) => entry?.kind === "person");
      // deno-lint-ignore no-explicit-any -- each kind of input has fields of its own
      const kinds = (what: string) => entries.filter((entry: any) => entry.what === what) as any[];
      assertEquals(kinds("drag").map(({ at, to, button }) => [at, to, button]), [
        [{ x: 200, y: 200 }, { x: 300, y: 250 }, "left"],
      ]);
      assertEquals(kinds("keys").reduce((sum, { count }) => sum + count, 0), 7);
      assertEquals(kinds("scroll")[0].direction, "down");
      assertEquals(entries.filter((entry) => JSON.stringify(entry).includes("hunter2")), []);
    });
  },
});
