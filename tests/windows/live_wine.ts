/** The live picture of Windows, made in its Worker of whole pictures, since GDI does not report changes. */

import { assertEquals } from "@std/assert";
import { openWindows } from "../../ffi/windows/mod.ts";
import { LiveViewer } from "../support/live_viewer.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { WitnessWindow } from "./witness.ts";

Deno.test("a viewer's picture is the screen's to the pixel, and follows windows and the pointer", async () => {
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
