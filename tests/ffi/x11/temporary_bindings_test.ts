/** Keys that are bound for a while to symbols that no key has. */

import { assert, assertEquals } from "@std/assert";
import { Connection, MAPPING_NOTIFY } from "../../../ffi/x11/connection.ts";
import { TemporaryKeyBindings } from "../../../ffi/x11/temporary_bindings.ts";
import { XcbConnection } from "../../../ffi/x11/xcb_connection.ts";
import { X11 } from "../../support/x11.ts";
import { Xvfb } from "../../support/xvfb.ts";

/** Keycodes and their symbols, of all keys that have some. */
async function mapOf(server: Xvfb): Promise<Map<string, string>> {
  const lines = (await server.run("xmodmap", "-pke")).matchAll(/^keycode +(\d+) = (.+)$/gm);
  return new Map(Array.from(lines, ([, code, symbols]) => [code, symbols]));
}

/** Events of changes of the keyboard map, as a program gets them. */
class MapChanges {
  readonly #xcb: XcbConnection;

  constructor(server: Xvfb) {
    this.#xcb = new XcbConnection(server.display);
  }

  /** Counts the changes since the last call. */
  count(): number {
    this.#xcb.focus(); // the events that were sent before its answer are there
    let count = 0;
    for (let event = this.#xcb.event(); event; event = this.#xcb.event()) {
      if (event.getUint8(0) === MAPPING_NOTIFY) count++;
    }
    return count;
  }

  [Symbol.dispose]() {
    this.#xcb.close();
  }
}

Deno.test(
  { name: "symbols share keys, which programs hear of once, and are undone as they were", ...X11 },
  async () => {
    await using server = await Xvfb.start();
    using changes = new MapChanges(server);
    const before = await mapOf(server);
    const connection = Connection.open(server.display)!;
    const bindings = new TemporaryKeyBindings(connection);
    const keymap = bindings.readMap(), capacity = bindings.capacity(keymap);
    assertEquals(capacity, keymap.unused.length * 4);
    const symbols = Array.from({ length: capacity }, (_, i) => 0x1004e00 + i);
    await bindings.bind([0x1006f22]);
    const ofOne = changes.count();
    assert(ofOne > 0 && ofOne <= 2, `${ofOne}`); // the server tells of the keyboard and of the device behind it
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

Deno.test({ name: "a symbol that was used last keeps its key when others need room", ...X11 }, async () => {
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
