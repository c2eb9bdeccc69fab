/** One at a time, in the order of arrival. */

/** Lets actions through one by one. An action that is not asynchronous costs no promise when nobody waits. */
export class Mutex {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** @param limit How many may wait; one more is refused. */
  constructor(readonly limit: number) {}

  /**
   * Runs an action when its turn comes.
   * @param full Makes the error that is thrown when too many wait; left out, it waits however many do.
   * @returns What the action returns; a promise of it if it had to wait.
   */
  run<T>(action: () => T | Promise<T>, full?: () => Error): T | Promise<T> {
    if (!this.#taken) return this.#start(action);
    if (full && this.#waiting.length >= this.limit) throw full();
    return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() => this.#start(action));
  }

  #start<T>(action: () => T | Promise<T>): T | Promise<T> {
    this.#taken = true;
    let result: T | Promise<T>;
    try {
      result = action();
    } catch (error) {
      this.#next();
      throw error;
    }
    if (result instanceof Promise) return result.finally(() => this.#next());
    this.#next();
    return result;
  }

  /** Hands the turn on without letting a newcomer slip in between. */
  #next() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken = false;
  }
}
