/** The person's layout, kept up to date with the keyboard map that the compositor gives to programs (wl_seat, wl_keyboard). */

import { UnsupportedError } from "../../../core/errors.ts";
import { compositorGone, Connection } from "../wire/connection.ts";
import type { Link } from "../wire/link.ts";
import { Registry } from "../wire/registry.ts";
import { Seat } from "../wire/seat.ts";
import { type Layout, readLayout } from "./layout.ts";

/**
 * The time for which a layout is assumed to be still the active one, in milliseconds; a person may switch to another of
 * theirs.
 */
const GROUP_MS = 2000;

/** The layout, read when it is needed. */
export class LayoutView {
  #keymap: KeymapView | undefined;
  #layout: Layout | undefined;
  /** The map that {@linkcode #layout} was read from, with the group. */
  #source: string | undefined;
  #group = 0;
  #askedAt = -Infinity;

  /**
   * @param open Connects to the compositor.
   * @param group Gives the index of the active layout.
   * @param wake Presses a key that types nothing.
   */
  constructor(
    readonly open: () => KeymapView,
    readonly group: () => Promise<number>,
    readonly wake: () => Promise<void>,
  ) {}

  /**
   * The layout as it is now.
   * @throws DesktopUnavailableError if the compositor is gone; UnsupportedError if its map cannot be read.
   */
  async read(): Promise<Layout> {
    if (this.#keymap?.connection.isLost) this.close();
    this.#keymap ??= this.open();
    await this.#keymap.read(this.wake);
    if (performance.now() - this.#askedAt > GROUP_MS) {
      this.#group = await this.group().catch(() => 0);
      this.#askedAt = performance.now();
    }
    const layout = this.#look(this.#keymap);
    if (layout) return layout;
    throw new UnsupportedError("the compositor's keyboard map cannot be read");
  }

  /** The layout without a wait; undefined if {@linkcode read} has to be called. */
  peek(): Layout | undefined {
    const isFresh = performance.now() - this.#askedAt <= GROUP_MS;
    return isFresh && this.#keymap && !this.#keymap.connection.isLost ? this.#look(this.#keymap) : undefined;
  }

  close(): void {
    this.#keymap?.close();
    this.#keymap = this.#layout = this.#source = undefined;
    this.#askedAt = -Infinity;
  }

  #look(keymap: KeymapView): Layout | undefined {
    keymap.refresh();
    if (keymap.text === undefined) return undefined;
    const source = `${this.#group} ${keymap.text}`;
    if (source === this.#source) return this.#layout;
    this.#layout = readLayout(keymap.text, this.#group);
    this.#source = source;
    return this.#layout;
  }
}

/** The time that a seat may take to announce a keyboard after the first key press of a new one, in milliseconds. */
const KEYBOARD_MS = 2000;

/** A reader of each new map of a connection. */
export class KeymapView {
  /** The newest map as text; undefined as long as there is none. */
  text: string | undefined;
  readonly #seat: Seat;
  /** The seat's keyboard whose maps are read. */
  #bound: number | undefined;
  #release = () => {};

  private constructor(readonly connection: Connection, registry: Registry, readonly isOwner: boolean) {
    this.#seat = new Seat(connection, registry);
    connection.roundtrip();
  }

  /** Reads over a connection that others use too, one after the other. */
  static over({ connection, registry }: Link): KeymapView {
    return new KeymapView(connection, registry, false);
  }

  /**
   * Connects to the compositor, for the maps alone.
   * @param path The path of the compositor's socket.
   * @throws DesktopUnavailableError if no compositor is there.
   */
  static open(path: string): KeymapView {
    return Connection.openFor(path, (one) => new KeymapView(one, new Registry(one), true)) ??
      compositorGone(path);
  }

  /**
   * Waits for the map of the seat's keyboard. A seat without devices has a keyboard only while a program presses
   * keys.
   * @param wake Gives a seat without a keyboard one, by pressing a key that types nothing. GNOME 43 crashes when a
   * program asks for a keyboard that does not exist.
   * @throws DesktopUnavailableError if no map comes.
   */
  async read(wake: () => Promise<void>): Promise<string> {
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
    if (this.isOwner) this.connection.close();
    else if (!this.connection.isLost) this.#release();
  }
}
