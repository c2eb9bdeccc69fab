/** The keyboard map that is kept between texts is as new as one that is read. */

import { assertEquals, assertNotStrictEquals, assertStrictEquals } from "@std/assert";
import { Connection } from "../../../ffi/x11/connection.ts";
import { KeptKeymap } from "../../../ffi/x11/temporary_bindings.ts";
import { Keymap } from "../../../ffi/x11/keymap.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { changeKeys } from "../../../ffi/x11/xkb.ts";
import { need } from "../../support/need.ts";
import { receives, typewriter } from "../../support/typewriter.ts";
import { lockGroup, X11 } from "../../support/x11.ts";
import { Xvfb } from "../../support/xvfb.ts";

/** All contents of a map. */
function contentOf({ map, group, lockedMods, unused }: Keymap) {
  const keycodes = Array.from({ length: map.last - map.first + 1 }, (_, i) => map.first + i);
  const symbols = keycodes.map((keycode) => map.symbolsOf(keycode).join());
  const effects = keycodes.map((keycode) =>
    [0, 1, 0x80].map((mask) => map.symbol(keycode, group, mask)).join()
  );
  return { group, lockedMods, unused, modifiers: [...map.modifiers], symbols, effects };
}

Deno.test(
  {
    name: "a kept keyboard map is the same until something changes, and never another than the server's",
    ...need("Xvfb", "xdotool", "setxkbmap", "xmodmap"),
  },
  async () => {
    await using server = await Xvfb.start();
    const connection = Connection.open(server.display)!, other = Connection.open(server.display)!;
    const kept = new KeptKeymap(connection);
    const changes: Record<string, () => unknown> = {
      "a map of four layouts": () => server.run("setxkbmap", "us,ru,de,fr"),
      "a group": () => lockGroup(server, 2),
      "the first group": () => lockGroup(server, 0),
      "Caps Lock": () => server.run("xdotool", "key", "Caps_Lock"),
      "a symbol": () => server.run("xmodmap", "-e", "keycode 38 = F20 F21"),
      "a modifier": () => server.run("xmodmap", "-e", "add mod3 = F20"),
      "no modifier": () => server.run("xmodmap", "-e", "clear mod3"),
      "a map of one layout": () => server.run("setxkbmap", "fr"),
      "a variant": () => server.run("setxkbmap", "us", "dvorak"),
      "an option": () => server.run("setxkbmap", "-option", "caps:swapescape"),
    };
    for (const [name, change] of Object.entries(changes)) {
      const before = kept.read();
      assertStrictEquals(kept.read(), before, name);
      await change();
      if (name.startsWith("a map")) connection.drainEvents(); // as another part of the desktop does
      const after = kept.read();
      assertNotStrictEquals(after, before, name);
      assertEquals(contentOf(after), contentOf(Keymap.read(other)), name);
    }
    connection.close();
    other.close();
  },
);

Deno.test({ name: "each of many changes at once is in the map that is read next", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const connection = Connection.open(server.display)!, other = Connection.open(server.display)!;
  const kept = new KeptKeymap(connection), { unused: [keycode], levels: { type, chords } } = kept.read();
  for (let i = 0; i < 300; i++) {
    const symbols = chords.map(() => 0x1004e00 + i);
    changeKeys(other, [{ keycode, symbols, type }]);
    other.sync();
    assertEquals(kept.read().map.symbolsOf(keycode), symbols);
  }
  connection.close();
  other.close();
});

const NEEDED = need("Xvfb", "xdotool", "xterm", "xmodmap", "setxkbmap");

Deno.test(
  { name: "a text after a change of the keyboard map by a program arrives right", ...NEEDED },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    await using typed = await typewriter(server);
    const text = "qaz;-yZ1! é漢";
    let all = "";
    for (
      const change of [
        ["setxkbmap", "fr"],
        ["setxkbmap", "us"],
        // The keys of "a" and "q" in each other's place.
        ["xmodmap", "-e", "keycode 38 = q Q", "-e", "keycode 24 = a A"],
        ["setxkbmap", "de,us"],
        ["setxkbmap", "us", "dvorak"],
      ]
    ) {
      await desktop.keyboard.type(text);
      await receives(typed.received, all += text);
      await server.run(...change as [string, ...string[]]);
      await desktop.keyboard.type(text);
      for (const down of [true, false]) await desktop.keyboard.key("q", down);
      await receives(typed.received, all += text + "q");
    }
    desktop.close();
  },
);

Deno.test({ name: "two desktops on one display type foreign characters in turn", ...NEEDED }, async () => {
  await using server = await Xvfb.start();
  const before = await server.run("xmodmap", "-pke");
  const one = openX11(server.display), other = openX11(server.display);
  await using typed = await typewriter(server);
  let all = "";
  for (const [i, desktop] of [one, other, one, one, other, other, one, other].entries()) {
    const text = `${i}ab漢${String.fromCodePoint(0x4e00 + i)}Ω`;
    await desktop.keyboard.type(text);
    await receives(typed.received, all += text);
  }
  one.close();
  other.close();
  assertEquals(await server.run("xmodmap", "-pke"), before);
});
