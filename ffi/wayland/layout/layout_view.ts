/** The person's layout, kept up to date with what the compositor tells programs. */

import { UnsupportedError } from "../../../core/errors.ts";
import { KeymapView } from "./keymap_view.ts";
import { type Layout, readLayout } from "./layout.ts";

/** How long it is taken for granted that a person has not switched to another of their layouts, in milliseconds. */
const GROUP_MS = 2000;

/** The layout over a connection of its own. */
export class LayoutView {
  #keymap: KeymapView | undefined;
  #layout: Layout | undefined;
  /** The map that {@linkcode #layout} was read from, with the group. */
  #source: string | undefined;
  #group = 0;
  #askedAt = -Infinity;

  /**
   * @param socket The path of the compositor's socket.
   * @param group Which layout is active.
   * @param wake Presses a key that types nothing.
   */
  constructor(
    readonly socket: string,
    readonly group: () => Promise<number>,
    readonly wake: () => void | Promise<void>,
  ) {}

  /**
   * The layout as it is now.
   * @throws DesktopUnavailableError if the compositor is gone; UnsupportedError if its map cannot be read.
   */
  async read(): Promise<Layout> {
    if (this.#keymap?.connection.isLost) this.close();
    this.#keymap ??= KeymapView.open(this.socket);
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
