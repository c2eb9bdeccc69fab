/** The keyboard map that the compositor gives to programs, seen as one of them (wl_seat, wl_keyboard). */

import { compositorGone, Connection } from "../wire/connection.ts";
import { Registry } from "../wire/registry.ts";
import { Seat } from "../wire/seat.ts";

/** How long a seat takes to have a keyboard after a key was pressed on a new one, in milliseconds. */
const KEYBOARD_MS = 2000;

/** A connection of its own that hears of each new map. */
export class KeymapView {
  /** The newest map as text; undefined as long as there is none. */
  text: string | undefined;
  readonly #seat: Seat;
  /** The seat's keyboard whose maps are read. */
  #bound: number | undefined;
  #release = () => {};

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
   * Waits for the map of the seat's keyboard. A seat without devices has one only while a program presses keys.
   * @param wake Makes the seat have a keyboard, where it has none: presses a key that types nothing. GNOME 43 ends with
   * a segmentation fault when a program asks for a keyboard that is not there.
   * @throws DesktopUnavailableError if none comes.
   */
  async read(wake: () => void | Promise<void>): Promise<string> {
    this.connection.dispatch();
    if (this.#bound !== undefined && this.#bound === this.#seat.keyboard) return this.text!;
    if (!this.#seat.hasKeyboard) await wake();
    await this.connection.untilAsync(() => this.#seat.hasKeyboard, "a keyboard of the seat", KEYBOARD_MS);
    this.#release();
    this.#bound = this.text = undefined;
    const keyboard = this.#seat.keyboard;
    this.#release = this.#seat.readKeymaps((text) => this.text = text);
    await this.connection.untilAsync(() => this.text !== undefined, "its keyboard map");
    this.#bound = keyboard;
    return this.text!;
  }

  /** Takes in the maps that have arrived. */
  refresh(): void {
    this.connection.dispatch();
  }

  close(): void {
    this.connection.close();
  }
}
