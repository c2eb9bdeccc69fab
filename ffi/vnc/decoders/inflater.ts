/** A zlib stream of a server, which goes on from rectangle to rectangle, unpacked to a bounded size. */

import type { Inflate } from "node:zlib";
import { concat } from "../../../core/bytes.ts";
import { nodeModule } from "../../../core/path.ts";

/** A stream. */
export class Inflater {
  readonly #stream: Inflate = nodeModule("node:zlib").createInflate({ chunkSize: 65536 });
  #parts: Uint8Array[] = [];
  #size = 0;
  #most = 0;
  #fail: (error: Error) => void = () => {};

  constructor() {
    this.#stream.on("data", (part: Uint8Array) => this.#take(part));
    this.#stream.on(
      "error",
      (error: Error) => this.#fail(new RangeError(`broken zlib data: ${error.message}`)),
    );
  }

  /**
   * Unpacks the next piece.
   * @param most Bytes that it may have.
   * @throws RangeError if it has more, or is broken.
   */
  unpack(bytes: Uint8Array, most: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      [this.#parts, this.#size, this.#most, this.#fail] = [[], 0, most, reject];
      this.#stream.write(bytes, () => resolve(this.#taken()));
    });
  }

  close(): void {
    this.#stream.destroy();
  }

  #take(part: Uint8Array): void {
    this.#size += part.length;
    if (this.#size <= this.#most) return void this.#parts.push(part);
    this.#parts = [];
    this.#stream.destroy();
    this.#fail(new RangeError("compressed data has more pixels than the rectangle"));
  }

  #taken(): Uint8Array {
    return this.#parts.length === 1 ? this.#parts[0] : concat(...this.#parts);
  }
}
