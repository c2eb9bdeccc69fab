/**
 * A record of the keys that a process has bound for a while: the server keeps the symbols of a killed program, and no key
 * would be free any more.
 */

import { ProcessRecord } from "../../core/process_record.ts";

/** Symbols by the keycodes that were given them. */
export type GivenSymbols = ReadonlyMap<number, readonly number[]>;

/** The content of a file. */
interface Content {
  display: string;
  given: [keycode: number, symbols: readonly number[]][];
}

/** The record of one process and display. */
export class BoundRecord {
  readonly #record = new ProcessRecord("bound-keys", contentOf);
  /** The name of the display, without the screen: all screens share the keyboard. */
  readonly #display: string;

  /** @param display The name of the display, such as `:0`. */
  constructor(display: string) {
    this.#display = display.replace(/\.\d+$/, "");
  }

  /** Writes the symbols that keys are about to get. */
  write(given: GivenSymbols): void {
    this.#record.write({ display: this.#display, given: [...given] });
  }

  /**
   * Takes the records of symbols that killed processes gave to keys of this display.
   * @param take Receives the symbols of a process.
   */
  takeLeft(take: (given: GivenSymbols) => void): void {
    this.#record.takeLeft(({ display }) => display === this.#display, ({ given }) => take(new Map(given)));
  }

  /** Removes the file, when nothing is bound. Safe to call twice. */
  clear(): void {
    this.#record.clear();
  }
}

function contentOf(json: string): Content {
  const { display, given } = JSON.parse(json);
  return { display, given: given.filter(isGiven) };
}

function isGiven(value: unknown): value is [number, number[]] {
  return Array.isArray(value) && value.length === 2 && Number.isInteger(value[0]) &&
    Array.isArray(value[1]) && value[1].every(Number.isInteger);
}
