/**
 * Symbols that no key has, bound for a while to keycodes that have no symbol: for text beyond the keyboard's own
 * characters.
 *
 * A client looks a key up in the map when it handles the key event, which may be late. So a binding stays for a while
 * after its last use, and only then may its keycode get another symbol, or none.
 */

import { delay } from "@std/async/delay";
import { InputError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";
import { Keymap } from "./keymap.ts";

/** How long clients take to learn of a new map, in milliseconds: the caller waits before it presses the keys. */
export const MAP_PROPAGATION_MS = 40;
/** How long a binding stays after its last use, in milliseconds. */
export const COOLDOWN_MS = 300;
/** How long after the last use all bindings are undone, in milliseconds. */
const IDLE_MS = 1000;

/** The bindings of one connection. */
export class TemporaryKeyBindings {
  /** Keycodes by symbol. */
  readonly #bound = new Map<number, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #usedAt = -Infinity;

  constructor(readonly connection: Connection) {}

  /** The map as it is now, without the keys that are bound here. */
  readMap(): Keymap {
    const keymap = Keymap.read(this.connection);
    for (const [keysym, keycode] of this.#bound) {
      // Another program has given the key another symbol, or loaded another map.
      if (keymap.plainSymbol(keycode) !== keysym) this.#bound.delete(keysym);
    }
    keymap.exclude(this.#bound.values());
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
  capacity(keymap: Keymap): number {
    return keymap.unused.length + this.#bound.size;
  }

  /**
   * How long to wait before binding symbols.
   * @returns Milliseconds; 0 if no keycode that was used a moment ago has to be taken for them.
   */
  cooldownMs(keysyms: readonly number[]): number {
    const wanted = keysyms.filter((keysym) => !this.#bound.has(keysym));
    return wanted.length > this.readMap().unused.length ? this.#cooldown() : 0;
  }

  /**
   * Binds symbols at least until {@linkcode touch} is called. Other bindings are undone where their keycodes are needed.
   * @param keysyms Distinct symbols, at most {@linkcode capacity} of them.
   * @returns Whether the map was changed: the caller then waits {@linkcode MAP_PROPAGATION_MS} before pressing.
   * @throws InputError if another program has taken keycodes meanwhile.
   */
  bind(keysyms: number[]): boolean {
    clearTimeout(this.#timer);
    this.#usedAt = performance.now(); // the caller presses them next
    const keymap = this.readMap();
    const wanted = keysyms.filter((keysym) => !this.#bound.has(keysym));
    const unused = [...keymap.unused];
    for (const [keysym, keycode] of this.#bound) {
      if (unused.length >= wanted.length) break;
      if (keysyms.includes(keysym)) continue;
      this.#bound.delete(keysym);
      unused.push(keycode);
    }
    for (const keysym of wanted) {
      const keycode = unused.pop();
      if (keycode === undefined) {
        throw new InputError("another program has taken the last free key meanwhile");
      }
      keymap.bind(keycode, keysym);
      this.#bound.set(keysym, keycode);
    }
    if (wanted.length) this.connection.sync();
    return wanted.length > 0;
  }

  /** Notes that bindings were used just now: they are undone after a second without use. */
  touch(): void {
    clearTimeout(this.#timer);
    if (!this.#bound.size) return;
    this.#usedAt = performance.now();
    this.#timer = setTimeout(() => this.unbind(), IDLE_MS);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  /** Resolves when clients have had time to look up what was used last. */
  async whenIdle(): Promise<void> {
    if (this.#bound.size) await delay(this.#cooldown());
  }

  /**
   * Undoes all bindings; blocks until clients have had time to look up what was used last. Never throws: a server that
   * is gone has no map.
   */
  unbind(): void {
    clearTimeout(this.#timer);
    if (!this.#bound.size) return;
    try {
      this.connection.check();
      this.connection.libraries.c.usleep(this.#cooldown() * 1000);
      const keymap = this.readMap();
      for (const keycode of this.#bound.values()) keymap.bind(keycode, 0);
      this.connection.sync();
    } catch {
      // The server is gone.
    }
    this.#bound.clear();
  }

  /** Milliseconds until the keycodes that were used last may get other symbols. */
  #cooldown(): number {
    return Math.max(0, Math.ceil(this.#usedAt + COOLDOWN_MS - performance.now()));
  }
}
