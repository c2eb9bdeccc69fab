/** The entries of one folder. */

import type { Entry } from "./entry.ts";
import { Texts, withRoom } from "./texts.ts";

/** Entries in columns: 20 bytes each beside the name, where an object with a Date and a string takes 200. */
export class Entries {
  readonly #names = new Texts();
  /** In bytes; of a folder NaN. */
  #sizes = new Float64Array(64);
  /** Milliseconds since 1970; NaN if unknown. */
  #times = new Float64Array(64);

  /** How many there are. */
  get count(): number {
    return this.#names.count;
  }

  /** Adds an entry at the end. */
  add({ name, size, modified }: Entry): void {
    const index = this.count;
    this.#names.add(name);
    this.#sizes = withRoom(this.#sizes, index + 1);
    this.#times = withRoom(this.#times, index + 1);
    this.#sizes[index] = size ?? NaN;
    this.#times[index] = modified?.getTime() ?? NaN;
  }

  /**
   * Gives entries one after another, each as an object of its own.
   * @param order Their indexes.
   */
  *inOrder(order: Iterable<number>): Generator<Entry> {
    for (const index of order) {
      const time = this.#times[index];
      yield {
        name: this.name(index),
        size: this.isFolder(index) ? undefined : this.#sizes[index],
        modified: Number.isNaN(time) ? null : new Date(time),
      };
    }
  }

  /** The name at an index. */
  name(index: number): string {
    return this.#names.get(index);
  }

  /** Whether the entry at an index is a folder. */
  isFolder(index: number): boolean {
    return Number.isNaN(this.#sizes[index]);
  }

  /** The size at an index in bytes; 0 for a folder. */
  size(index: number): number {
    return this.#sizes[index] || 0;
  }

  /** The time at an index in milliseconds since 1970; 0 if it is unknown. */
  time(index: number): number {
    return this.#times[index] || 0;
  }

  /** Compares the names at two indexes; see {@linkcode Texts.compare}. */
  compareNames(first: number, second: number): number {
    return this.#names.compare(first, second);
  }
}
