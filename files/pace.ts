/** Long work in turns with other requests. */

/** How long others wait for their turn, in milliseconds. */
const SLICE_MS = 10;

/** Keeps long work from holding others. */
export class Pace {
  #since = performance.now();

  /** Whether it is the others' turn; to be asked every fraction of a millisecond of work. */
  get isOver(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** Gives the others their turn: by a timer, since without one the runtime looks for input every 61st time only. */
  async turn(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    this.#since = performance.now();
  }
}
