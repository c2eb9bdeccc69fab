/** Runs a limited number of jobs at a time. */

/** Starts jobs in their order, the long ones before the others. */
export class Pool {
  readonly #waiting: { isLong: boolean; start: () => void }[] = [];
  #free: number;

  /** @param limit How many jobs run at a time. */
  constructor(limit: number) {
    this.#free = limit;
  }

  /**
   * Runs a job when its turn comes.
   * @param isLong Lets the job start before those that are not long.
   * @returns What the job returns.
   * @throws The errors of the job.
   */
  async run<T>(isLong: boolean, job: () => Promise<T>): Promise<T> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push({ isLong, start: turn.resolve });
    this.#startNext();
    await turn.promise;
    try {
      return await job();
    } finally {
      this.#free++;
      this.#startNext();
    }
  }

  #startNext() {
    if (!this.#free || !this.#waiting.length) return;
    this.#free--;
    const next = Math.max(0, this.#waiting.findIndex(({ isLong }) => isLong));
    this.#waiting.splice(next, 1)[0].start();
  }
}
