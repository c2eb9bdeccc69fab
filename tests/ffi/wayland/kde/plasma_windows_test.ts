/** Windows of KWin by the bits of their state. */

import { assertEquals } from "@std/assert";
import { isSwitchedTo } from "../../../../ffi/wayland/kde/windows.ts";

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
