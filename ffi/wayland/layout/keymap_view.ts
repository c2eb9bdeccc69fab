/** The keyboard map that the compositor gives to programs, seen as one of them (wl_seat, wl_keyboard). */

import { compositorGone, Connection } from "../wire/connection.ts";
import { Registry } from "../wire/registry.ts";
import { Seat } from "../wire/seat.ts";

/** How long a seat takes to have a keyboard after a key was pressed on a new one, in milliseconds. */
const KEYBOARD_MS = 2000;
/** How long a compositor takes to make a map of changed settings at most, and another one after that, in milliseconds. */
const KEYMAP_MS = 3000, FURTHER_MS = 500;

/** A connection of its own that hears of each new map. */
export class KeymapView {
  /** The newest map as text; undefined as long as there is none. */
  text: string | undefined;
  /** How many maps have come; the same one may come again. */
  #count = 0;
  #isBound = false;
  readonly #seat: Seat;

  private constructor(readonly connection: Connection) {
    this.#seat = new Seat(connection, new Registry(connection));
    connection.roundtrip();
  }

  /**
   * Connects.
   * @param path Of the compositor's socket.
   * @throws DesktopUnavailableError if no compositor is there.
   */
  static open(path: string): KeymapView {
    return Connection.openFor(path, (connection) => new KeymapView(connection)) ?? compositorGone(path);
  }

  /**
   * Waits for the first map.
   * @param wake Makes the seat have a keyboard, where it has none yet: presses a key that types nothing. GNOME 43 ends
   * with a segmentation fault when a program asks for a keyboard that is not there.
   * @throws DesktopUnavailableError if none comes.
   */
  async first(wake: () => void | Promise<void>): Promise<string> {
    if (this.text !== undefined) return this.text;
    this.connection.dispatch();
    if (!this.#seat.hasKeyboard) await wake();
    await this.connection.untilAsync(() => this.#seat.hasKeyboard, "a keyboard of the seat", KEYBOARD_MS);
    this.#bind();
    await this.connection.untilAsync(() => this.text !== undefined, "its keyboard map");
    return this.text!;
  }

  /**
   * Waits for a further map that is the one that is wanted. A compositor that sends others instead does not make it.
   * @param change Makes the compositor read its settings.
   * @param isWanted Is asked about each further map once.
   * @returns false if it does not come in time.
   * @throws DesktopUnavailableError if the compositor is gone; what `change` throws.
   */
  async after(change: () => Promise<void>, isWanted: (text: string) => boolean): Promise<boolean> {
    this.connection.dispatch();
    let seen = this.#count, isThere = false;
    await change();
    let end = performance.now() + KEYMAP_MS;
    const isDone = () => {
      if (this.#count !== seen) {
        seen = this.#count;
        isThere = isWanted(this.text!);
        end = Math.min(end, performance.now() + FURTHER_MS);
      }
      return isThere || performance.now() > end;
    };
    await this.connection.untilAsync(isDone, "the keyboard map", 2 * KEYMAP_MS);
    return isThere;
  }

  /** Takes in the maps that have arrived. */
  refresh(): void {
    this.connection.dispatch();
  }

  close(): void {
    this.connection.close();
  }

  #bind(): void {
    if (this.#isBound) return;
    this.#isBound = true;
    this.#seat.readKeymaps((text) => {
      this.#count++;
      this.text = text;
    });
  }
}
