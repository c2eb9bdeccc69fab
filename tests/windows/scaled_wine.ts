/** A scaled screen (150 %, set by the runner): deskhand sees physical pixels, unlike an unaware program. */

import { assertEquals } from "@std/assert";
import { openWindows } from "../../ffi/windows/mod.ts";
import { until } from "../support/shell.ts";
import { openReference, QUARTERS, WitnessWindow } from "./witness.ts";
import { keptFrame } from "../support/clipboard_tools.ts";

const SM_CXSCREEN = 0;

Deno.test("size, moves and screenshots are in physical pixels", async () => {
  // Measured in a process that does not declare its DPI awareness.
  const source =
    `console.log(Deno.dlopen("user32.dll", { GetSystemMetrics: { parameters: ["i32"], result: "i32" } })
    .symbols.GetSystemMetrics(${SM_CXSCREEN}))`;
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["eval", source] }).output();
  const unaware = Number(new TextDecoder().decode(stdout));
  const desktop = openWindows();
  using reference = openReference();
  try {
    const { width, height } = desktop.screen.layout();
    assertEquals(unaware, Math.floor(width / 1.5), "the screen is scaled by 150 %");
    await using witness = await WitnessWindow.open(600, 300, 200, 100);
    const { pixels } = await keptFrame(desktop.screen, { x: 699, y: 349, width: 2, height: 2 }, false);
    assertEquals([0, 4, 8, 12].map((at) => Array.from(pixels.subarray(at, at + 3))), QUARTERS);
    await desktop.pointer.move({ x: 650, y: 320 });
    await desktop.pointer.button("left", true);
    await desktop.pointer.button("left", false);
    const [down] = await witness.take(1, "WM_LBUTTONDOWN");
    assertEquals([down.x, down.y], [50, 20]);
    for (const [x, y] of [[width - 1, height - 1], [853, 480], [0, 0]]) {
      await desktop.pointer.move({ x, y });
      await until(() => String(reference.pointer()) === String([x, y]));
    }
    const actions: unknown[] = [];
    const watch = await desktop.observer.watch({
      actions: (batch) => void actions.push(...batch),
      problem() {},
    });
    await desktop.pointer.move({ x: 1200, y: 700 });
    await watch.close();
    assertEquals(actions.map((seen) => (seen as { action: unknown }).action), [{
      type: "move",
      x: 1200,
      y: 700,
    }]);
  } finally {
    desktop.close();
  }
});
