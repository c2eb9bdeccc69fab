/** Keys temporarily bound to symbols that no key has. */

import { assert, assertEquals, assertNotStrictEquals, assertStrictEquals } from "@std/assert";
import { Connection } from "../../../ffi/x11/connection.ts";
import { Keymap } from "../../../ffi/x11/keymap.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { KeptKeymap, TemporaryKeyBindings } from "../../../ffi/x11/temporary_bindings.ts";
import { EVENT, XcbConnection } from "../../../ffi/x11/xcb_connection.ts";
import { changeKeys } from "../../../ffi/x11/xkb.ts";
import { call } from "../../program/recording.ts";
import { need } from "../../support/need.ts";
import { MANY, Program, receives, typewriter } from "../../support/program.ts";
import { temporary, until } from "../../support/shell.ts";
import { waiting } from "../../support/waits.ts";
import { lockGroup, X11 } from "../../support/window_desktops.ts";
import { Xvfb } from "../../support/xvfb.ts";

/** Keycodes with their symbols, of all keys that have any. */
async function mapOf(server: Xvfb): Promise<Map<string, string>> {
  const lines = (await server.run("xmodmap", "-pke")).matchAll(/^keycode +(\d+) = (.+)$/gm);
  return new Map(Array.from(lines, ([, code, symbols]) => [code, symbols]));
}

/** Keyboard map change events, as a program receives them. */
class MapChanges {
  readonly #xcb: XcbConnection;

  constructor(server: Xvfb) {
    this.#xcb = new XcbConnection(server.display);
  }

  /** Counts the changes since the last call. */
  count(): number {
    this.#xcb.focus(); // a round trip: events sent before its reply have arrived
    let count = 0;
    for (let event = this.#xcb.event(); event; event = this.#xcb.event()) {
      if (event.getUint8(0) === EVENT.mappingNotify) count++;
    }
    return count;
  }

  [Symbol.dispose]() {
    this.#xcb.close();
  }
}

Deno.test(
  { name: "symbols share keys, programs are notified once, and the old map is restored", ...X11 },
  async () => {
    await using server = await Xvfb.start();
    using changes = new MapChanges(server);
    const before = await mapOf(server);
    const connection = Connection.open(server.display)!;
    const bindings = new TemporaryKeyBindings(connection);
    const keymap = bindings.readMap(), capacity = bindings.capacity(keymap);
    assertEquals(capacity, keymap.unused.length * 4);
    changes.count(); // discards those of switching to deskhand's own keyboard to read its map
    const symbols = Array.from({ length: capacity }, (_, i) => 0x1004e00 + i);
    await bindings.bind([0x1006f22]);
    const ofOne = changes.count();
    assert(ofOne > 0 && ofOne <= 2, `${ofOne}`); // the server reports the keyboard and its device
    await bindings.unbind();
    assertEquals(changes.count(), ofOne);
    await bindings.bind(symbols);
    assertEquals(changes.count(), ofOne);
    const strokes = symbols.map((symbol) => JSON.stringify(bindings.stroke(symbol, keymap)));
    assertEquals(new Set(strokes).size, capacity);
    const bound = await mapOf(server);
    assertEquals(bound.size, before.size + keymap.unused.length);
    for (const [code, symbols] of before) assertEquals(bound.get(code), symbols);
    await bindings.bind(symbols);
    assertEquals(changes.count(), 0);
    await bindings.unbind();
    assertEquals(changes.count(), ofOne);
    assertEquals(await mapOf(server), before);
    assertEquals(bindings.capacity(bindings.readMap()), capacity);
    bindings.close();
    connection.close();
  },
);

Deno.test({ name: "the most recently used symbol keeps its key when others need room", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const connection = Connection.open(server.display)!;
  const bindings = new TemporaryKeyBindings(connection);
  const keymap = bindings.readMap(), capacity = bindings.capacity(keymap);
  const symbols = Array.from({ length: capacity }, (_, i) => 0x1004e00 + i);
  await bindings.bind(symbols);
  await bindings.bind([symbols[0]]);
  const kept = bindings.stroke(symbols[0], keymap);
  await bindings.bind([0x1006f22]);
  assertEquals(bindings.stroke(symbols[0], keymap), kept);
  assertEquals(bindings.stroke(symbols[1], keymap), undefined);
  assert(bindings.stroke(0x1006f22, keymap));
  bindings.close();
  connection.close();
});

