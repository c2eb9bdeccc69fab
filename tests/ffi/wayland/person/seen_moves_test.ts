/** A person's moves on a desktop that shows only the pointer's place. */

import { assertEquals } from "@std/assert";
import type { ObservedAction, Point } from "../../../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { OwnActions } from "../../../../ffi/wayland/person/devices.ts";
import { PersonMoves, SeenMoves } from "../../../../ffi/wayland/person/person_moves.ts";
import { until } from "../../../support/until.ts";

const at = (x: number, y: number): Point => ({ x, y });
const placesOf = (batch: ObservedAction[]) =>
  batch.map(({ action }) => "x" in action ? [action.x, action.y] : [action.type]);

Deno.test("a place that is seen after another is a person's move; the first is where the pointer was", () => {
  const seen = new SeenMoves();
  for (const [time, x] of [[0, 10], [10, 20], [20, 20], [30, 30]]) seen.see(at(x, 5), time);
  assertEquals(seen.settled(Infinity), [
    { action: { type: "move", x: 20, y: 5 }, at: 10, injected: false },
    { action: { type: "move", x: 30, y: 5 }, at: 30, injected: false },
  ]);
});

Deno.test("an own move that is seen is no person's, also if it is reported after it was seen", () => {
  const seen = new SeenMoves();
  seen.see(at(0, 0), 0);
  seen.own([at(500, 500), at(50, 60)], 1);
  seen.see(at(501, 499), 20); // as scaled displays show it
  seen.see(at(50, 60), 40);
  seen.see(at(90, 90), 60);
  assertEquals(seen.settled(120), []);
  seen.own([at(90, 90)], 121);
  assertEquals(seen.settled(Infinity), []);
});

Deno.test("an own move just before the first look is no person's, whether that shows it yet or not", () => {
  for (const first of [at(0, 0), at(10, 10)]) {
    const seen = new SeenMoves();
    seen.own([at(10, 10)], 0);
    seen.see(first, 1);
    seen.see(at(10, 10), 2);
    seen.see(at(30, 30), 3);
    seen.see(at(10, 10), 4);
    assertEquals(placesOf(seen.settled(Infinity)), [[30, 30], [10, 10]]);
  }
});

Deno.test("a person who comes back to where deskhand was is seen", () => {
  const seen = new SeenMoves();
  seen.see(at(0, 0), 0);
  seen.own([at(10, 10)], 1);
  for (const [time, x] of [[20, 10], [40, 200], [60, 10]]) seen.see(at(x, x), time);
  assertEquals(placesOf(seen.settled(Infinity)), [[200, 200], [10, 10]]);
});

Deno.test("own moves between two pictures are never seen, and hide no later move of a person", () => {
  const seen = new SeenMoves();
  seen.see(at(0, 0), 0);
  seen.own([at(100, 0), at(200, 0), at(300, 0)], 1);
  seen.see(at(300, 0), 20);
  seen.see(at(200, 0), 40);
  assertEquals(placesOf(seen.settled(Infinity)), [[200, 0]]);
});

Deno.test("what devices tell keeps its order among moves, and gets the place that is seen", () => {
  const seen = new SeenMoves();
  const button = { type: "button", button: "left", x: 0, y: 0 } as const;
  seen.see(at(1, 1), 0);
  seen.see(at(30, 40), 10);
  seen.add({ action: { ...button, down: true }, at: 11, injected: false });
  seen.add({ action: { type: "move", x: 7, y: 7 }, at: 12, injected: false }); // seen already
  seen.see(at(50, 60), 20);
  seen.add({ action: { ...button, down: false }, at: 21, injected: false });
  seen.add({ action: { type: "key", key: "a", down: true }, at: 22, injected: false });
  assertEquals(placesOf(seen.settled(Infinity)), [[30, 40], [30, 40], [50, 60], [50, 60], ["key"]]);
});

Deno.test("the end of the pointer's view is reported as a gap, and the next own action opens it again", async () => {
  const own = new OwnActions(), seen: ObservedAction[] = [], problems: string[] = [];
  let shown = 0;
  const moves = new PersonMoves(own, {
    actions: (batch) => seen.push(...batch),
    problem: (kind, message) => problems.push(`${kind}: ${message}`),
  }, () => ({
    async *places(signal) {
      yield at(++shown, 0);
      if (shown === 1) {
        yield at(7, 8); // where it was moved just before
        throw new DesktopUnavailableError("it has ended");
      }
      yield at(40, 50);
      await new Promise((resolve) => signal.onabort = resolve);
    },
    expectedPlaces: (point) => [point],
  }));
  own.report({ type: "move", x: 7, y: 8 });
  await moves.begin();
  await until(() => problems.length);
  assertEquals(problems, ["gap: a person's moves are not seen until the next action: it has ended"]);
  own.report({ type: "move", x: 2, y: 0 });
  await until(() => seen.length);
  await moves.close();
  assertEquals(placesOf(seen), [[40, 50]]);
  assertEquals(shown, 2);
});
