/** Contents of a video stream's buffers (spa/buffer/buffer.h): pixels, their time, and the pointer's place. */

import { CURSOR_SIDE_LIMIT, META_CURSOR, META_HEADER, VIDEO_FORMAT } from "./params.ts";
import type { PointerReport, StreamCursor } from "./frame_memory.ts";

/** `struct spa_buffer`: u32 n_metas, u32 n_datas, metas, datas. */
const BUFFER = { metas: 0, datas: 4, meta: 8, data: 16 } as const;
/** `struct spa_meta`: u32 type, u32 size, pointer. */
const META = { size: 16, type: 0, bytes: 4, at: 8 } as const;
/** `struct spa_data`: u32 type, u32 flags, i64 fd, u32 mapoffset, u32 maxsize, pointer, chunk. */
const DATA = { maxSize: 20, at: 24, chunk: 32 } as const;
/** `struct spa_chunk`: u32 offset, u32 size, i32 stride, i32 flags; a corrupted one has no picture. */
const CHUNK = { offset: 0, size: 4, stride: 8, flags: 12, corrupted: 1 } as const;
/** `struct spa_meta_header`: u32 flags, u32 offset, i64 presentation time, i64 dts offset, u64 sequence. */
const HEADER = { time: 8 } as const;
/** `struct spa_meta_cursor`: u32 id, u32 flags, i32 x, y, hot x, hot y, u32 offset of a `struct spa_meta_bitmap`. */
const CURSOR = { id: 0, x: 8, y: 12, hotX: 16, hotY: 20, bitmap: 24 } as const;
/** `struct spa_meta_bitmap`: u32 format, width, height, i32 stride, u32 offset of the pixels. */
const BITMAP = { format: 0, width: 4, height: 8, stride: 12, pixels: 16, size: 20 } as const;

/** Pixels in PipeWire's memory, valid until the buffer is given back. */
interface BufferPixels {
  /** Rows from the top down. */
  bytes: Uint8Array;
  /** Bytes from one row to the next. */
  stride: number;
}

/** Reads a buffer. */
export class VideoBuffer {
  readonly #view: Deno.UnsafePointerView;

  /** @param pointer A `struct pw_buffer *`, which begins with a `struct spa_buffer *`. */
  constructor(pointer: Deno.PointerObject) {
    this.#view = new Deno.UnsafePointerView(new Deno.UnsafePointerView(pointer).getPointer()!);
  }

  /**
   * The buffer's pixels.
   * @param height The number of rows, by the stream's format.
   * @returns undefined if the buffer only reports the pointer, or has too few bytes.
   */
  pixels(height: number): BufferPixels | undefined {
    if (!this.#view.getUint32(BUFFER.datas)) return undefined;
    const data = new Deno.UnsafePointerView(this.#view.getPointer(BUFFER.data)!);
    const memory = data.getPointer(DATA.at), chunkAt = data.getPointer(DATA.chunk);
    if (!memory || !chunkAt) return undefined;
    const chunk = new Deno.UnsafePointerView(chunkAt);
    const offset = chunk.getUint32(CHUNK.offset), size = chunk.getUint32(CHUNK.size);
    const stride = chunk.getInt32(CHUNK.stride), isCorrupted = chunk.getInt32(CHUNK.flags) & CHUNK.corrupted;
    const isWhole = stride > 0 && offset + stride * height <= data.getUint32(DATA.maxSize);
    if (size === 0 || isCorrupted || !isWhole) return undefined;
    const bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(memory, stride * height, offset));
    return { bytes, stride };
  }

  /**
   * The time at which the compositor filled the buffer, in nanoseconds; undefined if the compositor does not say so.
   */
  get time(): number | undefined {
    const time = Number(this.#meta(META_HEADER)?.view.getBigInt64(HEADER.time) ?? 0);
    return time > 0 ? time : undefined;
  }

  /** The report of the pointer: null if the buffer has none, undefined if the pointer is elsewhere. */
  pointer(): PointerReport | null {
    const meta = this.#meta(META_CURSOR);
    return meta ? pointerOf(meta.view, meta.size) : null;
  }

  /** Metadata of a type, and its size in bytes. */
  #meta(type: number): { view: Deno.UnsafePointerView; size: number } | undefined {
    const metas = this.#view.getPointer(BUFFER.meta);
    for (let i = 0; metas && i < this.#view.getUint32(BUFFER.metas); i++) {
      const view = new Deno.UnsafePointerView(metas), at = i * META.size;
      if (view.getUint32(at + META.type) !== type) continue;
      const memory = view.getPointer(at + META.at);
      return memory
        ? { view: new Deno.UnsafePointerView(memory), size: view.getUint32(at + META.bytes) }
        : undefined;
    }
    return undefined;
  }
}

function pointerOf(cursor: Deno.UnsafePointerView, size: number): PointerReport {
  if (cursor.getUint32(CURSOR.id) === 0) return undefined;
  return {
    x: cursor.getInt32(CURSOR.x),
    y: cursor.getInt32(CURSOR.y),
    image: imageOf(cursor, cursor.getUint32(CURSOR.bitmap), size),
  };
}

/**
 * The pointer's picture.
 * @param at The offset of the picture's description in the metadata, in bytes; 0 if there is none.
 * @param size The size of the metadata, in bytes.
 * @returns undefined if the metadata has no picture, or a picture that cannot be read.
 */
function imageOf(cursor: Deno.UnsafePointerView, at: number, size: number): StreamCursor | undefined {
  if (!at || at + BITMAP.size > size) return undefined;
  const width = cursor.getUint32(at + BITMAP.width), height = cursor.getUint32(at + BITMAP.height);
  // If the compositor sends no picture, it sends no hotspot either.
  const hotX = cursor.getInt32(CURSOR.hotX), hotY = cursor.getInt32(CURSOR.hotY);
  if (!width || !height) return { hotX, hotY, width: 0, height: 0, rgba: new Uint8Array() };
  const format = cursor.getUint32(at + BITMAP.format), stride = cursor.getInt32(at + BITMAP.stride);
  const from = at + cursor.getUint32(at + BITMAP.pixels), isBgr = format === VIDEO_FORMAT.BGRA;
  const isKnown = isBgr || format === VIDEO_FORMAT.RGBA;
  const isSmall = Math.max(width, height) <= CURSOR_SIDE_LIMIT;
  if (!isKnown || !isSmall || stride < 4 * width || from + stride * height > size) return undefined;
  const pixels = new Uint8Array(cursor.getArrayBuffer(stride * height, from));
  const rgba = new Uint8Array(4 * width * height);
  for (let row = 0; row < height; row++) {
    rgba.set(pixels.subarray(row * stride, row * stride + 4 * width), row * 4 * width);
  }
  if (isBgr) { for (let i = 0; i < rgba.length; i += 4) [rgba[i], rgba[i + 2]] = [rgba[i + 2], rgba[i]]; }
  return { hotX, hotY, width, height, rgba };
}
