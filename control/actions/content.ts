/** Bytes that an action gives: pictures, recordings. */

import type { Bytes } from "../../core/bytes.ts";

/** The media types that actions give. */
export type MediaType = "image/bmp" | "image/png" | "application/json" | "text/plain" | "text/x-shellscript";

/** Bytes in pieces, each made when the reader asks for it. The reader calls {@linkcode end} when it stops. */
export class Content {
  readonly #pieces: Iterator<Bytes, void> | AsyncIterator<Bytes, void>;
  readonly #endings: (() => void)[] = [];
  #hasEnded = false;

  /**
   * @param length Bytes of all pieces together; undefined if unknown before the pieces are made.
   * @param pieces The pieces; each is valid until the reader asks for the next.
   * @param fileName The name under which a browser saves the content; if left out, the browser shows the content.
   */
  constructor(
    readonly type: MediaType,
    readonly length: number | undefined,
    pieces: Iterable<Bytes> | AsyncIterable<Bytes>,
    readonly fileName?: string,
  ) {
    this.#pieces = Symbol.asyncIterator in pieces
      ? pieces[Symbol.asyncIterator]() as AsyncIterator<Bytes, void>
      : pieces[Symbol.iterator]() as Iterator<Bytes, void>;
  }

  /** The next piece; undefined after the last one, and after {@linkcode end}. */
  async next(): Promise<Bytes | undefined> {
    if (this.#hasEnded) return undefined;
    return (await this.#pieces.next()).value ?? undefined;
  }

  /** Registers what must happen when the content is not read any more. */
  onEnd(ending: () => void): this {
    this.#endings.push(ending);
    return this;
  }

  /** Ends the reading of the content, at its end or before. Safe to call twice. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const ending of this.#endings) ending();
  }

  /** Reads all of the content. */
  async bytes(): Promise<Bytes> {
    const pieces: Bytes[] = [];
    try {
      for (let piece = await this.next(); piece; piece = await this.next()) pieces.push(piece.slice());
    } finally {
      this.end();
    }
    return await new Blob(pieces).bytes();
  }
}
