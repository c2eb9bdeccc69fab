/** The keys that a keyboard of deskhand's own holds down. Pure. */

/** Pressed keys by name, with the codes that each holds. Keys may share codes, such as that of Shift. */
export class PressedKeys {
  readonly #codes = new Map<string, readonly number[]>();

  /** Codes that pressed keys hold. */
  get held(): Set<number> {
    return new Set([...this.#codes.values()].flat());
  }

  /** The codes of a pressed key, in the order of pressing; undefined if it is not pressed. */
  of(key: string): readonly number[] | undefined {
    return this.#codes.get(key);
  }

  /**
   * Presses a key. A second press repeats the first: its release has to undo the first press.
   * @param codes The codes of a key that is not pressed, in the order of pressing; the key's own code comes last.
   * @returns The codes to press: all codes that no key holds, and the key's own code, which repeats.
   * @example
   * const keys = new PressedKeys();
   * keys.press("shift", [42]);
   * keys.press("?", [42, 53]); // [53]
   */
  press(key: string, codes: readonly number[]): number[] {
    const all = this.#codes.get(key) ?? codes, held = this.held;
    this.#codes.set(key, all);
    return all.filter((code, i) => i === all.length - 1 || !held.has(code));
  }

  /**
   * Releases a key.
   * @param codes The codes of a key that is not pressed: another program or a person may hold it. Its modifiers stay
   * down.
   * @returns The codes to release, in this order: all that no other key holds.
   */
  release(key: string, codes: readonly number[]): number[] {
    const all = this.#codes.get(key) ?? codes.slice(-1);
    this.#codes.delete(key);
    const held = this.held;
    return all.filter((code) => !held.has(code)).reverse();
  }
}
