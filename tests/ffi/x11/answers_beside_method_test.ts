/** Text into a program that answers pings, beside an input method of X11 that takes part in nothing. */

import { assertEquals } from "@std/assert";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { need } from "../../support/need.ts";
import { SessionBus } from "../../support/session_bus.ts";
import { until } from "../../support/until.ts";
import { Client, Xvfb } from "../../support/xvfb.ts";

/** Texts with more different characters than free keys have room for, so that keys get other characters. */
const TEXTS = Array.from(
  { length: 4 },
  (_, text) => Array.from({ length: 70 }, (_, i) => String.fromCodePoint(0x4e00 + 70 * text + i)).join(""),
);
/** The longest time for a text on a busy machine, in milliseconds. */
const BOUND_MS = 60_000;

Deno.test({
  name: "an answer to a ping is no message of an input method, which would be waited for without end",
  ...need("Xvfb", "openbox", "xprop", "xdotool", "dbus-daemon", "ibus-daemon", "mousepad"),
}, async () => {
  await using server = await Xvfb.start();
  await using bus = await SessionBus.start();
  // The program gets its keys without IBus, as a GTK program does that has another input method.
  const env = { ...bus.envOn(server.env), GTK_IM_MODULE: "gtk-im-context-simple" };
  await using _manager = await server.manager("openbox");
  await using _ibus = new Client("ibus-daemon", ["--xim", "--panel", "disable"], env);
  await until(async () => (await server.run("xprop", "-root", "XIM_SERVERS")).includes("@server=ibus"));
  const file = `${bus.folder}/received.txt`;
  await Deno.writeTextFile(file, "");
  await using _editor = new Client("mousepad", ["--disable-server", file], env);
  await server.run("xdotool", "windowactivate", "--sync", await server.window("--name", "received.txt"));
  const desktop = openX11(server.display);
  try {
    for (const text of TEXTS) await desktop.keyboard.type(text, AbortSignal.timeout(BOUND_MS));
    for (const down of [true, false]) {
      for (const key of down ? ["ctrl", "s"] : ["s", "ctrl"]) await desktop.keyboard.key(key, down);
    }
    const received = await until(() => Deno.readTextFile(file), (text) => text.length > 0);
    assertEquals(received.trimEnd(), TEXTS.join(""));
  } finally {
    desktop.close();
  }
});
