/** The executable's subcommands, exit codes and recordings, tested on the lone file. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { SUBCOMMANDS } from "../../cli/subcommands.ts";
import { call } from "../program/recording.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { X11 } from "../support/window_desktops.ts";
import { Xvfb } from "../support/xvfb.ts";
import { lone, LoneFile } from "./lone.ts";

const VIRTUAL = ["--desktop", "virtual"];

Deno.test({
  ...lone,
  name: "every subcommand works in the executable",
  async fn(test) {
    await using file = await LoneFile.create();
    await test.step("mcp", async () => {
      await using program = file.start(["mcp", ...VIRTUAL, "--tools", "classic"]);
      await program.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
      await program.printed(/"name":"screenshot"/);
      await program.endInput();
      assertEquals((await program.ended()).code, 0);
    });
    await test.step("xdotool, also through a link of that name", async () => {
      const { code, stdout } = await file.run(["xdotool", "--version"]);
      assertEquals(code, 0);
      assertMatch(stdout, /^xdotool version \d/);
      const link = join(file.folder, "xdotool");
      await Deno.symlink(file.executable, link);
      await using linked = new Program(["--version"], {
        executable: link,
        clearEnv: true,
        env: file.environment,
      });
      assertEquals(await linked.ended(), { code: 0, stdout, stderr: "" });
    });
    await test.step("do", async () => {
      const token = ["--token", "0123456789abcdef0123"];
      await using program = file.start([...VIRTUAL, "--http", "0", ...token]);
      const { port } = new URL(await program.controlUrl());
      const { code, stdout, stderr } = await file.run(["do", "--http", port, ...token, "click File", "see"]);
      assertEquals(code, 0, stderr);
      assertMatch(stdout, /^2\/2 done[^]*Save/);
      const looks = `expect looks ${file.environment.HOME}/notes.png window=Notes`;
      const words = ["do", "--http", port, ...token, "key Escape", looks];
      const [written, same] = [await file.run(words), await file.run(words)];
      assertMatch(written.stderr, /no baseline .*notes\.png existed; it has been written now/);
      assertEquals([written.code, same.code], [1, 0], same.stderr);
    });
    // Others are tested above, by their options, or from source (run needs programs that the lone file cannot
    // see).
    await test.step("agent", async () => {
      const skill = join(file.environment.HOME, ".claude/skills/deskhand/SKILL.md");
      assertEquals((await file.run(["agent", "install", "claude"])).code, 0);
      assertStringIncludes(await Deno.readTextFile(skill), "name: deskhand");
      assertEquals((await file.run(["agent", "uninstall", "claude"])).code, 0);
      assertEquals((await file.run(["agent", "install", "netscape"])).code, 2);
    });
    const tried = ["mcp", "agent", "xdotool", "do", "run", "trace", "link", "share"];
    for (const row of SUBCOMMANDS.filter(({ name }) => !tried.includes(name))) {
      const { argument } = row;
      for (const choice of argument && "choices" in argument ? argument.choices : [undefined]) {
        const words = [row.name, ...choice ? [choice] : []];
        await test.step(words.join(" "), async () => {
          const { code, stdout, stderr } = await file.run(words);
          // doctor exits with 1 if this machine lacks something.
          assert(code === 0 || row.name === "doctor" && code === 1, stderr);
          assertStringIncludes(stdout, row.name === "doctor" ? "display" : "deskhand");
        });
      }
    }
  },
});

/** Exit codes by cause. */
const EXITS: { args: string[]; input?: string; code: number; stderr: RegExp }[] = [
  { args: [...VIRTUAL], input: "g\nquit\n", code: 0, stderr: /^$/ },
  { args: [...VIRTUAL, "-c", "nonsense"], code: 1, stderr: /nonsense/ },
  { args: [...VIRTUAL], input: "g\nnonsense\ng\n", code: 1, stderr: /line 2: .*nonsense/ },
  { args: ["--nonsense"], code: 2, stderr: /unknown option --nonsense/ },
  { args: ["nonsense"], code: 2, stderr: /nonsense/ },
  { args: ["--http", "65536"], code: 2, stderr: /0 to 65535/ },
  { args: ["--desktop"], code: 2, stderr: /--desktop needs a value/ },
  { args: ["--desktop", "auto"], code: 3, stderr: /--desktop virtual/ },
  { args: ["--desktop", "windows"], code: 3, stderr: /\S/ },
];

Deno.test({
  ...lone,
  name: "the executable exits with the codes in the README",
  async fn(test) {
    await using file = await LoneFile.create();
    for (const { args, input, code, stderr } of EXITS) {
      await test.step(`${args.join(" ")}${input ? ` < ${JSON.stringify(input)}` : ""} exits with ${code}`, async () => {
        const ended = await file.run(args, input);
        assertEquals(ended.code, code, ended.stderr);
        assertMatch(ended.stderr, stderr);
      });
    }
    await test.step("a port that is taken exits with 2", async () => {
      await using first = file.start([...VIRTUAL, "--http", "0"]);
      const { port } = new URL(await first.controlUrl());
      const second = await file.run([...VIRTUAL, "--http", port]);
      assertEquals(second.code, 2);
      assertStringIncludes(second.stderr, `port ${port} is taken`);
    });
  },
});

// Recording and replay in the lone file, which contains their Workers.

Deno.test({
  ignore: lone.ignore || X11.ignore,
  name: "the executable records a user's actions, saves them and replays them",
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
    // Two motions, and press and release of a button and a key.
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

    // A Worker reads a large recording.
    const moves = Array.from({ length: 20_000 }, (_, t) => ({ t, type: "move", x: t % 1000, y: 1 }));
    const body = JSON.stringify({ ...saved, events: moves });
    assertEquals((await fetch(`${url}/api/recording`, { method: "PUT", body })).status, 200);
    assertEquals((await get("/api/recording/state")).events, moves.length);
  },
});

Deno.test({
  ignore: lone.ignore || X11.ignore,
  name: "the next start finds the recording and the held keys of a killed executable",
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
    assertMatch(stderr, /^released keys and buttons that a killed deskhand held: key shift$/m);
    assertMatch(
      stderr,
      /^a recording that ended at \S+ was left behind unsaved: load --recover restores it$/m,
    );
    assertEquals(kept().includes("held"), false);
  },
});
