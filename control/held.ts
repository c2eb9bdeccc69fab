/** What deskhand holds down on a desktop. */

import type { Button, Desktop } from "./desktop.ts";

/** Something that is down. */
export type Held = [kind: "button", name: Button] | [kind: "key", name: string];

/** One name for it among buttons and keys. */
export function heldName(held: Held): string {
  return held.join(" ");
}

/** See the module's comment. */
export class HeldDown {
  /** In the order in which they went down. */
  readonly #held = new Map<string, Held>();
  /** Names of those that may be up by now: the desktop was gone, or would not let go. */
  readonly #doubtful = new Set<string>();

  constructor(readonly desktop: Desktop) {}

  /** What is down for sure, in the order in which it was pressed. */
  get sure(): Held[] {
    return [...this.#held.values()].filter((held) => this.isDown(held));
  }

  /** Whether it is down for sure. */
  isDown(held: Held): boolean {
    const name = heldName(held);
    return this.#held.has(name) && !this.#doubtful.has(name);
  }

  /** Presses it. If that fails it is up: what was pressed by half is let go of, which else does no harm. */
  press(held: Held): void {
    const name = heldName(held);
    try {
      this.#send(held, true);
    } catch (error) {
      try {
        this.release(held);
      } catch {
        // The first error says more.
      }
      throw error;
    }
    this.#held.set(name, held);
    this.#doubtful.delete(name);
  }

  /** Lets go of it. If that fails it is tried again when everything is let go of. */
  release(held: Held): void {
    const name = heldName(held);
    if (this.#held.has(name)) this.#doubtful.add(name);
    this.#send(held, false);
    this.#held.delete(name);
    this.#doubtful.delete(name);
  }

  /** Lets go in reverse, of each even if another failed; throws what failed first. */
  releaseEach(held: readonly Held[]): void {
    const failures: unknown[] = [];
    for (const one of held.toReversed()) {
      try {
        this.release(one);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length) throw failures[0];
  }

  /** Lets go of everything, also of what may be up by now. */
  releaseAll(): void {
    this.releaseEach([...this.#held.values()]);
  }

  /** The desktop was gone: on another one nothing is down, and on the same one it may be. */
  doubt(): void {
    for (const name of this.#held.keys()) this.#doubtful.add(name);
  }

  #send([kind, name]: Held, down: boolean) {
    if (kind === "button") this.desktop.pointer.button(name, down);
    else this.desktop.keyboard.key(name, down);
  }
}
