/** Deflate in memory that is freed at once; buffers that wait for garbage collection reach 64 MB in a Worker. */

import { nodeModule } from "./path.ts";

/** Functions of node:zlib. */
type Format = "deflateSync" | "deflateRawSync";

/** Node's buffers of less than this may share memory. */
const LEAST_OWN = 65_536;
/** Room beside the last output, as the next may be larger. */
const SPARE = 1.25;

/** Compresses contents one after the other, and uses the same buffer again for contents of similar size. */
export class Deflater {
  #room: number;

  /** @param room The first size of the output buffer in bytes, {@linkcode LEAST_OWN} or more. */
  constructor(readonly format: Format, readonly room: number) {
    this.#room = room;
  }

  /**
   * Compresses bytes.
   * @param use Receives the output, which is valid while `use` runs.
   * @returns The result of `use`.
   */
  run<T>(bytes: Uint8Array, level: number, use: (packed: Uint8Array) => T): T {
    const packed = nodeModule("node:zlib")[this.format](bytes, { level, chunkSize: this.#room });
    this.#room = Math.max(this.room, Math.ceil(packed.length * SPARE));
    const { buffer, byteOffset, length } = packed;
    // A Uint8Array, since slice() of a Buffer does not copy.
    const result = use(new Uint8Array(buffer, byteOffset, length));
    if (buffer instanceof ArrayBuffer && buffer.byteLength >= LEAST_OWN) buffer.transfer(0);
    return result;
  }
}
