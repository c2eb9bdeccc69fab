/** Memory that the X server writes captures into, by Xlib (MIT-SHM). */

import type { Connection } from "./connection.ts";
import { type PixelLayout, readLayout, Z_PIXMAP } from "./pixels.ts";
import { SharedMemory } from "./shared_memory.ts";

/** Offsets in XShmSegmentInfo (X11/extensions/XShm.h) with 64-bit longs; also shmseg 0, readOnly 24. */
export const SEGMENT_INFO = { size: 32, shmid: 8, shmaddr: 16 } as const;

/** A piece of shared memory that the X server is attached to. */
export class Segment {
  #image: { pointer: Deno.PointerObject; width: number; height: number } | undefined;

  private constructor(
    readonly connection: Connection,
    readonly memory: SharedMemory,
    /** XShmSegmentInfo. Images keep the address of this memory, so it must live as long as the images. */
    readonly info: Uint8Array<ArrayBuffer>,
  ) {}

  /**
   * Allocates shared memory and attaches the server to it.
   * @param size In bytes.
   * @returns undefined if the system or the server refuses.
   */
  static attach(connection: Connection, size: number): Segment | undefined {
    const { libraries: { c, xext, x11 }, display } = connection;
    if (!xext.XShmQueryExtension(display)) return undefined;
    const memory = SharedMemory.make(c, size);
    if (!memory) return undefined;
    const info = new Uint8Array(SEGMENT_INFO.size);
    const view = new DataView(info.buffer);
    view.setInt32(SEGMENT_INFO.shmid, memory.id, true);
    view.setBigUint64(SEGMENT_INFO.shmaddr, Deno.UnsafePointer.value(memory.address), true);
    xext.XShmAttach(display, Deno.UnsafePointer.of(info));
    x11.XSync(display, 0);
    memory.abandon();
    return new Segment(connection, memory, info);
  }

  /** An XImage of a size whose data is this memory. */
  image(width: number, height: number): Deno.PointerObject | undefined {
    if (this.#image?.width === width && this.#image.height === height) return this.#image.pointer;
    this.#destroyImage();
    const pointer = createImage(this.connection, this.memory.address, this.info, width, height);
    if (pointer) this.#image = { pointer, width, height };
    return pointer ?? undefined;
  }

  /** Detaches the server and frees the memory. */
  detach(): void {
    const { libraries: { xext, x11 }, display } = this.connection;
    this.#destroyImage();
    xext.XShmDetach(display, Deno.UnsafePointer.of(this.info));
    x11.XSync(display, 0);
    this.memory.unmap();
  }

  /** Frees an image's structure; XDestroyImage leaves an image's shared memory alone (MIT-SHM documentation). */
  #destroyImage() {
    if (this.#image) this.connection.libraries.x11.XDestroyImage(this.#image.pointer);
    this.#image = undefined;
  }
}

/** Computes the layout of the pixels of a capture of the root window, without asking the server. */
export function rootLayout(connection: Connection): PixelLayout | undefined {
  const image = createImage(connection, null, new Uint8Array(SEGMENT_INFO.size), 1, 1);
  if (!image) return undefined;
  const layout = readLayout(image);
  connection.libraries.x11.XDestroyImage(image);
  return layout;
}

function createImage(
  { libraries: { x11, xext }, display, screen }: Connection,
  data: Deno.PointerValue,
  info: Uint8Array<ArrayBuffer>,
  width: number,
  height: number,
): Deno.PointerValue {
  return xext.XShmCreateImage(
    display,
    x11.XDefaultVisual(display, screen),
    x11.XDefaultDepth(display, screen),
    Z_PIXMAP,
    data,
    Deno.UnsafePointer.of(info),
    width,
    height,
  );
}
