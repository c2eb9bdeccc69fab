/** Bounds of the pictures that are waited for. */

import { assertEquals } from "@std/assert";
import { PictureWaits } from "../../../control/find/find.ts";

Deno.test("where too many pictures are waited for, by number or by bytes, the oldest waits end", () => {
  const waits = new PictureWaits(3, 100),
    ended = (all: { signal: AbortSignal }[]) => all.map(({ signal }) => signal.aborted);
  const all = [waits.enter(10), waits.enter(20), waits.enter(30)];
  assertEquals(ended(all), [false, false, false]);
  all.push(waits.enter(40)); // the fourth
  assertEquals(ended(all), [true, false, false, false]);
  all.push(waits.enter(60)); // 30 + 40 + 60 bytes are too many, and 40 + 60 are not
  assertEquals(ended(all), [true, true, true, false, false]);
  all.push(waits.enter(500)); // larger than all that is allowed
  assertEquals(ended(all), [true, true, true, true, true, false]);
  all[5][Symbol.dispose]();
  all[5][Symbol.dispose]();
  all[0][Symbol.dispose]();
  all.push(waits.enter(60), waits.enter(40));
  assertEquals(ended(all.slice(5)), [false, false, false]);
});
