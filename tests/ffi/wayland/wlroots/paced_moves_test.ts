/** The pace of moves: many are sent at once, and of all further moves only the last. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { PacedMoves } from "../../../../ffi/wayland/wlroots/new_keyboard.ts";
import type { Connection } from "../../../../ffi/wayland/wire/connection.ts";
import { until } from "../../../support/until.ts";

/** Moves over a connection that keeps what it defers until its next request. */
function paced() {
  let deferred: (() => void) | undefined, isGone = false;
  const sent: number[] = [];
  const connection = {
    check() {
      if (isGone) throw new DesktopUnavailableError("gone");
    },
    dispatch() {},
    defer: (run: () => void) => deferred = run,
    runDeferred() {
      const run = deferred;
      deferred = undefined;
      run?.();
    },
  };
  const moves = new PacedMoves(connection as unknown as Connection, ({ x }) => void sent.push(x));
  return {
    sent,
    move: (x: number) => moves.move({ x, y: 0 }),
    request: () => connection.runDeferred(),
    end: () => isGone = true,
    close: () => moves.close(),
  };
}

/** Moves until a move has to wait; returns the number of moves that were sent. */
function fill({ sent, move }: ReturnType<typeof paced>): number {
  const before = sent.length;
  for (let x = before + 1; sent.length === x - 1; x++) move(x);
  return sent.length - before;
}

Deno.test("64 moves are sent at once, and of those behind them the last, before the next request", () => {
  const moves = paced();
  assert(fill(moves) >= 64);
  moves.move(5000);
  moves.move(5001); // takes the place of the one that waits
  const { length } = moves.sent;
  moves.request();
  assertEquals(moves.sent.slice(length), [5001]);
  moves.close();
});

Deno.test("a move that waits is sent in time without a request, and at the end", async () => {
  const moves = paced(), { sent, close } = moves;
  fill(moves);
  const waiting = sent.length + 1;
  await until(() => sent.at(-1) === waiting);
  fill(moves);
  const last = sent.length + 1;
  close();
  assertEquals(sent.at(-1), last);
});

Deno.test("a compositor that is gone gets no move", () => {
  const { move, end } = paced();
  end();
  assertThrows(() => move(1), DesktopUnavailableError);
});
