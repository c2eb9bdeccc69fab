/** Runs a limited number of jobs at the same time. */

import { cpus } from "node:os";

/** Limits of a pool. */
export interface PoolOptions {
  /** Number of jobs at the same time. */
  limit: number;
  /** Number of jobs at the same time while processors are idle; defaults to `limit`. */
  most?: number;
  /** Interval between checks whether processors are idle, in milliseconds. */
  everyMs?: number;
  /** Whether processors were idle since the last call; defaults to {@linkcode idleSince}. */
  isIdle?: () => boolean;
}

/** Interval between checks, in milliseconds, in which a job that was started shows how much it computes. */
const EVERY_MS = 3000;
/** The part of all processors' time that is idle while another job can start. */
const IDLE_PART = 0.3;

/** Starts the longest queued job first, so that none of them remains to run alone at the end. */
export class Pool {
  readonly #waiting: { seconds: number; start: () => void }[] = [];
  readonly #options: Required<PoolOptions>;
  #running = 0;
  #looks: ReturnType<typeof setInterval> | undefined;

  constructor(options: PoolOptions) {
    this.#options = { most: options.limit, everyMs: EVERY_MS, isIdle: idleSince(), ...options };
  }

  /**
   * Runs a job when its turn comes.
   * @param seconds Its approximate duration: it starts before shorter ones.
   * @returns The job's result.
   * @throws The job's errors.
   */
  async run<T>(seconds: number, job: () => Promise<T>): Promise<T> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push({ seconds, start: turn.resolve });
    if (this.#running < this.#options.limit) this.#startNext();
    else this.#look();
    await turn.promise;
    try {
      return await job();
    } finally {
      this.#running--;
      if (this.#running < this.#options.limit) this.#startNext();
    }
  }

  #startNext() {
    if (!this.#waiting.length) return;
    this.#running++;
    this.#waiting.sort((a, b) => b.seconds - a.seconds);
    this.#waiting.shift()!.start();
  }

  /** Starts further jobs, one at a time, while the running ones mostly wait. */
  #look() {
    const { most, everyMs, isIdle } = this.#options;
    if (this.#looks !== undefined || most === this.#options.limit) return;
    this.#looks = setInterval(() => {
      if (isIdle() && this.#running < most) this.#startNext();
      if (this.#waiting.length) return;
      clearInterval(this.#looks);
      this.#looks = undefined;
    }, everyMs);
  }
}

/** Returns a function that checks whether processors have been idle since it was last called. */
function idleSince(): () => boolean {
  let before = processorTimes();
  return () => {
    const now = processorTimes(), idle = now.idle - before.idle, all = now.all - before.all;
    before = now;
    return idle > IDLE_PART * all;
  };
}

/** All processors' time so far, in milliseconds. */
function processorTimes(): { idle: number; all: number } {
  const times = cpus().map(({ times }) => times);
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.flatMap((each) => Object.values(each)).reduce((sum, part) => sum + part, 0),
  };
}
