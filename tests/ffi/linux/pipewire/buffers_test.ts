/** Buffers of a video stream as structures in memory, correct ones, and some that no compositor should send. */

import { assertEquals } from "@std/assert";
import {
  META_CURSOR,
  META_HEADER,
  VIDEO_FORMAT,
  VideoBuffer,
} from "../../../../ffi/linux/pipewire/buffers.ts";

/** All buffers that were made: an address alone does not keep memory. */
const KEPT: Uint8Array[] = [];

/** A structure of 32-bit numbers, with 64-bit addresses at some byte offsets. */
function struct(numbers: number[], pointers: Record<number, Uint8Array<ArrayBuffer>> = {}) {
  const bytes = new Uint8Array(Uint32Array.from(numbers).buffer), view = new DataView(bytes.buffer);
  for (const [at, to] of Object.entries(pointers)) {
    view.setBigUint64(Number(at), Deno.UnsafePointer.value(Deno.UnsafePointer.of(to)), true);
  }
  KEPT.push(bytes);
  return bytes;
}

/** A buffer with two rows of pixels in 16 bytes, and metadata: a header and a cursor, in this order. */
function bufferOf(
  { stride = 8, offset = 0, flags = 0, header = [] as number[], cursor = [] as number[] } = {},
): VideoBuffer {
  const pixels = struct([0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c]);
  const chunk = struct([offset, 16, stride, flags]);
  const kinds: [number, number[]][] = [[META_HEADER, header], [META_CURSOR, cursor]];
  const metas = kinds.filter(([, numbers]) => numbers.length);
  const meta = struct(
    metas.flatMap(([type, numbers]) => [type, 4 * numbers.length, 0, 0]),
    Object.fromEntries(metas.map(([, numbers], i) => [8 + 16 * i, struct(numbers)])),
  );
  const data = struct([0, 0, 0, 0, 0, 16, 0, 0, 0, 0], { 24: pixels, 32: chunk });
  const buffer = struct([metas.length, 1, 0, 0, 0, 0], { 8: meta, 16: data });
  return new VideoBuffer(Deno.UnsafePointer.of(struct([0, 0], { 0: buffer }))!);
}

Deno.test("pixels are read where they are whole, and else not at all", () => {
  const strideOf = (options: Parameters<typeof bufferOf>[0]) => {
    const pixels = bufferOf(options).pixels(2);
    return pixels && [pixels.stride, ...pixels.bytes.subarray(0, 2)];
  };
  assertEquals(strideOf({}), [8, 0, 1]);
  assertEquals(strideOf({ stride: 4, offset: 8 }), [4, 8, 9]);
  for (const bad of [{ stride: 12 }, { offset: 1 }, { stride: -8 }, { stride: 0 }, { flags: 1 }]) {
    assertEquals(strideOf(bad), undefined, JSON.stringify(bad));
  }
});

Deno.test("a buffer's time is that of its header", () => {
  const cursor = cursorAt(0);
  assertEquals(bufferOf({ header: [0, 0, 5, 1, 0, 0, 0, 0], cursor }).time, 2 ** 32 + 5);
  assertEquals(bufferOf({ header: [0, 0, 5, 1, 0, 0, 0, 0], cursor }).pointer()?.x, 5);
  for (const [low, high] of [[0, 0], [-1, -1]]) { // never filled; no time
    assertEquals(bufferOf({ header: [0, 0, low, high, 0, 0, 0, 0] }).time, undefined);
  }
  assertEquals(bufferOf({ cursor }).time, undefined);
});

/** A cursor at (5, 6) that points at (1, 2), with a picture whose description is at a byte offset. */
const cursorAt = (bitmap: number, ...rest: number[]) => [1, 0, 5, 6, 1, 2, bitmap, ...rest];
/** Two pixels, 4 bytes behind them in each row, and their colors. */
const picture = (format: number, stride = 12) => [format, 2, 1, stride, 20, 0x44332211, 0x88776655, 0];

Deno.test("the pointer's place and picture are read, and a picture that reaches beyond its memory is not", () => {
  const pointerOf = (...cursor: number[]) => bufferOf({ cursor }).pointer();
  const place = { x: 5, y: 6 }, hot = { hotX: 1, hotY: 2 };
  const rgba = Uint8Array.of(0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88);
  const bgra = Uint8Array.of(0x33, 0x22, 0x11, 0x44, 0x77, 0x66, 0x55, 0x88);
  const image = { ...hot, width: 2, height: 1 };
  assertEquals(pointerOf(...cursorAt(28, ...picture(VIDEO_FORMAT.RGBA))), {
    ...place,
    image: { ...image, rgba },
  });
  assertEquals(pointerOf(...cursorAt(28, ...picture(VIDEO_FORMAT.BGRA))), {
    ...place,
    image: { ...image, rgba: bgra },
  });
  assertEquals(pointerOf(...cursorAt(0)), { ...place, image: undefined });
  assertEquals(pointerOf(0, ...cursorAt(0).slice(1)), undefined);
  assertEquals(pointerOf(), null);
  for (const bitmap of [40, 0x7ffffff0, 0xfffffff0]) {
    assertEquals(pointerOf(...cursorAt(bitmap, ...picture(VIDEO_FORMAT.RGBA)))!.image, undefined);
  }
  for (const stride of [4, 16]) {
    assertEquals(pointerOf(...cursorAt(28, ...picture(VIDEO_FORMAT.RGBA, stride)))!.image, undefined);
  }
});
