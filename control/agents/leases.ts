/** Limits how long a model's action keeps a key or button down: the model may never come back. */

import type { ActionRunner } from "../actions/runner.ts";
import { type Held, heldName } from "../held.ts";

/** Releases the keys and buttons that calls leave down, after a time or when agents are stopped. */
export class Leases {
  /** Timers of releases, by the name of the held key or button. */
  readonly #timers = new Map<string, { held: Held; timer: ReturnType<typeof setTimeout> }>();

  /**
   * @param ms The longest time for which the button or key stays down, in milliseconds.
   */
  constructor(readonly runner: ActionRunner, readonly ms: number) {
    runner.permission.stops.add(() => this.#releaseAll());
  }

  /**
   * Takes charge of the keys and buttons that a call leaves pressed.
   * @param kept The names of the keys and buttons that the call pressed and did not release.
   */
  take(kept: ReadonlyMap<string, Held>): void {
    const down = new Set(this.runner.operator.held().map(heldName));
    for (const name of this.#timers.keys()) if (!down.has(name)) this.#forget(name);
    for (const [name, held] of kept) this.#begin(name, held);
  }

  #begin(name: string, held: Held): void {
    const timer = setTimeout(() => this.#release(name), this.ms);
    Deno.unrefTimer(timer); // at the end of the program everything is released
    this.#timers.set(name, { held, timer });
  }

  #forget(name: string): void {
    clearTimeout(this.#timers.get(name)?.timer);
    this.#timers.delete(name);
  }

  #release(name: string): void {
    const lease = this.#timers.get(name);
    this.#forget(name);
    if (lease) this.runner.operator.releaseOwned([lease.held]).catch(() => {}); // a desktop that is gone holds nothing
  }

  #releaseAll(): void {
    for (const name of [...this.#timers.keys()]) this.#release(name);
  }
}
