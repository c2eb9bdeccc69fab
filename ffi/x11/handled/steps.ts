/** Waits in steps, between which other work runs. */

import { delay } from "@std/async/delay";
import type { Connection } from "../connection.ts";

/**
 * Takes the steps of a wait.
 * @param steps Yields the time until the next step, in milliseconds.
 * @param connection It must be there at each step.
 * @param signal Ends the wait.
 * @returns The result of the wait.
 */
export async function inSteps<T>(
  steps: Generator<number, T>,
  connection: Connection,
  signal?: AbortSignal,
): Promise<T> {
  try {
    for (let step = steps.next();; step = steps.next()) {
      if (step.done) return step.value;
      signal?.throwIfAborted();
      await delay(step.value);
      connection.check();
    }
  } finally {
    steps.return(undefined as T); // ends the question if the wait ended before the answer
  }
}
