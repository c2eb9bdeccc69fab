/** Presses of elements whose places change under them: none hits a neighbour. */

import { assert, assertEquals } from "@std/assert";
import { pressMoving } from "../../support/churn.ts";
import { STAGE } from "../../support/elements_stage.ts";
import { need } from "../../support/need.ts";

const PROGRAMS = need("/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib", "/usr/bin/python3");

for (const [intervalMs, presses] of [[20, 150], [90, 60]]) {
  Deno.test({
    name:
      `${presses} presses by refs in a list that is reordered every ${intervalMs} ms hit no other element`,
    ignore: STAGE.ignore || PROGRAMS.ignore,
    async fn() {
      const { wrong, via, refused, missed } = await pressMoving(presses, intervalMs);
      assertEquals(wrong, []);
      const done = Object.values(via).reduce((sum, count) => sum + count, 0) - missed;
      assert(done > presses / 2, JSON.stringify({ via, refused, missed }));
    },
  });
}
