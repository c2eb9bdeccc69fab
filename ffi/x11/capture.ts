/** Captures of the root window: through shared memory (MIT-SHM), over the connection where that is refused. */

import type { Frame, Region } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";
import { isNative, readLayout, toNative, Z_PIXMAP } from "./pixels.ts";
import { Segment } from "./segment.ts";

const ALL_PLANES = 0xffffffffffffffffn;
/** Offset of `data` in XImage (X11/Xlib.h). */
export const IMAGE_DATA = 16;

/** Captures over one connection. */
export class ScreenCapture {
  #segment: Segment | undefined;
  #isSharedRefused = false;
  #converted = new Uint8Array();

  constructor(readonly connection: Connection) {}

  /**
   * Captures a region.
   * @param region Inside the root window.
   * @returns A frame, valid until the next call.
   * @throws DesktopUnavailableError if the server is gone or refuses the picture.
   */
  take(region: Region): Frame {
    if (!this.#isSharedRefused) {
      const frame = this.#shared(region);
      if (frame) return frame;
      this.connection.check();
      this.#isSharedRefused = true; // a display of another machine or container
      this.#freeSegment();
    }
    return this.#unshared(region);
  }

  /** Frees the shared memory. */
  close(): void {
    this.#freeSegment();
  }

  #shared(region: Region): Frame | undefined {
    const { libraries: { xext }, display, root } = this.connection;
    const bytes = region.width * region.height * 4;
    if (!this.#segment || this.#segment.memory.size < bytes) {
      this.#freeSegment();
      this.#segment = Segment.attach(this.connection, bytes);
      if (!this.#segment) return undefined;
    }
    const image = this.#segment.image(region.width, region.height);
    if (!image || !xext.XShmGetImage(display, root, image, region.x, region.y, ALL_PLANES)) return undefined;
    return this.#frame(image, region);
  }

  #unshared({ x, y, width, height }: Region): Frame {
    const { libraries: { x11 }, display, root } = this.connection;
    const image = x11.XGetImage(display, root, x, y, width, height, ALL_PLANES, Z_PIXMAP);
    if (!image) {
      this.connection.check();
      throw new DesktopUnavailableError("the X server refuses to give a picture of the screen");
    }
    const frame = this.#frame(image, { width, height });
    const pixels = this.#copied(frame.pixels);
    x11.XDestroyImage(image);
    return { ...frame, pixels };
  }

  #frame(image: Deno.PointerObject, { width, height }: { width: number; height: number }): Frame {
    const layout = readLayout(image);
    const data = new Deno.UnsafePointerView(image).getPointer(IMAGE_DATA)!;
    const bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(data, layout.stride * height));
    if (isNative(layout)) return { width, height, stride: layout.stride, pixels: bytes };
    const size = width * height * 4;
    if (this.#converted.length < size) this.#converted = new Uint8Array(size);
    toNative(bytes, layout, width, height, this.#converted);
    return { width, height, stride: width * 4, pixels: this.#converted.subarray(0, size) };
  }

  /** Copies pixels out of memory that is about to be freed. */
  #copied(pixels: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    if (pixels.buffer === this.#converted.buffer) return pixels;
    if (this.#converted.length < pixels.length) this.#converted = new Uint8Array(pixels.length);
    this.#converted.set(pixels);
    return this.#converted.subarray(0, pixels.length);
  }

  #freeSegment() {
    this.#segment?.detach();
    this.#segment = undefined;
  }
}
