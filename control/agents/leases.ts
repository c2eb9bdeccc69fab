/** What a model's action keeps down stays down for a while, and not for ever: the model may never come back. */

import type { ActionRunner } from "../actions/runner.ts";
import { type Held, heldName } from "../held.ts";
import { LONGEST_MS } from "./tools/looking.ts";

/** Releases what calls leave down, after a time or when agents are stopped. */
export class Leases {
  /** By the name of what is held, when it is released. */
  readonly #timers = new Map<string, { held: Held; timer: ReturnType<typeof setTimeout> }>();

  constructor(readonly runner: ActionRunner) {
    runner.permission.stops.add(() => this.#releaseAll());
  }

  /** Runs a call, and takes charge of what it leaves down. */
  async around<T>(call: () => Promise<T>): Promise<T> {
    const { operator } = this.runner, before = new Set(operator.held().map(heldName));
    const result = await call();
    const after = new Map(operator.held().map((held) => [heldName(held), held]));
    for (const name of this.#timers.keys()) if (!after.has(name)) this.#forget(name);
    for (const [name, held] of after) if (!before.has(name)) this.#begin(name, held);
    return result;
  }

  #begin(name: string, held: Held): void {
    const timer = setTimeout(() => this.#release(name), LONGEST_MS);
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
