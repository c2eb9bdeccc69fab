/** A pool of things that are lent to one user at a time. */
export class Pool<T> {
  readonly #free: T[];
  readonly #waiting: ((item: T) => void)[] = [];

  /** @param items Free at first. */
  constructor(items: readonly T[]) {
    this.#free = [...items];
  }

  /** Takes a member, when one is free. */
  async take(): Promise<T> {
    return this.#free.pop() ?? await new Promise<T>((resolve) => this.#waiting.push(resolve));
  }

  /** Gives a member back. */
  give(item: T): void {
    const next = this.#waiting.shift();
    if (next) next(item);
    else this.#free.push(item);
  }
}
