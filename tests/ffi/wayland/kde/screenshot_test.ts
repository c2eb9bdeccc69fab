/** Pictures of a KWin that takes none. */

import { assertEquals, assertRejects } from "@std/assert";
import { UnsupportedError } from "../../../../core/errors.ts";
import { Bus } from "../../../../ffi/linux/dbus/bus.ts";
import { pasteCommandOf } from "../../../../ffi/wayland/kde/paster.ts";
import { missingScreenshots, takeScreenshot } from "../../../../ffi/wayland/kde/screenshot.ts";
import { isSwitchedTo } from "../../../../ffi/wayland/kde/windows.ts";
import { SESSION_BUS, SessionBus } from "../../../support/session_bus.ts";
import { until } from "../../../support/shell.ts";

Deno.test({ name: "a KWin that draws without OpenGL is named as the reason", ...SESSION_BUS }, async () => {
  await using system = await SessionBus.start();
  // It has its name on the bus, and no object for screenshots.
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
    assertEquals(missingScreenshots(bus), "KWin gives no pictures, since it draws without OpenGL here");
    await assertRejects(
      () => takeScreenshot(bus, { display: "Virtual-0" }, false),
      UnsupportedError,
      "KWin gives no pictures, since it draws without OpenGL here",
    );
  } finally {
    bus.close();
  }
});

// The keys by which programs paste.

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
  Deno.test(`${appId || "a program without a name"} pastes by ${keys}`, () => {
    const command = pasteCommandOf(appId);
    assertEquals([command.keys.join("+"), command.selections.join(" ")], [keys, selections]);
  });
}

// Windows of KWin by the bits of their state.

/** A window, and its state as KWin 5.27 tells it: org_kde_plasma_window_management.state. */
const WINDOWS: readonly (readonly [name: string, state: number, isSwitchedTo: boolean])[] = [
  ["an editor: active, closeable, minimizable, maximizable, movable, resizable", 0x18f01, true],
  ["a dialog of one size: closeable, movable", 0x8100, true],
  ["a program under XWayland without a button to close: minimizable, movable", 0x8200, true],
  ["a panel: on all desktops, maximizable, resizable", 0x10440, false],
  ["the desktop: active, on all desktops", 0x41, false],
  ["an editor that wants to be left out of the switcher", 0x58f00, false],
];

Deno.test("panels and desktops are no windows to switch to", () => {
  for (const [name, state, expected] of WINDOWS) assertEquals(isSwitchedTo(state), expected, name);
});
