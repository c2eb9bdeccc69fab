/** A connection that is opened again while calls go on. */

import { assertEquals, assertThrows } from "@std/assert";
import { DesktopUnavailableError, InputError } from "../../core/errors.ts";
import { Reconnecting } from "../../ffi/reconnecting.ts";
import { until } from "../support/until.ts";

/** What works over a connection that can be ended. */
class Line {
  readonly connection = { isLost: false };
  isClosed = false;

  close() {
    this.isClosed = true;
  }
}

/** What a call gives, or why there is nothing. */
function outcome(lines: Reconnecting<Line>): Line | string {
  try {
    return lines.get();
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("a server that takes long to be opened again is waited for, and opened once", async () => {
  const first = new Line(), second = new Line(), opening = Promise.withResolvers<Line>();
  let openings = 0;
  const lines = new Reconnecting(first, () => (openings++, opening.promise), "gone");
  assertEquals(lines.get(), first);
  first.connection.isLost = true;
  for (let i = 0; i < 3; i++) assertThrows(() => lines.get(), DesktopUnavailableError, "gone");
  assertEquals([first.isClosed, openings], [true, 1]);
  opening.resolve(second);
  await until(() => outcome(lines) === second);
  lines.close();
  assertEquals(second.isClosed, true);
});

Deno.test("what an opening fails with is thrown once, and the next one may succeed", async () => {
  const first = new Line(), second = new Line();
  const openings = [
    () => Promise.reject(new InputError("the person says no")),
    () => Promise.resolve(second),
  ];
  const lines = new Reconnecting<Line>(first, () => openings.shift()!(), "gone");
  first.connection.isLost = true;
  const seen = new Set<Line | string>();
  await until(() => seen.add(outcome(lines)).has(second));
  assertEquals([...seen], ["gone", "the person says no", second]);
  lines.close();
});

Deno.test("what is opened after the end is closed", async () => {
  const first = new Line(), second = new Line(), opening = Promise.withResolvers<Line>();
  const lines = new Reconnecting(first, () => opening.promise, "gone");
  first.connection.isLost = true;
  assertThrows(() => lines.get(), DesktopUnavailableError);
  lines.close();
  opening.resolve(second);
  await until(() => second.isClosed);
  assertThrows(() => lines.get(), DesktopUnavailableError);
});
