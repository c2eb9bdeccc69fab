/** The program with the keyboard, and the characters that programs of its kind change. */

import { ExpectedError, StateError } from "../../../core/errors.ts";
import { printable } from "../../../core/printable.ts";
import { hasWideCharacter, losesWideCharacters } from "../../lossy_programs.ts";
import { OnDemand } from "../wire/background_connection.ts";
import { Toplevels } from "../wire/toplevels.ts";

/** Reads the windows over a connection of its own, which opens for the first text that a program may change. */
export class Receiver {
  readonly #toplevels: OnDemand<Toplevels>;

  /** @param path The path of the compositor's socket. */
  constructor(path: string) {
    this.#toplevels = new OnDemand(path, (background) => new Toplevels(background));
  }

  /**
   * Checks that the program receives a text unchanged.
   * @param characters Code points of the text.
   * @throws StateError naming a program that would change characters.
   */
  check(characters: readonly number[]): void {
    if (!hasWideCharacter(characters)) return;
    const program = this.#program();
    if (!program || !losesWideCharacters(program)) return;
    throw new StateError(
      `text has characters above U+FFFF, such as emoji, of which ${printable(program)} keeps 16 bits, ` +
        "as Chromium does with every keyboard of Wayland: paste it (PUT /api/clipboard, then Ctrl+V)",
    );
  }

  /** Ends the connection. */
  close(): void {
    this.#toplevels.close();
  }

  /** The name of the program with the keyboard; undefined where the compositor does not tell. */
  #program(): string | undefined {
    try {
      return this.#toplevels.get().list().find(({ states }) => states.has("activated"))?.appId;
    } catch (error) {
      if (error instanceof ExpectedError) return undefined;
      throw error;
    }
  }
}
