/** xdotool's connection to an X server. */

import { assertEquals } from "@std/assert";
import { XdoSession } from "../../../ffi/x11/xdotool/session.ts";
import { need } from "../../support/need.ts";
import { Xvfb } from "../../support/xvfb.ts";

Deno.test({
  ...need("Xvfb"),
  name: "a sync asks the server only if a request is without a reply",
  async fn() {
    await using server = await Xvfb.start();
    const before = Deno.env.get("DISPLAY");
    Deno.env.set("DISPLAY", server.env.DISPLAY);
    try {
      const session = XdoSession.open()!, { libraries: { xdo, x11 }, display } = session;
      const sent = () => x11.XNextRequest(display);
      const open = () => sent() - x11.XLastKnownRequestProcessed(display) - 1n;
      xdo.xdo_move_mouse(session.xdo, 30, 40, 0);
      assertEquals(open() > 0n, true);
      session.sync();
      assertEquals(open(), 0n);
      const { x, y } = session.location(), until = sent();
      session.sync();
      assertEquals([x, y, sent() - until], [30, 40, 0n]);
      session.close();
    } finally {
      if (before === undefined) Deno.env.delete("DISPLAY");
      else Deno.env.set("DISPLAY", before);
    }
  },
});
