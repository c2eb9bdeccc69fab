/** Recording and replay on Windows: a real window receives the recorded input again; the live view. */

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { openWindows } from "../../ffi/windows/mod.ts";
import { LiveViewer } from "../support/live_viewer.ts";
import { Program, run } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { statusOf } from "../support/uploads.ts";
import { WitnessWindow } from "./witness.ts";

async function post(url: string, path: string, body: unknown = {}) {
  const response = await fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });
  assertEquals([response.status, await response.json()], [200, { ok: true }], path);
}

/** Recorded events as the window sees them: positions in the window, the wheel's on the screen. */
const SEEN: [name: string, ...details: number[]][] = [
  ["WM_LBUTTONDOWN", 50, 60, 0],
  ["WM_LBUTTONUP", 50, 60, 0],
  ["WM_LBUTTONDOWN", 100, 100, 0],
  ["WM_LBUTTONUP", 200, 180, 0],
  ["WM_MOUSEWHEEL", 300, 300, 120],
  ["WM_KEYDOWN", 0x74],
  ["WM_KEYUP", 0x74],
];

Deno.test("records, saves, loads and replays a click, a drag, the wheel and keys", () =>
  temporary(async (folder) => {
    await using witness = await WitnessWindow.open(100, 100);
    await using program = new Program(["--desktop", "windows", "--http", "0"], {
      cwd: folder,
      env: { LOCALAPPDATA: folder },
    });
    const url = await program.controlUrl();
    const state = async () => await (await fetch(`${url}/api/recording/state`)).json();
    const seen = async () => {
      const messages = await witness.take(SEEN.length, ...new Set(SEEN.map(([name]) => name)));
      return messages.map(({ name, x, y, data, code }) =>
        name.startsWith("WM_KEY") ? [name, code] : [name, x, y, data]
      );
    };
    await witness.sees(async () => {
      await post(url, "recording/start");
      await post(url, "click", { x: 150, y: 160, button: "left" });
      await post(url, "drag", { from: { x: 200, y: 200 }, to: { x: 300, y: 280 } });
      await post(url, "scroll", { direction: "up", amount: 1, x: 300, y: 300 });
      await post(url, "key", { keys: "f5" });
      const messages = await seen();
      await until(async () => (await state()).events >= 9);
      await post(url, "recording/stop");
      return messages;
    }, SEEN);
    await program.write("save r.json");
    await program.printed(/saved \d+ events/);
    assertMatch(await Deno.readTextFile(join(folder, "r.json")), /"format":"deskhand-recording"/);
    await program.write("load r.json");
    await program.printed(/loaded \d+ events/);
    await witness.sees(async () => {
      await post(url, "recording/play");
      const messages = await seen();
      await until(async () => (await state()).state === "idle");
      const { result, problem } = await state();
      assertEquals([problem, result.stopped], [undefined, false]);
      return messages;
    }, SEEN);
    // A replay stopped between press and release releases the button.
    const recording = JSON.parse(await Deno.readTextFile(join(folder, "r.json")));
    const events = [
      { t: 0, type: "button", button: "left", down: true, x: 150, y: 160 },
      { t: 60_000, type: "button", button: "left", down: false, x: 150, y: 160 },
    ];
    await statusOf(fetch(`${url}/api/recording`, {
      method: "PUT",
      body: JSON.stringify({ ...recording, events }),
    }));
    await post(url, "recording/play");
    await witness.take(1, "WM_LBUTTONDOWN");
    await post(url, "recording/stop");
    await witness.take(1, "WM_LBUTTONUP");
  }));

Deno.test("offers a recording's journal only after its program was killed, and recovers it", () =>
  temporary(async (folder) => {
    const options = { cwd: folder, env: { LOCALAPPDATA: folder } };
    await using program = new Program(["--desktop", "windows", "--http", "0"], options);
    const url = await program.controlUrl();
    await post(url, "recording/start");
    const journals = () =>
      [...Deno.readDirSync(join(folder, "deskhand"))].filter(({ name }) => name.endsWith(".journal"));
    const written = () => Deno.statSync(join(folder, "deskhand", journals()[0].name)).size;
    await until(() => journals().length === 1 && written() > 0);
    const head = written();
    await post(url, "move", { x: 410, y: 420 });
    await until(() => written() > head);
    const beside = await run(["--desktop", "windows"], "load --recover\n", options);
    assertMatch(beside.stderr, /there is no recording to recover/);
    assertEquals(journals().length, 1);
    program.kill("SIGKILL");
    await program.ended();
    const after = await run(["--desktop", "windows"], "load --recover\n", options);
    assertMatch(after.stderr, /was left behind unsaved: load --recover restores it/);
    // On a busy machine the desktop reports a move twice.
    assertMatch(after.stderr, /recovered [12] events? of/);
  }));

// The live view on Windows: its Worker compares whole screenshots, since GDI reports no changes.

Deno.test("a viewer's picture matches the screen to the pixel, and follows windows and the pointer", async () => {
  await using program = new Program(["--desktop", "auto", "--http", "0"]);
  using viewer = new LiveViewer(await program.controlUrl());
  const desktop = openWindows();
  const isExact = (what: string) =>
    until(
      () => desktop.screen.capture(desktop.screen.layout(), true, (frame) => viewer.wrongRows(frame)),
      (rows) => rows === 0,
      (rows) => `${what}: ${rows} rows differ`,
    );
  try {
    await isExact("an empty desktop");
    const { pictures } = viewer;
    {
      await using witness = await WitnessWindow.open(40, 20, 400, 300);
      await isExact(`a window of ${witness.width}x${witness.height}`);
      viewer.send({ type: "move", x: 140, y: 120 });
      await until(() => desktop.pointer.position(), ({ x, y }) => x === 140 && y === 120);
      await isExact("the pointer over it");
    }
    await isExact("the window is closed");
    assertEquals([viewer.pictures > pictures, viewer.told], [true, ""]);
  } finally {
    desktop.close();
  }
});
