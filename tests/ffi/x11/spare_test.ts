/** Keys that are lent to characters which no key has. */

import { assert, assertEquals } from "@std/assert";
import { Connection } from "../../../ffi/x11/connection.ts";
import { REBIND_MS, SpareKeys } from "../../../ffi/x11/spare.ts";
import { X11 } from "../../support/x11.ts";
import { Xvfb } from "../../support/xvfb.ts";

Deno.test(
  { name: "what was just used keeps its key for a while, also when another symbol or the end waits", ...X11 },
  async () => {
    await using server = await Xvfb.start();
    const connection = Connection.open(server.display)!;
    const spare = new SpareKeys(connection);
    const room = spare.room(spare.readMap());
    const symbols = Array.from({ length: room + 1 }, (_, i) => 0x1004e00 + i);
    const more = symbols.pop()!;
    assertEquals(spare.rest(symbols), 0);
    assert(spare.bind(symbols));
    const used = performance.now();
    spare.used();
    assertEquals(spare.rest(symbols), 0);
    assert(spare.rest([more]) > 0 || performance.now() - used >= REBIND_MS);
    spare.unbind();
    assert(performance.now() - used >= REBIND_MS);
    assertEquals(spare.room(spare.readMap()), room);
    connection.close();
  },
);
