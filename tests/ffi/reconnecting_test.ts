/** A connection that is opened again while calls go on. */

import { assertEquals, assertThrows } from "@std/assert";
import { DesktopUnavailableError, InputError } from "../../core/errors.ts";
import { Reconnecting } from "../../ffi/reconnecting.ts";
import { until } from "../support/until.ts";

/** A part over a connection that can be ended. */
class Line {
  readonly connection = { isLost: false };
  isClosed = false;

  close() {
    this.isClosed = true;
  }
}

/** The result of a call, or the reason why there is none. */
function outcome(lines: Reconnecting<Line>): Line | string {
  try {
    return lines.get();
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("a server that is back is connected to by the next call, and tried again only after a while", async () => {
  const first = new Line(), second = new Line();
  let openings = 0, isBack = false;
  const lines = new Reconnecting(first, () => (openings++, isBack ? second : undefined), "gone");
  assertEquals(lines.get(), first);
  first.connection.isLost = true;
  for (let i = 0; i < 3; i++) assertThrows(() => lines.get(), DesktopUnavailableError, "gone");
  assertEquals([first.isClosed, openings], [true, 1]);
  isBack = true;
  await until(() => outcome(lines) === second);
  assertEquals(openings, 2);
  lines.close();
  assertEquals(second.isClosed, true);
  assertThrows(() => lines.get(), DesktopUnavailableError);
});

Deno.test("what an opening fails with is thrown once, and the next one may succeed", async () => {
  const first = new Line(), second = new Line();
  const openings = [
    (): Line => {
      throw new InputError("the person says no");
    },
    () => second,
  ];
  const lines = new Reconnecting<Line>(first, () => openings.shift()!(), "gone");
  first.connection.isLost = true;
  const seen = new Set<Line | string>();
  await until(() => seen.add(outcome(lines)).has(second));
  assertEquals([...seen], ["the person says no", "gone", second]);
  lines.close();
});
