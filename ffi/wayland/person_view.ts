/** A connection that asks where the pointer is and what the person's keys type. */

import type { Point } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { Connection } from "./connection.ts";
import { KnownPlace } from "./known_place.ts";
import { readMemory } from "../unix/memory.ts";
import { Outputs } from "./outputs.ts";
import { parseLayout, type PersonLayout } from "./person_layout.ts";
import { WaylandPointer } from "./pointer.ts";
import { PointerQuery } from "./pointer_query.ts";
import { KEYBOARD, SEAT } from "./protocol.ts";
import { Registry } from "./registry.ts";

/** What the compositor knows of a person. */
export class PersonView {
  /** What keys type; undefined until the compositor sends a map of another keyboard than deskhand's. */
  layout: PersonLayout | undefined;
  readonly #pointer: WaylandPointer | KnownPlace;

  private constructor(readonly connection: Connection) {
    const registry = new Registry(connection);
    let capabilities = 0;
    const seat = registry.bindFirst("wl_seat", 5, (opcode, args) => {
      if (opcode === SEAT.capabilities) capabilities = args.uint();
    });
    const outputs = new Outputs(connection, registry);
    // Only compositors with virtual pointers need one's nudge; some of the others cannot be asked at all.
    this.#pointer = registry.version("zwlr_virtual_pointer_manager_v1")
      ? new WaylandPointer(connection, registry, outputs, seat)
      : new KnownPlace(connection, outputs, PointerQuery.open(connection, registry, outputs, seat), () => {});
    connection.roundtrip();
    if (capabilities & SEAT.hasKeyboard) this.#readKeyboard(seat);
  }

  /**
   * Connects.
   * @param path Of the compositor's socket.
   * @throws DesktopUnavailableError if no compositor is there.
   */
  static open(path: string): PersonView {
    const connection = Connection.open(path);
    if (!connection) throw new DesktopUnavailableError(`the Wayland compositor at ${path} is gone`);
    try {
      return new PersonView(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /**
   * Where the pointer is.
   * @throws StateError if the compositor does not say; DesktopUnavailableError if it is gone.
   */
  async position(): Promise<Point> {
    return await this.#pointer.ask();
  }

  close(): void {
    this.#pointer.close();
    this.connection.close();
  }

  #readKeyboard(seat: number): void {
    const keyboard = this.connection.newId((opcode, args) => {
      if (opcode !== KEYBOARD.keymap) return;
      const format = args.uint(), fd = args.descriptor(), size = args.uint();
      const text = readMemory(this.connection.c, fd, size);
      if (format === KEYBOARD.xkbV1 && text) {
        this.layout = parseLayout(new TextDecoder().decode(text)) ?? this.layout;
      }
    });
    this.connection.request(seat, SEAT.getKeyboard, keyboard);
    this.connection.roundtrip();
  }
}
