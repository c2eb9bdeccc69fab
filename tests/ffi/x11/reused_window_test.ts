/** Text after a program has ended, and another one got the numbers of its windows. */

import { assertEquals } from "@std/assert";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { createOwnWindow, WINDOW_CLASS, XcbConnection } from "../../../ffi/x11/xcb_connection.ts";
import { WINDOW_ATOMS } from "../../../ffi/x11/window_rows.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/until.ts";
import { Xvfb } from "../../support/xvfb.ts";

const ATOM = 4, CURRENT_TIME = 0;
/** Two texts without a common character, of which one fills most free keys. */
const [TEXT, OTHER] = [0x4e00, 0x5e00].map((first) =>
  Array.from({ length: 70 }, (_, i) => String.fromCodePoint(first + i)).join("")
);

const XCB = { xcb_map_window: { parameters: ["pointer", "u32"], result: "u32" } } as const;

/** Starts a program that reads no event. @param promises Tells whether its window promises answers to pings. */
function start(display: string, promises: boolean): { xcb: XcbConnection; windows: number[] } {
  const xcb = new XcbConnection(display), { WM_PROTOCOLS, _NET_WM_PING } = xcb.atoms(WINDOW_ATOMS);
  const windows = [0, 1].map(() => createOwnWindow(xcb, WINDOW_CLASS.inputOutput));
  if (promises) xcb.setProperty(windows[0], WM_PROTOCOLS, ATOM, 32, Uint32Array.of(_NET_WM_PING));
  const libxcb = Deno.dlopen("libxcb.so.1", XCB);
  for (const window of windows) libxcb.symbols.xcb_map_window(xcb.connection, window);
  xcb.flush();
  libxcb.close();
  return { xcb, windows };
}

function focus(xcb: XcbConnection, window: number): void {
  xcb.xcb.xcb_set_input_focus_checked(xcb.connection, 1, window, CURRENT_TIME);
  xcb.flush();
}

Deno.test({
  name:
    "keys of a program that has ended are not waited for, though a window of another program has its window's number",
  ...need("Xvfb"),
}, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  const first = start(server.display, true), [number] = first.windows;
  try {
    focus(first.xcb, number);
    await until(() => first.xcb.focus() === number);
    await desktop.keyboard.type(TEXT);
  } finally {
    first.xcb.close();
  }
  // The server gives a new client the lowest free numbers, once it has noticed the end of the old one.
  const second = await until(() => {
    const program = start(server.display, false);
    if (program.windows[0] === number) return program;
    program.xcb.close();
  });
  const [reused, other] = second!.windows;
  try {
    assertEquals(reused, number);
    focus(second!.xcb, other);
    await until(() => second!.xcb.focus() === other);
    await desktop.keyboard.type(OTHER);
  } finally {
    second!.xcb.close();
    desktop.close();
  }
});
