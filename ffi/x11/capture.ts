/** Pictures of the root window: through shared memory (MIT-SHM), over the connection where that is refused. */

import type { Frame, Region } from "../../control/desktop.ts";
import { DesktopGoneError } from "../../errors.ts";
import type { Connection } from "./connection.ts";
import { isNative, readLayout, toNative } from "./pixels.ts";

const Z_PIXMAP = 2;
const ALL_PLANES = 0xffffffffffffffffn;
const IPC_PRIVATE = 0, IPC_CREAT = 0o1000, IPC_RMID = 0;
/** Layout of XShmSegmentInfo (X11/extensions/XShm.h): shmseg 0, shmid 8, shmaddr 16, readOnly 24. */
const SEGMENT_INFO = { size: 32, shmid: 8, shmaddr: 16 } as const;
/** Offset of `data` in XImage (X11/Xlib.h). */
const IMAGE_DATA = 16;

/** Pictures that may be kept at once, each in shared memory of its own; more are copied by whoever wants them. */
const KEPT_LIMIT = 4;

/** Takes pictures on one connection. */
export class Capturer {
  /** Memory for the next picture. */
  #segment: Segment | undefined;
  /** Memory that holds no picture any more. */
  #free: Segment[] = [];
  #kept = new Set<Segment>();
  #sharedRefused = false;
  #converted = new Uint8Array();

  constructor(readonly connection: Connection) {}

  /**
   * Takes a picture.
   * @param region Inside the root window.
   * @returns A frame, valid until the next call.
   * @throws DesktopGoneError if the server is gone or will not give the picture.
   */
  capture(region: Region): Frame {
    if (!this.#sharedRefused) {
      const frame = this.#shared(region);
      if (frame) return frame;
      this.connection.check();
      this.#sharedRefused = true; // a display of another machine or container
      this.#freeSegments();
    }
    return this.#unshared(region);
  }

  /** Frees the shared memory; that of pictures that are kept when they no longer are. */
  close(): void {
    this.#freeSegments();
    for (const segment of this.#kept) segment.disconnect();
    this.#kept.clear();
  }

  #shared(region: Region): Frame | undefined {
    const { libraries: { xext }, display, root } = this.connection;
    const segment = this.#segmentOf(region.width * region.height * 4);
    const image = segment?.image(region.width, region.height);
    if (!image || !xext.XShmGetImage(display, root, image, region.x, region.y, ALL_PLANES)) return undefined;
    const frame = this.#frame(image, region);
    return frame.pixels.buffer === this.#converted.buffer
      ? frame
      : { ...frame, keep: () => this.#keepSegment(segment!) };
  }

  #segmentOf(bytes: number): Segment | undefined {
    this.#segment ??= this.#free.pop();
    if (this.#segment && this.#segment.size < bytes) this.#freeSegments(); // a larger region: none of them is of use
    return this.#segment ??= Segment.attach(this.connection, bytes);
  }

  #keepSegment(segment: Segment): (() => void) | undefined {
    if (segment !== this.#segment || this.#kept.size === KEPT_LIMIT) return undefined;
    this.#segment = undefined;
    this.#kept.add(segment);
    return () => {
      // When the connection was closed meanwhile, all that is left of the segment is its memory here.
      if (!this.#kept.delete(segment)) segment.unmap();
      else this.#free.push(segment);
    };
  }

  #unshared({ x, y, width, height }: Region): Frame {
    const { libraries: { x11 }, display, root } = this.connection;
    const image = x11.XGetImage(display, root, x, y, width, height, ALL_PLANES, Z_PIXMAP);
    if (!image) {
      this.connection.check();
      throw new DesktopGoneError("the X server refuses to give a picture of the screen");
    }
    const frame = this.#frame(image, { width, height });
    this.#copy(frame.pixels);
    const copied = { ...frame, pixels: this.#converted.subarray(0, frame.pixels.length) };
    x11.XDestroyImage(image);
    return copied;
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
  #copy(pixels: Uint8Array<ArrayBuffer>) {
    if (pixels.buffer === this.#converted.buffer) return;
    if (this.#converted.length < pixels.length) this.#converted = new Uint8Array(pixels.length);
    this.#converted.set(pixels);
  }

  #freeSegments() {
    for (const segment of [...this.#free, this.#segment]) {
      segment?.disconnect();
      segment?.unmap();
    }
    this.#free = [];
    this.#segment = undefined;
  }
}

/** A piece of memory that the X server writes into. */
class Segment {
  #image: { pointer: Deno.PointerObject; width: number; height: number } | undefined;

  private constructor(
    readonly connection: Connection,
    readonly size: number,
    readonly address: Deno.PointerObject,
    /** XShmSegmentInfo. Images keep its address, so it must live as long as they do. */
    readonly info: Uint8Array<ArrayBuffer>,
  ) {}

  /** @returns undefined if the system or the server refuses. */
  static attach(connection: Connection, size: number): Segment | undefined {
    const { libraries: { c, xext, x11 }, display } = connection;
    if (!xext.XShmQueryExtension(display)) return undefined;
    const id = c.shmget(IPC_PRIVATE, BigInt(size), IPC_CREAT | 0o600);
    if (id < 0) return undefined;
    const address = c.shmat(id, null, 0);
    if (!address || Deno.UnsafePointer.value(address) === 0xffffffffffffffffn) {
      c.shmctl(id, IPC_RMID, null);
      return undefined;
    }
    const info = new Uint8Array(SEGMENT_INFO.size);
    const view = new DataView(info.buffer);
    view.setInt32(SEGMENT_INFO.shmid, id, true);
    view.setBigUint64(SEGMENT_INFO.shmaddr, Deno.UnsafePointer.value(address), true);
    xext.XShmAttach(display, Deno.UnsafePointer.of(info));
    x11.XSync(display, 0);
    // Marked for removal at once, so that it goes with the last process that has it, however that ends.
    c.shmctl(id, IPC_RMID, null);
    return new Segment(connection, size, address, info);
  }

  /** An XImage of a size whose data is this memory. */
  image(width: number, height: number): Deno.PointerObject | undefined {
    if (this.#image?.width === width && this.#image.height === height) return this.#image.pointer;
    this.#destroyImage();
    const { libraries: { x11, xext }, display, screen } = this.connection;
    const pointer = xext.XShmCreateImage(
      display,
      x11.XDefaultVisual(display, screen),
      x11.XDefaultDepth(display, screen),
      Z_PIXMAP,
      this.address,
      Deno.UnsafePointer.of(this.info),
      width,
      height,
    );
    if (pointer) this.#image = { pointer, width, height };
    return pointer ?? undefined;
  }

  /** Takes the memory from the X server. */
  disconnect(): void {
    const { libraries: { xext, x11 }, display } = this.connection;
    this.#destroyImage();
    xext.XShmDetach(display, Deno.UnsafePointer.of(this.info));
    x11.XSync(display, 0);
  }

  /** Frees the memory, which nobody may read afterwards. */
  unmap(): void {
    this.connection.libraries.c.shmdt(this.address);
  }

  /** For an image of shared memory this frees the structure, not the memory (XShm documentation). */
  #destroyImage() {
    if (this.#image) this.connection.libraries.x11.XDestroyImage(this.#image.pointer);
    this.#image = undefined;
  }
}
