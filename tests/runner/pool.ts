/** Runs a limited number of jobs at the same time. */

/** Starts the longest queued job first, so that none of them remains to run alone at the end. */
export class Pool {
  readonly #waiting: { seconds: number; start: () => void }[] = [];
  #free: number;

  /** @param limit Maximum number of jobs at the same time. */
  constructor(limit: number) {
    this.#free = limit;
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
