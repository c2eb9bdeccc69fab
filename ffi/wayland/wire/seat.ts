/** The seat of a connection, as programs see it (wl_seat, wl_keyboard). */

import { readMemory } from "../../linux/memory.ts";
import type { Connection } from "./connection.ts";
import { KEYBOARD, SEAT } from "./protocol.ts";
import type { Registry } from "./registry.ts";

/** The first seat. After a round trip it is known which devices the seat has. */
export class Seat {
  /** The seat's number on this connection. */
  readonly object: number;
  #capabilities = 0;
  /** The number of times that a keyboard has come. */
  #keyboards = 0;

  /** @throws DesktopUnavailableError if the compositor offers no seat. */
  constructor(readonly connection: Connection, registry: Registry) {
    this.object = registry.bindFirst("wl_seat", 5, (opcode, args) => {
      if (opcode !== SEAT.capabilities) return;
      const had = this.hasKeyboard;
      this.#capabilities = args.uint();
      if (this.hasKeyboard && !had) this.#keyboards++;
    });
  }

  /** Tells whether the seat has a pointer, as far as events have been read. */
  get hasPointer(): boolean {
    return (this.#capabilities & SEAT.hasPointer) !== 0;
  }

  /**
   * The number of the seat's keyboard. After a time without a keyboard, the next one has a new number and sends its
   * map again.
   */
  get keyboard(): number | undefined {
    return this.hasKeyboard ? this.#keyboards : undefined;
  }

  /** Tells whether the seat has a keyboard, as far as events have been read. */
  get hasKeyboard(): boolean {
    return (this.#capabilities & SEAT.hasKeyboard) !== 0;
  }

  /**
   * Asks for the keyboard's maps; call this only if the seat has a keyboard.
   * @param take Gets each map as text (XKB text format, version 1).
   * @returns A function that ends the reading.
   */
  readKeymaps(take: (text: string) => void): () => void {
    const keyboard = this.connection.newId((opcode, args) => {
      if (opcode !== KEYBOARD.keymap) return;
      const format = args.uint(), fd = args.descriptor(), size = args.uint();
      const bytes = readMemory(this.connection.c, fd, size);
      if (format === KEYBOARD.xkbV1 && bytes) take(new TextDecoder().decode(bytes).replace(/\0+$/, ""));
    });
    this.connection.request(this.object, SEAT.getKeyboard, keyboard);
    return () => this.connection.request(keyboard, KEYBOARD.release);
  }
}
