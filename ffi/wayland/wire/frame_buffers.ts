/** Pixel buffers shared with the compositor (wl_shm), reused for later pictures of the same size, and pixel formats. */

import type { Connection } from "./connection.ts";
import { SharedMemory } from "../../linux/libc.ts";
import { BUFFER, SHM, SHM_POOL } from "./wire.ts";
import type { Registry } from "./connection.ts";

/** Maximum number of free buffers. */
const FREE_LIMIT = 4;

/** The layout of a buffer's pixels. */
export interface BufferShape {
  /** wl_shm.format. */
  format: number;
  width: number;
  height: number;
  /** Bytes from one row to the next. */
  stride: number;
}

/** A wl_buffer and its memory. */
export interface FrameBuffer extends BufferShape {
  object: number;
  memory: SharedMemory;
}

/** The buffers of one connection. */
export class FrameBuffers {
  /** Free buffers, the most recently released one last. */
  readonly #free: FrameBuffer[] = [];
  readonly #shm: number;
  #isClosed = false;

  constructor(readonly connection: Connection, registry: Registry) {
    this.#shm = registry.bindFirst("wl_shm", 1);
  }

  /** Takes a free buffer, or allocates one of zeros. */
  take(shape: BufferShape): FrameBuffer {
    const { format, width, height, stride } = shape;
    const found = this.#free.findLastIndex((free) =>
      free.format === format && free.width === width && free.height === height && free.stride === stride
    );
    return found < 0 ? this.#make(shape) : this.#free.splice(found, 1)[0];
  }

  /** Returns a buffer, whose memory the caller no longer uses. */
  release(buffer: FrameBuffer): void {
    this.#free.push(buffer);
    while (this.#free.length > (this.#isClosed ? 0 : FREE_LIMIT)) this.#destroy(this.#free.shift()!);
  }

  /** Frees all unused buffers now, and the buffers in use when they are returned. */
  close(): void {
    this.#isClosed = true;
    for (const buffer of this.#free.splice(0)) this.#destroy(buffer);
  }

  #make(shape: BufferShape): FrameBuffer {
    const { connection } = this, { format, width, height, stride } = shape;
    const size = stride * height;
    let object = 0;
    const memory = SharedMemory.make(connection.c, size, (fd) => {
      const pool = connection.newId();
      connection.request(this.#shm, SHM.createPool, pool, { fd }, size);
      object = connection.newId();
      connection.request(pool, SHM_POOL.createBuffer, object, 0, width, height, stride, format);
      connection.request(pool, SHM_POOL.destroy);
    });
    return { ...shape, object, memory };
  }

  #destroy({ object, memory }: FrameBuffer): void {
    if (!this.connection.isLost) this.connection.request(object, BUFFER.destroy);
    memory.unmap();
  }
}

// Shared memory pixel formats (wl_shm.format) and their conversion to the format of `Frame`. Pure.

/** Converts a row of pixels to blue, green, red and one unused byte. */
type RowConverter = (source: DataView, at: number, target: Uint32Array, to: number, count: number) => void;

/** How to read a format's pixels. */
export interface PixelFormat {
  bytesPerPixel: 3 | 4;
  /** Converts a row into the pixels of a `Frame`; undefined if the formats are the same. */
  convert?: RowConverter;
}

/** The number of a format with a four-character name (drm_fourcc.h). */
function fourcc(name: string): number {
  return [...name].reduce((code, character, i) => code | (character.charCodeAt(0) << (8 * i)), 0) >>> 0;
}

/** Creates a converter for 32-bit pixels. @param bgrx Converts one pixel's value to that of `Frame`. */
function each(bgrx: (value: number) => number): RowConverter {
  return (source, at, target, to, count) => {
    for (let i = 0; i < count; i++) target[to + i] = bgrx(source.getUint32(at + 4 * i, true));
  };
}

/** Creates a converter for 24-bit pixels. @param red Which byte is red: the first or the last. */
function packed(red: 0 | 2): RowConverter {
  return (source, at, target, to, count) => {
    for (let i = 0, from = at; i < count; i++, from += 3) {
      const first = source.getUint8(from + red), last = source.getUint8(from + 2 - red);
      target[to + i] = last | (source.getUint8(from + 1) << 8) | (first << 16);
    }
  };
}

const swapped = each((value) => (value & 0xff00) | ((value & 0xff) << 16) | ((value >>> 16) & 0xff));
/** Formats with 10 bits per color, of which the upper 8 are used. */
const deepRgb = each((v) => ((v >>> 2) & 0xff) | (((v >>> 12) & 0xff) << 8) | (((v >>> 22) & 0xff) << 16));
const deepBgr = each((v) => (((v >>> 2) & 0xff) << 16) | (((v >>> 12) & 0xff) << 8) | ((v >>> 22) & 0xff));

/** The supported formats, by number. */
export const PIXEL_FORMATS: ReadonlyMap<number, PixelFormat> = new Map<number, PixelFormat>([
  [0, { bytesPerPixel: 4 }], // ARGB8888, whose number is not a fourcc code
  [1, { bytesPerPixel: 4 }], // XRGB8888
  [fourcc("AB24"), { bytesPerPixel: 4, convert: swapped }],
  [fourcc("XB24"), { bytesPerPixel: 4, convert: swapped }],
  [fourcc("AR30"), { bytesPerPixel: 4, convert: deepRgb }],
  [fourcc("XR30"), { bytesPerPixel: 4, convert: deepRgb }],
  [fourcc("AB30"), { bytesPerPixel: 4, convert: deepBgr }],
  [fourcc("XB30"), { bytesPerPixel: 4, convert: deepBgr }],
  [fourcc("RG24"), { bytesPerPixel: 3, convert: packed(2) }], // bytes blue, green, red
  [fourcc("BG24"), { bytesPerPixel: 3, convert: packed(0) }], // bytes red, green, blue
]);

/** A format's name in messages: its four characters, or its number. */
export function formatName(format: number): string {
  const characters = [0, 8, 16, 24].map((shift) => String.fromCharCode((format >>> shift) & 0xff)).join("");
  return /^[ -~]{4}$/.test(characters) ? characters : `number ${format}`;
}
