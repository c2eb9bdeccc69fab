/** Displays as Mutter describes them. */

import { assertEquals, assertThrows } from "@std/assert";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { type DisplayState, outputsOf } from "../../../../ffi/wayland/gnome/windows.ts";
import { StreamScreen } from "../../../../ffi/wayland/streamed/stream_screen.ts";
import { arrange } from "../../../../ffi/wayland/wire/outputs.ts";

type Names = [string, string, string, string];
const names = (connector: string): Names => [connector, "vendor", "product", "serial"];

/** A monitor with two modes, of which the second is the present one. */
function monitor(connector: string, width: number, height: number): DisplayState[1][number] {
  const mode = (id: string, width: number, height: number, more: [string, unknown][]) =>
    [id, width, height, 60, 1, [1, 2], new Map(more)] as DisplayState[1][number][1][number];
  return [
    names(connector),
    [mode("a", 640, 480, []), mode("b", width, height, [["is-current", true]])],
    new Map(),
  ];
}

function logical(
  connectors: string[],
  [x, y]: [number, number],
  scale: number,
  transform: number,
  isPrimary: boolean,
): DisplayState[2][number] {
  return [x, y, scale, transform, isPrimary, connectors.map(names), new Map()];
}

const MONITORS = [monitor("eDP-1", 2560, 1440), monitor("DP-1", 1920, 1080), monitor("DP-2", 1920, 1080)];

Deno.test("places are in logical pixels where Mutter scales displays itself", () => {
  const shown = [logical(["eDP-1"], [0, 0], 1.25, 0, true), logical(["DP-1"], [2048, 0], 1, 1, false)];
  assertEquals(outputsOf([1, MONITORS, shown, new Map([["layout-mode", 1]])]), [
    {
      name: "eDP-1",
      mode: { width: 2560, height: 1440 },
      transform: 0,
      logical: { x: 0, y: 0, width: 2048, height: 1152 },
      isPrimary: true,
    },
    { // turned by a quarter: its pictures are upright
      name: "DP-1",
      mode: { width: 1080, height: 1920 },
      transform: 0,
      logical: { x: 2048, y: 0, width: 1080, height: 1920 },
      isPrimary: false,
    },
  ]);
});

Deno.test("where programs scale themselves, logical pixels are those of the picture", () => {
  const state: DisplayState = [
    1,
    MONITORS,
    [logical(["eDP-1"], [0, 0], 2, 0, true)],
    new Map([["layout-mode", 2]]),
  ];
  assertEquals(outputsOf(state)[0].logical, { x: 0, y: 0, width: 2560, height: 1440 });
});

Deno.test("the primary display is the one that Mutter calls so, wherever it stands", () => {
  for (const primary of ["eDP-1", "DP-1"]) {
    const right = logical(["eDP-1"], [1920, 0], 1, 0, primary === "eDP-1");
    const left = logical(["DP-1"], [0, 0], 1, 0, primary === "DP-1");
    const arrangement = arrange(outputsOf([1, MONITORS, [right, left], new Map()]));
    const screen = new StreamScreen(() => arrangement, () => Promise.reject(new Error("no stream")));
    assertEquals(
      screen.layout().displays.map(({ name, x, primary }) => [name, x, primary]),
      [["DP-1", 0, primary === "DP-1"], ["eDP-1", 1920, primary === "eDP-1"]],
    );
  }
});

Deno.test("of monitors that show the same there is one; one that shows nothing is left out", () => {
  const state: DisplayState = [1, MONITORS, [logical(["DP-1", "DP-2"], [0, 0], 1, 0, true)], new Map()];
  assertEquals(outputsOf(state).map(({ name }) => name), ["DP-1"]);
});

Deno.test("without a display the desktop is unavailable", () => {
  assertThrows(() => outputsOf([1, MONITORS, [], new Map()]), DesktopUnavailableError, "no display now");
});
