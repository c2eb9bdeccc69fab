/** Pixel buffers shared with the compositor (wl_shm), reused for later pictures of the same size. */

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
