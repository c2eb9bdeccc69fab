/** Texts as HTML, made once, on a thread of their own that starts with the first. */

import { CallWorker } from "../../core/call_worker.ts";
import type { RenderCall, Rendered } from "./work.ts";

/** The time that the thread stays without work, in milliseconds. */
const IDLE_MS = 10_000;
/** The longest time for a text, in milliseconds; a text that takes longer is shown unrendered. */
const LIMIT_MS = 3000;
/** The number of waiting texts at which further texts are shown unrendered. */
const WAITING_LIMIT = 16;
/** The limit of kept text, in UTF-16 code units. */
const KEPT_LIMIT = 8_000_000;

/** Renders texts and caches the last ones. */
export class Renderer {
  readonly #worker = new CallWorker<RenderCall, Rendered | undefined>({
    url: new URL("./worker.ts", import.meta.url),
    idleMs: IDLE_MS,
    limitMs: LIMIT_MS,
  });
  readonly #kept = new Map<string, Rendered | undefined>();
  #size = 0;
  #waiting = 0;

  /**
   * Renders a text.
   * @param name The file's name, which tells the language.
   * @returns undefined if the text is to be shown as it is.
   */
  async rendered(name: string, text: string): Promise<Rendered | undefined> {
    const key = await keyOf(name, text);
    if (this.#kept.has(key)) return this.#again(key);
    if (this.#waiting >= WAITING_LIMIT) return undefined;
    this.#waiting++;
    try {
      const made = await this.#worker.call({ name, text });
      this.#keep(key, made);
      return made;
    } catch {
      this.#keep(key, undefined); // too long, or beyond what the library can do: the text itself can be read
      return undefined;
    } finally {
      this.#waiting--;
    }
  }

  #again(key: string): Rendered | undefined {
    const made = this.#kept.get(key);
    this.#kept.delete(key);
    this.#kept.set(key, made); // the most recently used is the last
    return made;
  }

  #keep(key: string, made: Rendered | undefined): void {
    if (this.#kept.has(key)) return; // another request has stored the page by now
    this.#kept.set(key, made);
    this.#size += weightOf(made);
    for (const [oldest, other] of this.#kept) {
      if (this.#size <= KEPT_LIMIT) break;
      this.#kept.delete(oldest);
      this.#size -= weightOf(other);
    }
  }
}

function weightOf(made: Rendered | undefined): number {
  return (made?.html.length ?? 0) + 200;
}

async function keyOf(name: string, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${name}\0${text}`);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