// Keys bound for text, after the receiving program or deskhand has ended.

/** More characters that no key has. */
const LATIN = "āăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıĵķĸĺļľŀłńņňŉŋōŏőœŕŗřśŝşš─│";

const keysOf = (server: Xvfb) => server.run("xmodmap", "-pke");

Deno.test(
  { name: "a start frees the keys that a killed deskhand had bound", ...need("Xvfb", "xmodmap") },
  async () => {
    await using server = await Xvfb.start();
    const before = await keysOf(server);
    await temporary(async (state) => {
      const env = { ...server.env, XDG_STATE_HOME: state };
      for (const text of [MANY, "漢字"]) {
        await using killed = new Program(["--http", "0"], { env });
        const url = await killed.controlUrl();
        assertEquals(await keysOf(server), before);
        assertEquals((await call(url, "POST", "type", { text })).json, { ok: true });
        assertEquals(await keysOf(server) === before, false);
        killed.kill("SIGKILL");
        await killed.ended();
      }
      await using living = new Program(["--http", "0"], { env });
      const url = await living.controlUrl();
      assertEquals(await keysOf(server), before);
      {
        await using killed = new Program(["--http", "0"], { env });
        const text = Array.from({ length: 600 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
        assertEquals((await call(await killed.controlUrl(), "POST", "type", { text })).json, { ok: true });
        killed.kill("SIGKILL");
        await killed.ended();
      }
      assertEquals((await call(url, "POST", "type", { text: "Ω─" })).json, { ok: true });
      living.kill();
      await living.ended();
      const left = await Array.fromAsync(Deno.readDir(`${state}/deskhand`), ({ name }) => name);
      // The record of the killed one's control API stays until something lists running ones.
      assertEquals(left.filter((name) => !name.startsWith("running-")), ["token"]);
    });
    assertEquals(await keysOf(server), before);
  },
);

Deno.test(
  {
    name: "rebinds a killed program's keys for the next one, next to an input method",
    ...need("Xvfb", "xterm", "xdotool", "xmodmap", "xclip", "xprop"),
  },
  async () => {
    await using server = await Xvfb.start();
    const before = await keysOf(server);
    const desktop = openX11(server.display);
    {
      await using xterm = server.spawn("xterm", "-u8", "-geometry", "200x50+0+0");
      await server.window("--class", "xterm");
      await server.run("xdotool", "mousemove", "200", "200");
      await desktop.keyboard.type(MANY);
      Deno.kill(xterm.pid, "SIGKILL");
    }
    // A selection whose owner answers, like an input method's.
    await using _owner = server.spawn("xclip", "-selection", "clipboard", "-quiet", "/etc/passwd");
    await server.run("xprop", "-root", "-f", "XIM_SERVERS", "32a", "-set", "XIM_SERVERS", "CLIPBOARD");
    await until(() => server.run("xclip", "-selection", "clipboard", "-o", "-t", "TARGETS").catch(() => ""));
    await waiting("the next text", desktop.keyboard.type(MANY.slice(30) + LATIN));
    await desktop.keyboard.restore();
    assertEquals(await keysOf(server), before);
    desktop.close();
  },
);

// The keyboard map cached between texts is as current as a fresh one.

/** A map's whole contents. */
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
    name: "a cached keyboard map is reused until something changes, and always matches the server's",
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
      if (name.startsWith("a map")) connection.drainEvents(); // as other parts of the desktop do
      const after = kept.read();
      assertNotStrictEquals(after, before, name);
      assertEquals(contentOf(after), contentOf(Keymap.read(other)), name);
    }
    connection.close();
    other.close();
  },
);

Deno.test({ name: "the next map contains each of many simultaneous changes", ...X11 }, async () => {
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
  { name: "text arrives unchanged after a program has changed the keyboard map", ...NEEDED },
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
        // The keys of "a" and "q" swapped.
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

Deno.test({ name: "two desktops on one display type non-Latin characters in turn", ...NEEDED }, async () => {
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
