/** Replays on the calling thread, for a desktop that only this thread can reach. */

import type { PlaybackOutcome, Player, RoundPlan } from "../../control/desktop/desktop.ts";
import { checkedSteps, type PlaybackTarget, playSteps } from "../../control/recording/playback.ts";

/**
 * A replay that is late yields to the event loop this often, in milliseconds. A request needs some ten turns from its
 * arrival to its answer.
 */
const YIELD_MS = 2;

/** Makes the player of a desktop whose replays share its thread. */
export function playOnThread(target: PlaybackTarget): Player {
  return {
    start(plan, times) {
      const clock = new StoppableClock(), begun = Promise.withResolvers<void>();
      const done = play(target, plan, times, clock, begun.resolve);
      done.catch(begun.reject);
      begun.promise.catch(() => {}); // `done` rejects as well
      const stop = () => clock.stop();
      return { begun: begun.promise, done, stop, abort: stop };
    },
  };
}

async function play(
  target: PlaybackTarget,
  plan: RoundPlan,
  times: number,
  clock: StoppableClock,
  begin: () => void,
): Promise<PlaybackOutcome> {
  const steps = await checkedSteps(plan, () => clock.isStopped);
  begin();
  return await playSteps(target, steps, times, clock);
}

/** Waits with timers; `stop` ends a wait at once. */
class StoppableClock {
  isStopped = false;
  #wake = () => {};
  #yieldedAt = performance.now();

  now(): number {
    return performance.now();
  }

  async sleepUntil(time: number): Promise<boolean> {
    const wait = time - this.now();
    if ((wait > 0 || this.now() - this.#yieldedAt > YIELD_MS) && !this.isStopped) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, wait)); // Deno prints a warning for a negative delay
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#yieldedAt = this.now();
    }
    return !this.isStopped;
  }

  stop(): void {
    this.isStopped = true;
    this.#wake();
  }
}
