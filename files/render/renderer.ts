/** Markdown as HTML, made once, on a thread of their own that starts with the first. */

import { CallWorker } from "../../core/worker.ts";

/** The time that the thread stays without work, in milliseconds. */
const IDLE_MS = 10_000;
/** The longest wait for the thread, which ends a text before by itself, in milliseconds. */
const WAIT_MS = 10_000;
/** The number of waiting texts at which further texts are shown unrendered. */
const WAITING_LIMIT = 16;
/** The limit of kept text, in UTF-16 code units. */
const KEPT_LIMIT = 8_000_000;

/** Renders texts and caches the last ones. */
export class Renderer {
  readonly #worker = new CallWorker<string, string>({
    url: { url: new URL("../workers.ts", import.meta.url), role: "render" },
    idleMs: IDLE_MS,
    limitMs: WAIT_MS,
  });
  readonly #kept = new Map<string, string | undefined>();
  #size = 0;
  #waiting = 0;

  /** Whether texts are being rendered, so that another one has to wait. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Renders a text.
   * @returns undefined if the text is to be shown as it is.
   */
  async rendered(text: string): Promise<string | undefined> {
    const key = await keyOf(text);
    if (this.#kept.has(key)) return this.#again(key);
    if (this.#waiting >= WAITING_LIMIT) return undefined;
    this.#waiting++;
    try {
      const made = await this.#worker.call(text);
      this.#keep(key, made);
      return made;
    } catch {
      this.#keep(key, undefined); // too long, or beyond what the library can do: the text itself can be read
      return undefined;
    } finally {
      this.#waiting--;
    }
  }

  #again(key: string): string | undefined {
    const made = this.#kept.get(key);
    this.#kept.delete(key);
    this.#kept.set(key, made); // the most recently used is the last
    return made;
  }

  #keep(key: string, made: string | undefined): void {
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

function weightOf(made: string | undefined): number {
  return (made?.length ?? 0) + 200;
}

async function keyOf(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
