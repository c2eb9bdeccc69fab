/** Waits for changes: which changes end them. */

import { assertEquals } from "@std/assert";
import { now } from "../../../core/clock.ts";
import type { LivePictures } from "../../../control/live/pictures.ts";
import { ChangeWatch } from "../../../control/observe/watch.ts";

const LONG_MS = 3_600_000;

/** A watch of which the test reports the changes. */
async function watched() {
  const pictures = { add() {}, start() {}, endLater() {} } as unknown as LivePictures;
  const watch = new ChangeWatch(pictures);
  const change = (look?: number) =>
    watch.receive({
      type: "changes",
      at: now(),
      regions: Int32Array.of(10, 20, 30, 40),
      hasPointer: false,
      ...(look === undefined ? {} : { look }),
    });
  const begun = watch.watch();
  change(0);
  const watching = await begun;
  return {
    watch,
    change,
    [Symbol.dispose]() {
      watching[Symbol.dispose]();
      watch.close();
    },
  };
}

Deno.test("a change ends a wait for the next change", async () => {
  using stage = await watched();
  const waiting = stage.watch.next(LONG_MS);
  stage.change();
  await waiting;
});

Deno.test("a change ends a wait whose end is later than the change's own time, and no other", async () => {
  using stage = await watched();
  const other = Promise.withResolvers<void>(), ended: string[] = [];
  const waits = [
    stage.watch.next(LONG_MS, undefined, 30).then(() => ended.push("long")),
    stage.watch.next(LONG_MS, other.promise, Infinity).then(() => ended.push("other event")),
  ];
  stage.change();
  await waits[0];
  const later = stage.watch.next(LONG_MS).then(() => ended.push("later"));
  stage.change();
  await later; // which listens last, and so ends last
  assertEquals(ended, ["long", "later"]);
  other.resolve();
  await waits[1];
  assertEquals(ended, ["long", "later", "other event"]);
});

Deno.test("a wait that sleeps through changes ends when its time is over", async () => {
  using stage = await watched();
  const waiting = stage.watch.next(5, undefined, LONG_MS);
  stage.change();
  await waiting;
});

Deno.test("a second watch begins at once, and the changes of the first are known to it", async () => {
  using stage = await watched();
  stage.change();
  using _second = await stage.watch.watch();
  assertEquals(stage.watch.motion?.count, 2);
});
