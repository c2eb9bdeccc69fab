/** Recording and replay from outside: at the prompt and over HTTP. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import { need, needTime } from "../support/need.ts";
import { Pinger } from "../support/pinger.ts";
import { Program, run } from "../support/program.ts";
import { temporary } from "../support/shell.ts";
import { statusOf } from "../support/uploads.ts";
import { runsFirst } from "../support/waits.ts";
import { call, idle } from "./recording.ts";

const VIRTUAL = ["--desktop", "virtual"];

Deno.test("the prompt records, saves, loads and plays, and refuses commands out of order", async () => {
  await temporary(async (cwd) => {
    const first = await run(
      VIRTUAL,
      [
        "play",
        "stop",
        "save x.json",
        "rec",
        "rec",
        "m10-20",
        "c30-40",
        "play",
        "stop",
        "stop",
        "save a.json",
        "save a.json",
        "save! a.json",
        "save",
        "save /nowhere/x.json",
        "save a.sh",
        "play 2x 2",
        "play 0x",
        "play 1x 0",
        "history",
      ].join("\n"),
      { cwd, env: { XDG_STATE_HOME: cwd } },
    );
    assertEquals(first.stderr.trim().split("\n").map((line) => line.replace(/played.*/, "played")), [
      "line 1: there is no recording yet",
      "line 2: nothing to stop: neither recording nor playing",
      "line 3: there is no recording yet",
      "recording; keys are recorded too, passwords among them (`rec mouse` leaves them out)",
      "line 5: deskhand is already recording: stop first",
      "line 8: deskhand is already recording: stop first",
      "recorded 4 events",
      "line 10: nothing to stop: neither recording nor playing",
      "saved 4 events",
      "line 12: a.json already exists; save! replaces it",
      "saved 4 events",
      "line 14: save lacks <file>: write save[!] <file>, such as save morning.json",
      "line 15: cannot save /nowhere/x.json: there is no folder /nowhere",
      "saved 4 events",
      "played",
      "line 18: speed must be a number from 0.05 to 100, not 0",
      "line 19: times must be a whole number from 1 to 10000, not 0",
    ]);
    // A replay may merge two moves that are almost simultaneous, but never buttons.
    assertEquals(first.stdout.match(/"button"/g)?.length, 2 * 3 * 2);
    assertEquals((await Deno.stat(`${cwd}/a.json`)).mode! & 0o777, 0o600);
    assertEquals((await Deno.stat(`${cwd}/a.sh`)).mode! & 0o777, 0o700);
    assertEquals([...Deno.readDirSync(cwd)].map(({ name }) => name).sort(), ["a.json", "a.sh", "deskhand"]);
    const second = await run([...VIRTUAL, "-c", "load a.json; play; history; load nothing; load a.sh"], "", {
      cwd,
      env: { XDG_STATE_HOME: cwd },
    });
    assertMatch(
      second.stderr,
      /^loaded 4 events\nplayed: 4 events, .*\ncannot load nothing: there is no such file\ncannot load a\.sh: this is not a recording/,
    );
    assertEquals(second.stdout.trim().split("\n").slice(-3).map((line) => JSON.parse(line)), [
      { type: "move", x: 30, y: 40 },
      { type: "button", button: "left", down: true, x: 30, y: 40 },
      { type: "button", button: "left", down: false, x: 30, y: 40 },
    ]);
  });
});

Deno.test({
  ...need("curl"),
  name: "a script calls the server that wrote it, from the prompt and over HTTP",
  async fn() {
    await temporary(async (cwd) => {
      await using program = new Program(["--http", "0", ...VIRTUAL], { cwd });
      const url = await program.controlUrl();
      for (const line of ["rec", "m10-20", "stop", "save a.sh"]) await program.write(line);
      await program.printed(/^saved 1 event$/m);
      const script = await (await fetch(`${url}/api/recording?format=sh`)).text();
      await Deno.writeTextFile(`${cwd}/b.sh`, script);
      for (const file of ["a.sh", "b.sh"]) {
        await call(url, "POST", "move", { x: 1, y: 1 });
        const { success } = await new Deno.Command("sh", { args: [`${cwd}/${file}`] }).output();
        const { json } = await call(url, "GET", "position");
        assertEquals([success, json], [true, { x: 10, y: 20 }], file);
      }
    });
  },
});

