/** Recording and replay in the lone file: their Workers are inside it. */

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { call } from "../program/recording.ts";
import { until } from "../support/until.ts";
import { X11 } from "../support/x11.ts";
import { Xvfb } from "../support/xvfb.ts";
import { lone, LoneFile } from "./lone.ts";

Deno.test({
  ignore: lone.ignore || X11.ignore,
  name: "the executable records what a person does, saves it and replays it",
  async fn() {
    await using file = await LoneFile.create();
    await using server = await Xvfb.start();
    await using program = file.start(["--http", "0"], server.env);
    const url = await program.controlUrl();
    const post = async (path: string, body: unknown = {}) => {
      const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
      assertEquals([answer.status, await answer.json()], [200, { ok: true }], path);
    };
    const get = async (path: string) => await (await fetch(url + path)).json();

    await server.run("xdotool", "mousemove", "5", "5");
    await post("/api/recording/start");
    await server.run(
      "xdotool",
      "mousemove",
      "200",
      "300",
      "click",
      "1",
      "mousemove",
      "400",
      "310",
      "key",
      "a",
    );
    type Event = { type: string; button?: string; key?: string; down?: boolean };
    // Two motions, and a press and a release of the button and of the key.
    await until(async () => (await get("/api/recording/state")).events >= 6);
    await post("/api/recording/stop");
    const { events }: { events: Event[] } = await get("/api/recording");
    assertEquals(
      events.filter(({ type }) => type === "button").map(({ button, down }) => [button, down]),
      [["left", true], ["left", false]],
    );

    await program.write("save what.json");
    await until(() => Deno.stat(join(file.alone, "what.json")).then(() => true, () => false));
    const saved = JSON.parse(await Deno.readTextFile(join(file.alone, "what.json")));
    assertEquals([saved.format, saved.version], ["deskhand-recording", 1]);

    await post("/api/move", { x: 5, y: 5 });
    await post("/api/recording/play");
    await until(async () => (await get("/api/recording/state")).state === "idle");
    assertEquals(await get("/api/position"), { x: 400, y: 310 });

    // A large recording is read by a Worker of its own.
    const moves = Array.from({ length: 20_000 }, (_, t) => ({ t, type: "move", x: t % 1000, y: 1 }));
    const body = JSON.stringify({ ...saved, events: moves });
    assertEquals((await fetch(`${url}/api/recording`, { method: "PUT", body })).status, 200);
    assertEquals((await get("/api/recording/state")).events, moves.length);
  },
});

Deno.test({
  ignore: lone.ignore || X11.ignore,
  name: "the next start of the executable finds what a killed one left: its recording, and what it held",
  async fn() {
    await using file = await LoneFile.create();
    await using server = await Xvfb.start();
    const env = { ...server.env, XDG_STATE_HOME: join(file.folder, "home") };
    await using program = file.start(["--http", "0"], env);
    const url = await program.controlUrl();
    for (const [path, body] of [["recording/start", {}], ["press", { key: "shift" }]] as const) {
      assertEquals((await call(url, "POST", path, body)).status, 200);
    }
    const kept = () => file.leftBehind().flatMap((path) => /held|\.journal$/.exec(path)?.[0] ?? []).sort();
    await until(kept, (names) => names.join() === ".journal,held");
    program.kill("SIGKILL");
    await program.ended();
    const { stderr } = await file.run([], "discard", env);
    assertMatch(stderr, /^released what a killed deskhand held: key shift$/m);
    assertMatch(stderr, /^a recording that ended at \S+ was left behind unsaved: load --recover$/m);
    assertEquals(kept().includes("held"), false);
  },
});
