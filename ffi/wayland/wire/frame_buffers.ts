/** Buffers of pixels that are shared with the compositor (wl_shm), kept for the next picture of their size. */

import type { Connection } from "./connection.ts";
import { SharedMemory } from "../../linux/libc.ts";
import { BUFFER, SHM, SHM_POOL } from "./wire.ts";
import type { Registry } from "./connection.ts";

/** Free buffers that are kept. */
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
  /** The free buffers; the buffer that was released last is the last. */
  readonly #free: FrameBuffer[] = [];
  readonly #shm: number;
  #isClosed = false;

  constructor(readonly connection: Connection, registry: Registry) {
    this.#shm = registry.bindFirst("wl_shm", 1);
  }

  /** Takes a free buffer, or makes one of zeros. */
  take(shape: BufferShape): FrameBuffer {
    const { format, width, height, stride } = shape;
    const found = this.#free.findLastIndex((free) =>
      free.format === format && free.width === width && free.height === height && free.stride === stride
    );
    return found < 0 ? this.#make(shape) : this.#free.splice(found, 1)[0];
  }

  /** Gives a buffer back, whose memory the caller uses no more. */
  release(buffer: FrameBuffer): void {
    this.#free.push(buffer);
    while (this.#free.length > (this.#isClosed ? 0 : FREE_LIMIT)) this.#destroy(this.#free.shift()!);
  }

  /** Frees all unused buffers now, and the buffers in use when they are given back. */
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
