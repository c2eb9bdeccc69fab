/**
 * Meanings of the keys of deskhand's keyboard. Added meanings stay as long as there is room: a program under
 * XWayland that lags behind looks up a key in the newest map, whichever map it was pressed with.
 */

import { InputError } from "../../../core/errors.ts";
import { SPARE_CODES } from "../wire/key_codes.ts";
import { keyboardMap } from "../wire/keymaps.ts";
import { type KeyPlace, OWN_STROKES, PLACES, type Stroke } from "../wire/typed_text.ts";

/** The time that programs under XWayland may take to look up a key that was pressed, in milliseconds. */
const LOOKUP_MS = 1000;

/** A meaning of a key, and the time at which it was needed last, by `performance.now()`. */
type Used<T> = T & { usedAt: number };

/** A US keyboard, and the symbols added to it. */
export class KeyMeanings {
  /** Characters by code point; the character that was placed or needed longest ago comes first. */
  readonly #placed = new Map<number, Used<Stroke>>();
  /** Spare keys by code. */
  readonly #spare = new Map<number, Used<{ keysym: number }>>();
  #map: string | undefined;
  #readyAt = -Infinity;

  /** The map of all meanings, as a text. */
  get map(): string {
    return this.#map ??= keyboardMap({
      spare: new Map([...this.#spare].map(([code, { keysym }]) => [code, keysym])),
      placed: [...this.#placed.values()],
    });
  }

  /**
   * The time at which the map may be loaded: programs have looked up the symbols that lose their keys. On the scale of
   * `performance.now()`.
   */
  get readyAt(): number {
    return this.#readyAt;
  }

  /**
   * Gives each character a key. If no key is free, it takes the key of the character that was needed longest ago.
   * @param characters Code points, of which a US keyboard lacks no more than there are {@linkcode PLACES}.
   */
  place(characters: Iterable<number>): void {
    const others = [...new Set(characters)].filter((one) => !OWN_STROKES.has(one));
    for (const codePoint of others) {
      const stroke = this.#placed.get(codePoint);
      if (!stroke) continue;
      this.#placed.delete(codePoint);
      this.#placed.set(codePoint, stroke); // put at the map's end, as the last one used
    }
    for (const codePoint of others) {
      if (this.#placed.has(codePoint)) continue;
      this.#placed.set(codePoint, { ...this.#freePlace(), codePoint, usedAt: -Infinity });
      this.#map = undefined;
    }
  }

  /**
   * Gives the stroke of a character that has been {@linkcode place}d.
   * @param now The time when it is typed, on the scale of `performance.now()`.
   */
  strokeOf(codePoint: number, now: number): Stroke {
    const own = OWN_STROKES.get(codePoint);
    if (own) return own;
    const stroke = this.#placed.get(codePoint)!;
    stroke.usedAt = now;
    return stroke;
  }

  /**
   * A spare key that has a symbol, or gets it.
   * @param name The name of the symbol, for the error.
   * @param held Codes that are down.
   * @param now The time when it is pressed, on the scale of `performance.now()`.
   * @returns The key's code.
   * @throws InputError if all spare keys are down.
   */
  spare(keysym: number, name: string, held: ReadonlySet<number>, now: number): number {
    const present = [...this.#spare].find(([_, spare]) => spare.keysym === keysym)?.[0];
    const code = present ?? SPARE_CODES.find((code) => !this.#spare.has(code)) ??
      [...this.#spare.keys()].find((code) => !held.has(code));
    if (code === undefined) throw new InputError(`no key is free for ${name}: release others first`);
    if (present === undefined) {
      this.#lose(this.#spare.get(code));
      this.#map = undefined;
    }
    this.#spare.delete(code);
    this.#spare.set(code, { keysym, usedAt: now }); // put at the map's end, as the last one used
    return code;
  }

  #freePlace(): KeyPlace {
    if (this.#placed.size < PLACES.length) return PLACES[this.#placed.size];
    const [oldest, stroke] = this.#placed.entries().next().value!;
    this.#placed.delete(oldest);
    this.#lose(stroke);
    return stroke;
  }

  #lose(meaning: { usedAt: number } | undefined): void {
    if (meaning) this.#readyAt = Math.max(this.#readyAt, meaning.usedAt + LOOKUP_MS);
  }
}