Deno.test("one event is counted in the singular", async () => {
  const { stderr } = await run([...VIRTUAL, "-c", "rec mouse; m1-2; stop"]);
  assertMatch(stderr, /^recorded 1 event$/m);
});

Deno.test("HTTP records, reads, loads, plays and stops, and answers calls out of order with 409", async () => {
  await using program = new Program([...VIRTUAL, "--http", "0"]);
  const url = await program.controlUrl();
  const conflicts = async (...paths: [string, string][]) => {
    for (const [method, path] of paths) {
      assertEquals((await call(url, method, path, method === "GET" ? undefined : {})).status, 409, path);
    }
  };
  await conflicts(["POST", "recording/play"], ["POST", "recording/stop"], ["GET", "recording"]);
  assertEquals((await call(url, "POST", "recording/start", { keyboard: false })).json, { ok: true });
  await conflicts(["POST", "recording/start"], ["POST", "recording/play"], ["GET", "recording"]);
  await call(url, "POST", "type", { text: "secret" });
  await call(url, "POST", "click", { x: 5, y: 6, button: "right" });
  assertEquals((await call(url, "POST", "recording/stop", {})).json, { ok: true });
  const { json: recording } = await call(url, "GET", "recording");
  assertEquals(recording.events.map(({ type }: { type: string }) => type), ["move", "button", "button"]);
  const wrong = await call(url, "PUT", "recording", { ...recording, version: 9 });
  assertEquals([wrong.status, wrong.json.error], [
    400,
    "version 9 of recordings is not supported; this deskhand reads version 1",
  ]);
  const slow = {
    ...recording,
    events: [
      { t: 0, type: "key", key: "shift", down: true },
      { t: 60_000, type: "key", key: "shift", down: false },
    ],
  };
  assertEquals((await call(url, "PUT", "recording", slow)).json, { ok: true });
  assertEquals((await call(url, "POST", "recording/play", {})).json, { ok: true });
  await conflicts(["POST", "recording/play"], ["POST", "recording/start"]);
  const refused = await call(url, "POST", "move", { x: 1, y: 1 });
  assertEquals(refused.status, 409);
  assertMatch(refused.json.error, /a replay is running/);
  assertEquals((await call(url, "GET", "position")).status, 200);
  assertEquals((await call(url, "POST", "recording/stop", {})).json, { ok: true });
  const state = (await idle(url)).json;
  assertEquals([state.state, state.result.stoppedBy], ["idle", "stop"]);
  const { json: { actions } } = await call(url, "GET", "history");
  assertEquals(actions.at(-1), { type: "key", key: "shift", down: false });
  const other = { ...recording, desktop: { width: 99, height: 99 } };
  await call(url, "PUT", "recording", other);
  await conflicts(["POST", "recording/play"]);
  assertEquals((await call(url, "POST", "recording/play", { speed: 0 })).status, 400);
  assertEquals((await call(url, "POST", "recording/play", { scale: true, speed: 100 })).status, 200);
  await idle(url);
});

Deno.test("a hostile recording is refused and changes nothing", async () => {
  await using program = new Program([...VIRTUAL, "--http", "0"]);
  const url = await program.controlUrl();
  const put = async (body: string) => {
    return await statusOf(fetch(`${url}/api/recording`, { method: "PUT", body }));
  };
  const head =
    '"format":"deskhand-recording","version":1,"desktop":{"width":1,"height":1},"started":"2026-01-01T00:00:00Z"';
  const event = '{"t":1e999,"type":"move","x":1,"y":1}';
  assertEquals(await put(`{${head},"events":[${event}]}`), 400);
  assertEquals(await put("[".repeat(5_000_000)), 400);
  assertEquals(
    await put(`{${head},"events":[${Array(1_000_001).fill('{"t":0,"type":"move","x":1,"y":1}').join(",")}]}`),
    400,
  );
  assertEquals(await put("x".repeat(65 * 1024 * 1024)), 413);
  assertEquals((await call(url, "GET", "history")).json.actions, []);
});

