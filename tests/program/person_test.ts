/** A person at the devices of the desktop comes before agents. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { X11 } from "../support/x11.ts";
import { Xvfb } from "../support/xvfb.ts";

const IN_USE = "a person is using the desktop";

Deno.test({
  name:
    "who uses the devices comes before agents, who holds Escape stops them, and the prompt allows them again",
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
    // The first action begins the watching of the devices, which takes a moment.
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
