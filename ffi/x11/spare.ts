/**
 * Symbols that no key has, bound to keycodes that have none: for text beyond the keyboard's own characters.
 *
 * A client reads the map when it gets the key event, which may be late: what was bound stays bound while it
 * may still be read, and a keycode gets another symbol only after a pause.
 */

import { InputError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";
import { Keymap } from "./keymap.ts";

/** How long clients are given to see a new map before its keys are pressed, in milliseconds. */
export const SETTLE_MS = 40;
/**
 * How long a keycode keeps its symbol after it was last used, in milliseconds: a client that is slow to look it up would
 * find another, or none.
 */
export const REBIND_MS = 300;
/** How long after the last use bindings are undone. */
const IDLE_MS = 1000;

/** Bindings of one connection. */
export class SpareKeys {
  /** Keycodes by symbol. */
  readonly #bound = new Map<number, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #usedAt = -Infinity;

  constructor(readonly connection: Connection) {}

  /** The map as it is now. Keys bound here give nothing in it: they may be given up for other symbols. */
  readMap(): Keymap {
    const keymap = Keymap.read(this.connection);
    for (const [keysym, keycode] of this.#bound) {
      // Another program has given the key another symbol, or loaded another map.
      if (keymap.plainSymbol(keycode) !== keysym) this.#bound.delete(keysym);
    }
    keymap.leaveOut(this.#bound.values());
    return keymap;
  }

  /** The keycode that a symbol is bound to. */
  keycode(keysym: number): number | undefined {
    return this.#bound.get(keysym);
  }

  /**
   * How many symbols can be bound at once.
   * @param keymap From {@linkcode readMap}.
   */
  room(keymap: Keymap): number {
    return keymap.spare.length + this.#bound.size;
  }

  /** How long to wait, in milliseconds, before symbols are bound for which keys are given up that were just used. */
  rest(keysyms: readonly number[]): number {
    const wanted = keysyms.filter((keysym) => !this.#bound.has(keysym));
    return wanted.length > this.readMap().spare.length ? this.#rest() : 0;
  }

  /**
   * Binds symbols, until {@linkcode used} is called at least. Bindings that are not asked for are given up if need be.
   * @param keysyms Distinct symbols, at most {@linkcode room} of them.
   * @returns Whether the map was changed: the caller then waits {@linkcode SETTLE_MS} before pressing.
   * @throws InputError if there is less room than there was.
   */
  bind(keysyms: number[]): boolean {
    clearTimeout(this.#timer);
    this.#usedAt = performance.now(); // they are bound to be pressed now
    const keymap = this.readMap();
    const wanted = keysyms.filter((keysym) => !this.#bound.has(keysym));
    const free = [...keymap.spare];
    for (const [keysym, keycode] of this.#bound) {
      if (free.length >= wanted.length) break;
      if (keysyms.includes(keysym)) continue;
      this.#bound.delete(keysym);
      free.push(keycode);
    }
    for (const keysym of wanted) {
      const keycode = free.pop();
      if (keycode === undefined) {
        throw new InputError("another program has taken the last free key meanwhile");
      }
      keymap.bind(keycode, keysym);
      this.#bound.set(keysym, keycode);
    }
    if (wanted.length) this.connection.sync();
    return wanted.length > 0;
  }

  /** Says that bindings were just used: they are undone when nobody used them for a second. */
  used(): void {
    clearTimeout(this.#timer);
    if (!this.#bound.size) return;
    this.#usedAt = performance.now();
    this.#timer = setTimeout(() => this.unbind(), IDLE_MS);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  /** Resolves when what was used last has been looked up. */
  async looked(): Promise<void> {
    if (this.#bound.size) await new Promise((resolve) => setTimeout(resolve, this.#rest()));
  }

  /**
   * Leaves the map as it was found; blocks until what was just used has been looked up. Never throws: a server that is
   * gone has no map.
   */
  unbind(): void {
    clearTimeout(this.#timer);
    if (!this.#bound.size) return;
    try {
      this.connection.check();
      this.connection.libraries.c.usleep(this.#rest() * 1000);
      const keymap = this.readMap();
      for (const keycode of this.#bound.values()) keymap.bind(keycode, 0);
      this.connection.sync();
    } catch {
      // The server is gone.
    }
    this.#bound.clear();
  }

  /** Milliseconds until what was used last may be given up. */
  #rest(): number {
    return Math.max(0, Math.ceil(this.#usedAt + REBIND_MS - performance.now()));
  }
}
