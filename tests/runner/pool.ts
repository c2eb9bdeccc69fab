/** Runs a limited number of jobs at a time. */

/** Starts the longest of the waiting jobs first, so that none of them is left to run alone at the end. */
export class Pool {
  readonly #waiting: { seconds: number; start: () => void }[] = [];
  #free: number;

  /** @param limit How many jobs run at a time. */
  constructor(limit: number) {
    this.#free = limit;
  }

  /**
   * Runs a job when its turn comes.
   * @param seconds The time that it takes, roughly: it starts before shorter ones.
   * @returns What the job returns.
   * @throws The errors of the job.
   */
  async run<T>(seconds: number, job: () => Promise<T>): Promise<T> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push({ seconds, start: turn.resolve });
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
    this.#waiting.sort((a, b) => b.seconds - a.seconds);
    this.#waiting.shift()!.start();
  }
}
