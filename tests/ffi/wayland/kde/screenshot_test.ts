/** KWin's screenshots, its programs' paste keys, and windows by their state bits. */

import { assertEquals, assertRejects } from "@std/assert";
import type { Point, Region } from "../../../../control/desktop/desktop.ts";
import type { Size } from "../../../../control/image/bitmap.ts";
import { UnsupportedError } from "../../../../core/errors.ts";
import { Bus } from "../../../../ffi/linux/dbus/bus.ts";
import { pasteCommandOf } from "../../../../ffi/wayland/kde/paster.ts";
import { missingScreenshots, placedWindow, takeScreenshot } from "../../../../ffi/wayland/kde/screenshot.ts";
import { isSwitchedTo } from "../../../../ffi/wayland/kde/windows.ts";
import { PIXEL_FORMATS } from "../../../../ffi/wayland/wire/frame_buffers.ts";
import { arrange, type Arrangement, type OutputPicture } from "../../../../ffi/wayland/wire/outputs.ts";
import { SESSION_BUS, SessionBus } from "../../../support/session_bus.ts";
import { until } from "../../../support/shell.ts";

Deno.test({ name: "says that KWin renders without OpenGL", ...SESSION_BUS }, async () => {
  await using system = await SessionBus.start();
  // It owns its name on the bus, but has no screenshot object.
  await using _kwin = system.spawn(
    "/usr/bin/python3",
    "-m",
    "dbusmock",
    "org.kde.KWin",
    "/Compositor",
    "org.kde.x",
  );
  const bus = Bus.open([system.socket]);
  try {
    await until(() => bus.owner("org.kde.KWin") !== undefined);
    assertEquals(
      missingScreenshots(bus),
      "KWin provides no screenshots because it renders without OpenGL here",
    );
    await assertRejects(
      () => takeScreenshot(bus, { display: "Virtual-0" }, false),
      UnsupportedError,
      "KWin provides no screenshots because it renders without OpenGL here",
    );
  } finally {
    bus.close();
  }
});

// Positions of windows in their pictures.

/** A picture with a window at a corner and translucent pixels around it, like a shadow. */
function windowPicture(width: number, height: number, corner: Point, window: Size): OutputPicture {
  const bytes = new Uint8Array(4 * width * height);
  for (let y = corner.y; y < corner.y + window.height; y++) {
    for (let x = corner.x; x < corner.x + window.width; x++) bytes[4 * (y * width + x) + 3] = 255;
  }
  return { width, height, stride: 4 * width, format: PIXEL_FORMATS.get(0)!, isInverted: false, bytes };
}

const OUTPUTS: Arrangement = arrange([
  {
    name: "fine",
    mode: { width: 400, height: 200 },
    transform: 0,
    logical: { x: 0, y: 0, width: 200, height: 100 },
  },
  {
    name: "coarse",
    mode: { width: 200, height: 100 },
    transform: 0,
    logical: { x: 200, y: 0, width: 200, height: 100 },
  },
]);

Deno.test("finds a window in its picture, with or without its shadow", () => {
  const window = { x: 20, y: 10, width: 60, height: 40 };
  const place = (picture: OutputPicture, at: Region = window) => placedWindow(picture, at, OUTPUTS)?.region;
  assertEquals(place(windowPicture(60, 40, { x: 0, y: 0 }, window)), window);
  assertEquals(place(windowPicture(80, 70, { x: 9, y: 12 }, window)), {
    x: 11,
    y: -2,
    width: 80,
    height: 70,
  });
  const coarse = { x: 500, y: 20, width: 60, height: 40 }, half = { width: 30, height: 20 };
  assertEquals(place(windowPicture(30, 20, { x: 0, y: 0 }, half), coarse), coarse);
  assertEquals(place(windowPicture(36, 28, { x: 2, y: 3 }, half), coarse), {
    x: 496,
    y: 14,
    width: 72,
    height: 56,
  });
  assertEquals(place(windowPicture(50, 40, { x: 0, y: 0 }, window)), undefined); // the window has shrunk meanwhile
  assertEquals(place(windowPicture(90, 90, { x: 0, y: 0 }, { width: 0, height: 0 })), undefined);
});

// The keys that make programs paste.

const CASES: [appId: string, keys: string, selections: string][] = [
  ["org.kde.konsole", "ctrl+shift+v", "clipboard"],
  ["org.kde.yakuake", "ctrl+shift+v", "clipboard"],
  ["org.gnome.Terminal", "ctrl+shift+v", "clipboard"],
  ["Alacritty", "ctrl+shift+v", "clipboard"],
  ["foot", "ctrl+shift+v", "clipboard"],
  ["XTerm", "shift+insert", "primary clipboard"],
  ["debian-xterm", "shift+insert", "primary clipboard"],
  ["org.kde.kwrite", "ctrl+v", "clipboard"],
  ["chromium", "ctrl+v", "clipboard"],
  ["", "ctrl+v", "clipboard"],
];
for (const [appId, keys, selections] of CASES) {
  Deno.test(`${appId || "a program without a name"} pastes with ${keys}`, () => {
    const command = pasteCommandOf(appId);
    assertEquals([command.keys.join("+"), command.selections.join(" ")], [keys, selections]);
  });
}

// KWin windows by their state bits.

/** A window, and its state as KWin 5.27 reports it: org_kde_plasma_window_management.state. */
const WINDOWS: readonly (readonly [name: string, state: number, isSwitchedTo: boolean])[] = [
  ["an editor: active, closeable, minimizable, maximizable, movable, resizable", 0x18f01, true],
  ["a dialog of one size: closeable, movable", 0x8100, true],
  ["a program under XWayland without a button to close: minimizable, movable", 0x8200, true],
  ["a panel: on all desktops, maximizable, resizable", 0x10440, false],
  ["the desktop: active, on all desktops", 0x41, false],
  ["an editor that wants to be left out of the switcher", 0x58f00, false],
];

Deno.test("panels and desktops are not switchable windows", () => {
  for (const [name, state, expected] of WINDOWS) assertEquals(isSwitchedTo(state), expected, name);
});