Deno.test("a recording's script is read over HTTP as a file", async () => {
  await using program = new Program([...VIRTUAL, "--http", "0"]);
  const url = await program.controlUrl();
  await call(url, "POST", "recording/start", {});
  await call(url, "POST", "type", { text: "Hello, World! 1+1=2" });
  await call(url, "POST", "key", { keys: "ctrl+c" });
  await call(url, "POST", "recording/stop", {});
  const response = await fetch(`${url}/api/recording?format=sh`);
  const { headers } = response;
  assertEquals([headers.get("content-type"), headers.get("content-disposition")], [
    "text/x-shellscript",
    'attachment; filename="recording.sh"',
  ]);
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("curl"));
  assertEquals(lines, [
    `curl "$@" "$url/api/type" -d '{"text":"Hello, World! 1+1=2"}'`,
    `curl "$@" "$url/api/key" -d '{"keys":"ctrl+c"}'`,
  ]);
  assertEquals((await call(url, "GET", "recording?format=xml")).status, 400);
});

// A recording of a million events, and concurrent requests.

const EVENTS = 1_000_000;

/**
 * Maximum delay of a request due to another one's work, in milliseconds of processor time: about 15 if
 * undisturbed, and 51 while other programs constantly empty the processor caches.
 */
const LONGEST_PAUSE_MS = 100;

/**
 * Motion, clicks and keys in about 50 MB, in deskhand's own format, so that the file reads back unchanged.
 * They take 50 s at their own speed and half a second at the highest.
 */
function largeRecording(): string {
  const lines = Array.from({ length: EVENTS }, (_, i) => {
    const t = Math.round(i / 2) / 10, x = i % 1000, y = i % 700, down = i % 2 === 0;
    if (i % 100 > 95) return `{"t":${t},"type":"button","button":"left","down":${down},"x":${x},"y":${y}}`;
    return i % 100 > 91
      ? `{"t":${t},"type":"key","key":"${"abc"[(i >> 1) % 3]}","down":${down}}`
      : `{"t":${t},"type":"move","x":${x},"y":${y}}`;
  });
  const head = `"format":"deskhand-recording","version":1,"desktop":{"width":1280,"height":720}`;
  return `{${head},"started":"2026-01-01T00:00:00.000Z","events":[\n${lines.join(",\n")}\n]}\n`;
}

Deno.test(
  "loading, reading, saving and playing a million events delays no other request",
  needTime("has a million events"),
  async () => {
    const body = new TextEncoder().encode(largeRecording());
    const assertSame = (bytes: Uint8Array) => assert(Buffer.from(bytes.buffer).equals(body));
    // Other programs may keep this test from reading an answer, which would count as that answer's time.
    runsFirst(Deno.pid);
    await temporary(async (cwd) => {
      await using program = new Program(["--desktop", "virtual", "--http", "0"], { cwd });
      const url = await program.controlUrl();
      const type = async (line: string, answer: RegExp) => {
        await program.write(line);
        await program.printed(answer);
      };
      const steps: Record<string, () => Promise<unknown>> = {
        put: async () => {
          const response = await fetch(`${url}/api/recording`, { method: "PUT", body });
          assertEquals([response.status, await response.text()], [200, '{"ok":true}']);
        },
        get: async () => assertSame(await (await fetch(`${url}/api/recording`)).bytes()),
        script: async () => await (await fetch(`${url}/api/recording?format=sh`)).bytes(),
        save: () => type("save a.json", /^saved 1000000 events$/m),
        load: () => type("load a.json", /^loaded 1000000 events$/m),
        play: () => type("play 100x", /^played: 1000000 events/m),
      };
      const took: Record<string, number> = {};
      const slowest: Record<string, number> = {};
      const busiest: Record<string, number> = {};
      for (const [name, step] of Object.entries(steps)) {
        const pinger = await Pinger.start({ url, pid: program.pid });
        const start = performance.now();
        try {
          await step();
        } finally {
          took[name] = Math.round(performance.now() - start);
          const { slowestMs, busiestMs } = await pinger.stop();
          slowest[name] = Math.round(slowestMs);
          busiest[name] = Math.round(busiestMs);
        }
      }
      assertSame(await Deno.readFile(`${cwd}/a.json`));
      const figures = `in ms, steps: ${Deno.inspect({ took, slowest, busiest })}`;
      assert(Math.max(...Object.values(busiest)) < LONGEST_PAUSE_MS, figures);
      // A wait that is not work, such as for a disk. Undisturbed, the slowest answer takes about 15 ms; a
      // machine whose cores are all busy adds hundreds now and then, and slows the steps down in proportion.
      assert(Math.max(...Object.values(slowest)) < Math.max(...Object.values(took)) / 3, figures);
    });
  },
);
