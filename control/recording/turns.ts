/** Long work in pieces, with turns for other work in between. */

import { delay } from "@std/async/delay";

/**
 * The time that pieces are made without a turn for other work, in milliseconds. A request needs some ten turns from its
 * arrival to its answer.
 */
const TURN_MS = 2;

/**
 * Passes pieces on as they are made, and gives other work a turn every few milliseconds.
 * @param pieces The pieces; making each takes a few milliseconds at most.
 */
export async function* inTurns<T>(pieces: Iterable<T>): AsyncGenerator<T, void> {
  let turnedAt = performance.now();
  for (const piece of pieces) {
    yield piece;
    if (performance.now() - turnedAt < TURN_MS) continue;
    await delay(0);
    turnedAt = performance.now();
  }
}
