/** Pages that several readers read at the same time. The first reader takes over late pages of the others. */

import type { Grey } from "./grey.ts";
import type { Word } from "./word.ts";

/** Reads lines as one page. Gives the words of each, with places in its own pixels. */
export type PageReader = (lines: readonly Grey[]) => Promise<Word[][]>;

/** The result of a reading, which gets the words of each page. */
export interface PageResult<Line> {
  /** Called before each page; an error that it throws ends the reading. */
  check(): void;
  /**
   * Called once with the words of each page, in no certain order. If it returns true, no further pages are begun; it
   * is still called for the pages under way.
   */
  onRead(page: readonly Line[], words: Word[][]): boolean;
}

/**
 * Several readers, of which only the first is sure to get a processor. When no other page is left, the first reader
 * also reads the pages of the others.
 */
export class SharedReaders {
  readonly #readers: readonly PageReader[];
  /** Readers with a page under way, which may be of a reading that is over. */
  readonly #busy = new Set<PageReader>();

  /** @param readers One at least. */
  constructor(readers: readonly PageReader[]) {
    this.#readers = readers;
  }

  /** The number of readers that can take pages now: the first, and all others without a page. */
  get free(): number {
    return this.#free().length;
  }

  #free(): PageReader[] {
    return this.#readers.filter((read, i) => i === 0 || !this.#busy.has(read));
  }

  /** Reads pages, in their order, until all are read or the result is enough. */
  async read<Line extends { line: Grey }>(
    pages: readonly (readonly Line[])[],
    result: PageResult<Line>,
  ): Promise<void> {
    const queue = [...pages], unread = new Set(pages), over = Promise.withResolvers<void>();
    const readAll = async (read: PageReader, next: () => readonly Line[] | undefined) => {
      for (let page = next(); page; page = next()) {
        result.check();
        const words = await this.#readBy(read, page);
        if (!unread.delete(page)) continue; // another reader was faster
        if (!result.onRead(page, words) && unread.size) continue;
        queue.length = 0;
        over.resolve();
        return;
      }
    };
    const [first, ...others] = this.#free();
    const all = [
      readAll(first, () => queue.shift() ?? unread.values().next().value),
      ...others.slice(0, pages.length - 1).map((read) => readAll(read, () => queue.shift())),
    ];
    await Promise.race([over.promise, Promise.all(all)]);
  }

  async #readBy(read: PageReader, page: readonly { line: Grey }[]): Promise<Word[][]> {
    this.#busy.add(read);
    try {
      return await read(page.map(({ line }) => line));
    } finally {
      this.#busy.delete(read);
    }
  }
}
