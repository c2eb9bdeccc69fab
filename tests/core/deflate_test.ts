/** Compressed bytes inflate to the same bytes, and the compressor leaves no memory that waits for a collection. */

import { assert, assertEquals } from "@std/assert";
import { inflateRawSync, inflateSync } from "node:zlib";
import { Deflater } from "../../core/deflate.ts";

/** Bytes that compress to about their own length. */
function noise(length: number): Uint8Array<ArrayBuffer> {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = Math.imul(state, 1664525) + 1013904223) >>> 24);
}

Deno.test("outputs of any length, one after the other, are inflated to what they were", () => {
  const lengths = [0, 1, 100, 500_000, 3, 70_000, 70_000, 2_000_000, 131_072];
  for (
    const [format, inflate] of [["deflateSync", inflateSync], ["deflateRawSync", inflateRawSync]] as const
  ) {
    const deflater = new Deflater(format, 128 * 1024);
    for (const length of lengths) {
      const bytes = noise(length), packed = deflater.run(bytes, 1, (packed) => packed.slice());
      assertEquals(new Uint8Array(inflate(packed)), bytes, `${format}, ${length} bytes`);
    }
  }
});

Deno.test("an output takes no memory once it is used", () => {
  const deflater = new Deflater("deflateSync", 256 * 1024), bytes = noise(300_000);
  const compress = () => deflater.run(bytes, 1, (packed) => packed.length);
  compress(); // the first is larger than the room
  const before = Deno.memoryUsage().external, lengths = Array.from({ length: 20 }, compress);
  const kept = Deno.memoryUsage().external - before;
  assert(lengths.every((length) => length > 250_000), `${lengths}`);
  assert(kept < 1_000_000, `${kept} bytes`);
});
