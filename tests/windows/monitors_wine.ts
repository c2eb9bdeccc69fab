/** Two monitors, one to the left of the primary and lower (set by the runner), with negative positions. */

import { assertEquals, assertMatch } from "@std/assert";
import type { InputAction } from "../../control/desktop/desktop.ts";
import { openDesktop } from "./desktop.ts";
import { Program, run } from "../support/program.ts";
import { Dialog } from "./dialog_program.ts";
import { until } from "../support/shell.ts";
import { openReference, QUARTERS, WitnessWindow } from "./witness.ts";
import { keptFrame } from "../support/clipboard_tools.ts";

const PRIMARY = { x: 0, y: 0, width: 1280, height: 720 };
const LEFT = { x: -800, y: 100, width: 800, height: 600 };

Deno.test("the screen covers both monitors", () => {
  using desktop = openDesktop();
  const { displays, ...region } = desktop.screen.layout();
  assertEquals(region, { x: -800, y: 0, width: 2080, height: 720 });
  assertEquals(displays.map(({ name: _, ...display }) => display), [
    { ...PRIMARY, primary: true },
    { ...LEFT, primary: false },
  ]);
  assertEquals(new Set(displays.map(({ name }) => name)).size, 2);
});

Deno.test("reaches every column of both monitors exactly", async () => {
  using reference = openReference();
  using desktop = openDesktop();
  for (let x = -800; x < 1280; x++) {
    const y = 100 + (x + 800) % 600;
    await desktop.pointer.move({ x, y });
    await until(() => String(reference.pointer()) === String([x, y]));
  }
});

Deno.test("clicks, screenshots and watching agree left of the primary monitor", async () => {
  await using witness = await WitnessWindow.open(-700, 200, 400, 300);
  using desktop = openDesktop();
  const actions: InputAction[] = [];
  const watch = await desktop.observer.watch({
    actions: (batch) => void actions.push(...batch.map(({ action }) => action)),
    problem() {},
  });
  const at = { x: -650, y: 250 };
  await desktop.pointer.move(at);
  await desktop.pointer.button("left", true);
  await desktop.pointer.button("left", false);
  const seen = await witness.take(2, "WM_LBUTTONDOWN", "WM_LBUTTONUP");
  assertEquals(seen.map(({ x, y }) => [x, y]), [[50, 50], [50, 50]]);
  await watch.close();
  assertEquals(actions, [
    { type: "move", ...at },
    { type: "button", button: "left", down: true, ...at },
    { type: "button", button: "left", down: false, ...at },
  ]);
  // The corner at which the window's quarters meet, alone and in the whole screenshot.
  const { pixels } = await keptFrame(desktop.screen, { x: -501, y: 349, width: 2, height: 2 }, false);
  assertEquals([0, 4, 8, 12].map((byte) => Array.from(pixels.subarray(byte, byte + 3))), QUARTERS);
  const whole = await keptFrame(desktop.screen, desktop.screen.layout(), false);
  const first = 349 * whole.stride + (800 - 501) * 4;
  assertEquals(Array.from(whole.pixels.subarray(first, first + 3)), QUARTERS[0]);
});

Deno.test("the API and the prompt accept negative coordinates, and errors name the whole range", async () => {
  await using witness = await WitnessWindow.open(-700, 200, 400, 300);
  using reference = openReference();
  await using program = new Program(["--desktop", "windows", "--http", "0"]);
  const url = await program.controlUrl();
  const post = (path: string, body: unknown) =>
    fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });
  assertEquals(await (await post("click", { x: -600, y: 300, button: "left" })).json(), { ok: true });
  const [down] = await witness.take(1, "WM_LBUTTONDOWN");
  assertEquals([down.x, down.y], [100, 100]);
  const pixel = await (await fetch(`${url}/api/pixel?x=-700&y=200`)).json();
  assertEquals([pixel.b, pixel.g, pixel.r], QUARTERS[0]);
  const refused = await post("move", { x: -801, y: 300 });
  assertEquals(refused.status, 400);
  assertMatch((await refused.json()).error, /-800.*1279/);

  assertEquals((await run(["--desktop", "windows", "-c", "m-321-456"])).code, 0);
  await until(() => String(reference.pointer()) === "-321,456");
});

Deno.test("clicks an element left of the primary monitor at its negative position", async () => {
  await using program = new Program(["--desktop", "windows", "--http", "0"]);
  const url = await program.controlUrl();
  await using dialog = await Dialog.open("Left", { left: -700, top: 150 });
  const click = async () => {
    const body = JSON.stringify({ title: "Left", name: "Save" });
    return await (await fetch(`${url}/api/element/click`, { method: "POST", body })).json();
  };
  const { via, x, width } = await until(click, ({ ok }) => ok === true);
  assertEquals([via, x + (width >> 1)], ["click", dialog.middles.get(21)![0]]);
  assertEquals((await dialog.pressed()).pressed, 21);
});
