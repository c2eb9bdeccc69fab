/** The output of a program, by lines. */

import { delay } from "@std/async/delay";

/** The lines that a program prints. */
export class Lines {
  readonly lines: string[] = [];
  readonly ended: Promise<void>;
  #onLine: (() => void) | undefined;

  constructor(output: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.ended = (async () => {
      for await (const text of output.pipeThrough(new TextDecoderStream())) {
        this.lines.push(...text.split("\n").filter(Boolean));
        this.#onLine?.();
      }
    })();
  }

  /** Waits for a line for some milliseconds; gives whether there is one. */
  async some(ms: number): Promise<boolean> {
    if (this.lines.length) return true;
    const { promise, resolve } = Promise.withResolvers<void>(), over = new AbortController();
    this.#onLine = resolve;
    await Promise.race([promise, delay(ms, over).catch(() => {})]);
    over.abort();
    return this.lines.length > 0;
  }
}
