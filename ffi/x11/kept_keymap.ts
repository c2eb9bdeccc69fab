/**
 * The keyboard map of one connection, which is read again only after a change: nearly every text finds the map of the
 * text before it.
 */

import { type Connection, MAPPING_NOTIFY } from "./connection.ts";
import { Keymap, type KeyState, readState } from "./keymap.ts";
import { selectMapChanges } from "./raw_selection.ts";
import { XkbMap } from "./xkb.ts";

/** The keyboard as it is at each reading. */
export class KeptKeymap {
  #last: Keymap | undefined;
  /** The number of changes of the map when it was read last. */
  #changes = 0;
  /** Type of the events of XKB; undefined before the first reading. */
  #event: number | undefined;

  constructor(readonly connection: Connection) {}

  /**
   * Reads the keyboard as it is now. The server sends events and answers in the order in which it made them: with the
   * answer of {@linkcode readState}, the events of all earlier changes of the map have arrived. Without such an event,
   * the kept map is as new as that answer.
   * @returns The same object as long as nothing changes.
   * @throws The errors of {@linkcode XkbMap.read}.
   */
  read(): Keymap {
    this.#event ??= this.#select();
    const state = readState(this.connection), changes = this.#countChanges();
    const map = changes === this.#changes ? this.#last?.map : undefined;
    this.#changes = changes;
    if (map && isSame(state, this.#last!)) return this.#last!;
    this.#last = undefined;
    return this.#last = new Keymap(this.connection, map ?? XkbMap.read(this.connection), state);
  }

  #select(): number {
    selectMapChanges(this.connection);
    return this.connection.extension("XKEYBOARD")?.firstEvent ?? MAPPING_NOTIFY;
  }

  /** The number of changes of the map that the server has reported; it reports nothing else by events of XKB. */
  #countChanges(): number {
    const { connection } = this;
    connection.drainEvents();
    return connection.eventCount(this.#event!) + connection.eventCount(MAPPING_NOTIFY);
  }
}

function isSame(one: KeyState, other: KeyState): boolean {
  return one.group === other.group && one.lockedMods === other.lockedMods;
}
