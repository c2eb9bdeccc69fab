/** Reports of an X server about drawing, for the live picture. */

import { assert } from "@std/assert";
import { delay } from "@std/async/delay";
import { Connection } from "../../../ffi/x11/connection.ts";
import { DamageConnection } from "../../../ffi/x11/damaged_screen.ts";
import { need } from "../../support/need.ts";
import { Xvfb } from "../../support/xvfb.ts";

const SIZE = { width: 640, height: 400 };
/** Pictures that are fetched: a terminal that scrolls also reports areas without a pixel, in one of a few. */
const PICTURES = 60;

Deno.test(
  {
    name: "each area that the server reports as drawn is fetched once",
    ...need("Xvfb", "xterm"),
  },
  async () => {
    await using server = await Xvfb.start(SIZE);
    const lines = "while :; do echo line; sleep 0.01; done";
    await using _terminal = server.spawn("xterm", "-geometry", "80x20+0+0", "-e", "sh", "-c", lines);
    const connection = Connection.open(server.display)!;
    const damage = DamageConnection.open(server.display, connection.extension("DAMAGE")!.firstEvent)!;
    assert(damage.allocate(SIZE.width, SIZE.height));
    for (let fetched = 0; fetched < PICTURES;) {
      if (damage.drain()) {
        assert(damage.fetch(SIZE).box, "it says that something was drawn, and fetches nothing");
        fetched++;
      } else await delay(1);
    }
    damage.close();
    connection.close();
  },
);
