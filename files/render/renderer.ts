/** Renders Markdown as HTML once, on a separate thread that starts with the first text. */

import { sha256 } from "../../core/bytes.ts";
import { CallWorker } from "../../core/worker.ts";

/** How long the thread stays alive without work, in milliseconds. */
const IDLE_MS = 10_000;
/** Maximum wait for the thread, which normally stops earlier on its own, in milliseconds. */
const WAIT_MS = 10_000;
/** Maximum number of queued texts; beyond it, further texts are shown unrendered. */
const WAITING_LIMIT = 16;
/** Maximum total length of cached text, in UTF-16 code units. */
const KEPT_LIMIT = 8_000_000;

/** Renders texts and caches the most recent ones. */
export class Renderer {
  readonly #worker = new CallWorker<string, string>({
    url: { url: new URL("../workers.ts", import.meta.url), role: "render" },
    idleMs: IDLE_MS,
    limitMs: WAIT_MS,
  });
  readonly #kept = new Map<string, string | undefined>();
  #size = 0;
  #waiting = 0;

  /** Whether texts are being rendered, so that another one must wait. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Renders a text.
   * @returns undefined if the text is shown unrendered.
   */
  async rendered(text: string): Promise<string | undefined> {
    const key = (await sha256(text)).toHex();
    if (this.#kept.has(key)) return this.#again(key);
    if (this.#waiting >= WAITING_LIMIT) return undefined;
    this.#waiting++;
    try {
      const made = await this.#worker.call(text);
      this.#keep(key, made);
      return made;
    } catch {
      this.#keep(key, undefined); // too slow, or unsupported by the library: the plain text is still readable
      return undefined;
    } finally {
      this.#waiting--;
    }
  }

  #again(key: string): string | undefined {
    const made = this.#kept.get(key);
    this.#kept.delete(key);
    this.#kept.set(key, made); // the most recently used entry is the last
    return made;
  }

  #keep(key: string, made: string | undefined): void {
    if (this.#kept.has(key)) return; // meanwhile another request has stored the page
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
