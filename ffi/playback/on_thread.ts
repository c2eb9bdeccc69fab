/** Replays on the calling thread, for a desktop that only this thread can reach. */

import type { Player } from "../../control/desktop.ts";
import { playSteps, type Target } from "../../control/recording/playback.ts";

/** A replay that is late yields to the event loop this often, in milliseconds. */
const YIELD_MS = 8;

/** Makes the player of a desktop whose replays share its thread. */
export function playOnThread(target: Target): Player {
  return {
    start(steps, times) {
      const clock = new StoppableClock();
      const stop = () => clock.stop();
      return { done: playSteps(target, steps, times, clock), stop, abort: stop };
    },
  };
}

/** Waits with timers; `stop` ends a wait at once. */
class StoppableClock {
  #stopped = false;
  #wake = () => {};
  #yieldedAt = performance.now();

  now(): number {
    return performance.now();
  }

  async sleepUntil(time: number): Promise<boolean> {
    const wait = time - this.now();
    if ((wait > 0 || this.now() - this.#yieldedAt > YIELD_MS) && !this.#stopped) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, wait)); // Deno prints a warning for a negative delay
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#yieldedAt = this.now();
    }
    return !this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
  }
}
