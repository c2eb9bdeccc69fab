/** Keys that are bound for a while to symbols that no key has. */

import { assert, assertEquals } from "@std/assert";
import { Connection } from "../../../ffi/x11/connection.ts";
import { COOLDOWN_MS, TemporaryKeyBindings } from "../../../ffi/x11/temporary_bindings.ts";
import { X11 } from "../../support/x11.ts";
import { Xvfb } from "../../support/xvfb.ts";

Deno.test(
  {
    name:
      "a symbol keeps its key for a while after its last use, also when another symbol or the end waits for it",
    ...X11,
  },
  async () => {
    await using server = await Xvfb.start();
    const connection = Connection.open(server.display)!;
    const bindings = new TemporaryKeyBindings(connection);
    const capacity = bindings.capacity(bindings.readMap());
    const symbols = Array.from({ length: capacity + 1 }, (_, i) => 0x1004e00 + i);
    const more = symbols.pop()!;
    assertEquals(bindings.cooldownMs(symbols), 0);
    assert(bindings.bind(symbols));
    const used = performance.now();
    bindings.touch();
    assertEquals(bindings.cooldownMs(symbols), 0);
    assert(bindings.cooldownMs([more]) > 0 || performance.now() - used >= COOLDOWN_MS);
    bindings.unbind();
    assert(performance.now() - used >= COOLDOWN_MS);
    assertEquals(bindings.capacity(bindings.readMap()), capacity);
    connection.close();
  },
);
