/** The option as a keyboard uses it: there, or not, with the reason. */

import { UnsupportedError } from "../../../core/errors.ts";
import { hasSymbols } from "./layout.ts";
import type { LayoutView } from "./layout_view.ts";
import type { OptionKey } from "./option_keys.ts";
import type { XkbOption } from "./xkb_option.ts";

const NONE: ReadonlyMap<OptionKey, number> = new Map();

/** Symbols that keys have beside those of the person's layout. */
export class AddedSymbols {
  /** The option, or why there is none. */
  #option: XkbOption | string;

  constructor(option: XkbOption | string) {
    this.#option = option;
  }

  /** Keysyms by key. */
  get present(): ReadonlyMap<OptionKey, number> {
    return typeof this.#option === "string" ? NONE : this.#option.symbols;
  }

  /**
   * Gives symbols to keys, and waits until programs have the new map.
   * @param symbols Keysyms by key.
   * @throws UnsupportedError if that is not possible here, which stays so; BusyError if another deskhand does it.
   */
  async give(symbols: ReadonlyMap<OptionKey, number>, view: LayoutView): Promise<void> {
    if (typeof this.#option === "string") throw new UnsupportedError(this.#option);
    try {
      await this.#option.set(symbols, view.keymap, (keymap) => hasSymbols(keymap, symbols));
    } catch (error) {
      if (error instanceof UnsupportedError) this.#option = error.message;
      throw error;
    }
  }

  /** The code of the key that has a symbol. */
  codeOf(keysym: number): number | undefined {
    for (const [{ code }, present] of this.present) if (present === keysym) return code;
    return undefined;
  }

  /** Notes that keys were used: their symbols stay for a while. */
  touch(): void {
    if (typeof this.#option !== "string") this.#option.touch();
  }

  /** Puts everything back. */
  async restore(): Promise<void> {
    if (typeof this.#option !== "string") await this.#option.restore();
  }

  /** Puts everything back before it returns. Never throws. */
  close(): void {
    if (typeof this.#option !== "string") this.#option.close();
  }
}
