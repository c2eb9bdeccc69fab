/** The entries of one folder. */

import type { Entry, Properties, Totals } from "./entry.ts";
import { nameKey } from "./name_key.ts";
import { Texts, withRoom } from "./texts.ts";

/** The size of an entry that is not described. */
const UNKNOWN = -1;

/** Names that are decoded at once. */
const BLOCK = 500;

/**
 * Entries in columns. An entry takes its name, twice, and 24 bytes; an object with two strings takes 150 bytes. An
 * item is added by its name and described later; without a description it is no entry.
 */
export class Entries {
  readonly #names = new Texts();
  /** The keys by which names are compared. */
  readonly #keys = new Texts();
  /** Sizes in bytes; NaN for a folder, {@linkcode UNKNOWN} for an entry that is not described. */
  #sizes = new Float64Array(64);
  /** Milliseconds since 1970; NaN if unknown. */
  #times = new Float64Array(64);

  /** The number of names that were added. */
  get count(): number {
    return this.#names.count;
  }

  /** Adds a name at the end. */
  add(name: string): void {
    const index = this.count;
    this.#names.add(name);
    this.#keys.add(nameKey(name));
    this.#sizes = withRoom(this.#sizes, index + 1);
    this.#times = withRoom(this.#times, index + 1);
    this.#sizes[index] = UNKNOWN;
  }

  /** Describes the entry at an index. */
  describe(index: number, { size, modified }: Properties): void {
    this.#sizes[index] = size ?? NaN;
    this.#times[index] = modified ?? NaN;
  }

  /** The names at several indexes. */
  names(indexes: Uint32Array): string[] {
    return this.#names.getAll(indexes);
  }

  /**
   * Gives entries one after another as objects.
   * @param order Their indexes.
   */
  *inOrder(order: Uint32Array): Generator<Entry> {
    for (let from = 0; from < order.length; from += BLOCK) {
      const indexes = order.subarray(from, from + BLOCK), names = this.names(indexes);
      for (let i = 0; i < names.length; i++) {
        const index = indexes[i], time = this.#times[index];
        yield {
          name: names[i],
          size: this.isFolder(index) ? undefined : this.#sizes[index],
          modified: Number.isNaN(time) ? null : time,
        };
      }
    }
  }

  /** Counts entries, given by their indexes. */
  totals(indexes: Iterable<number>): Totals {
    const totals = { folders: 0, files: 0, bytes: 0 };
    for (const index of indexes) {
      if (this.isFolder(index)) totals.folders++;
      else totals.files++;
      totals.bytes += this.size(index);
    }
    return totals;
  }

  /** Tells whether the entry at an index is described. */
  isDescribed(index: number): boolean {
    return this.#sizes[index] !== UNKNOWN;
  }

  /** Tells whether the entry at an index is a folder. */
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

  /** Writes the key of the name at an index, as `writeNaturalKey` does. */
  writeKey(index: number, key: Uint8Array): void {
    this.#keys.writeKey(index, key);
  }

  /**
   * Compares the names at two indexes: without regard to case and accents, and with numbers by their value.
   * @returns Negative if the first comes first, positive if the second does. Different names are never equal.
   */
  compareNames(first: number, second: number): number {
    return this.#keys.compareNaturally(first, second) || this.#names.compare(first, second);
  }
}
