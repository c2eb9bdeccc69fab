/** deskhand's engine in a real IBus, whose own signals tell the order of its ends. */

import { assertEquals } from "@std/assert";
import { IBUS, Ibus } from "../../../../ffi/linux/input_method/ibus.ts";
import { IbusEngine } from "../../../../ffi/linux/input_method/ibus_engine.ts";
import { need } from "../../../support/need.ts";
import { SESSION_BUS, SessionBus } from "../../../support/session_bus.ts";
import { until } from "../../../support/until.ts";
import { Client, Xvfb } from "../../../support/xvfb.ts";

const NEEDED = SESSION_BUS.ignore ? SESSION_BUS : need("Xvfb", "ibus-daemon");
const PERSONS = "xkb:us::eng";

for (const way of ["end", "endNow"] as const) {
  Deno.test({
    name: `${way}: the person's engine is active before the engine's connection ends, and after it`,
    ...NEEDED,
  }, async () => {
    await using server = await Xvfb.start();
    await using session = await SessionBus.start();
    const env = session.enterOn(server.env), display = server.display.slice(1);
    await using _ibus = new Client("ibus-daemon", ["--panel", "disable"], env);
    const ibus = (await until(() => Ibus.open(display)))!, witness = Ibus.open(display)!;
    try {
      // The engine may take longer to start than IBus waits.
      await until(() => ibus.setEngine(PERSONS).then(() => true, () => false));
      const told: string[] = [], engine = new IbusEngine(ibus);
      witness.bus.listen(
        { interface: IBUS.interface, member: "GlobalEngineChanged" },
        ({ values: [name] }) => {
          told.push(String(name).replace(/^deskhand.*/, "deskhand"));
        },
      );
      await engine.begin();
      witness.bus.listen({ member: "NameOwnerChanged" }, ({ values: [, before, now] }) => {
        if (before && !now) told.push("the connection ends");
      });
      await engine[way]();
      assertEquals(await witness.engine(), PERSONS);
      await until(() => told.includes("the connection ends"));
      const first = told.indexOf("deskhand"); // the signal of the engine before it may come late
      assertEquals(told.slice(first, first + 3), ["deskhand", PERSONS, "the connection ends"]);
    } finally {
      ibus.close();
      witness.close();
    }
  });
}
