/**
 * Captures of the root window: through shared memory (MIT-SHM), or over the connection where that is refused.
 */

import type { Frame, Point, Region } from "../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";
import type { Libraries } from "./libraries.ts";

// Converts an X server's pixels into those of frames: blue, green, red and an unused byte.

/** The requested image format: whole pixels, ZPixmap (X11/X.h). */
export const Z_PIXMAP = 2;

/** The layout of an XImage's pixels in memory. */
export interface PixelLayout {
  /** Bytes from one row to the next. */
  stride: number;
  /** Bits per pixel: 16, 24 or 32. */
  bitsPerPixel: number;
  bigEndian: boolean;
  redMask: number;
  greenMask: number;
  blueMask: number;
}

/** Offsets in XImage (X11/Xlib.h) with 64-bit longs. */
export const IMAGE = {
  byteOrder: 24,
  stride: 44,
  bitsPerPixel: 48,
  redMask: 56,
  greenMask: 64,
  blueMask: 72,
} as const;
const MSB_FIRST = 1;

/** Reads the layout of an XImage. */
function readLayout(image: Deno.PointerObject): PixelLayout {
  const view = new Deno.UnsafePointerView(image);
  const mask = (offset: number) => Number(view.getBigUint64(offset));
  return {
    stride: view.getInt32(IMAGE.stride),
    bitsPerPixel: view.getInt32(IMAGE.bitsPerPixel),
    bigEndian: view.getInt32(IMAGE.byteOrder) === MSB_FIRST,
    // XGetImage leaves the masks empty on some servers; the usual 24-bit masks are used instead.
    redMask: mask(IMAGE.redMask) || 0xff0000,
    greenMask: mask(IMAGE.greenMask) || 0xff00,
    blueMask: mask(IMAGE.blueMask) || 0xff,
  };
}

/** Whether pixels have a frame's layout and need no conversion. */
export function isNative({ bitsPerPixel, bigEndian, redMask, greenMask, blueMask }: PixelLayout): boolean {
  return bitsPerPixel === 32 && !bigEndian && redMask === 0xff0000 && greenMask === 0xff00 &&
    blueMask === 0xff;
}

/**
 * Converts pixels of any layout.
 * @param from Rows of `layout.stride` bytes.
 * @param to Rows of `width * 4` bytes, without gaps.
 */
export function toNative(
  from: Uint8Array,
  layout: PixelLayout,
  width: number,
  height: number,
  to: Uint8Array,
) {
  const bytes = layout.bitsPerPixel >> 3;
  const [blue, green, red] = [layout.blueMask, layout.greenMask, layout.redMask].map(channel);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0, start = y * layout.stride; x < width; x++, start += bytes, at += 4) {
      let pixel = 0;
      for (let i = 0; i < bytes; i++) {
        pixel |= from[start + i] << 8 * (layout.bigEndian ? bytes - 1 - i : i);
      }
      to[at] = blue(pixel);
      to[at + 1] = green(pixel);
      to[at + 2] = red(pixel);
    }
  }
}

/** Extracts a channel from a pixel and scales it to 0 to 255. */
function channel(mask: number): (pixel: number) => number {
  const shift = 31 - Math.clz32(mask & -mask);
  const most = mask >>> shift;
  return (pixel) => Math.round(((pixel & mask) >>> shift) * 255 / most);
}

// Memory shared between processes (System V: shmget(2), shmop(2), shmctl(2)).

const IPC_PRIVATE = 0, IPC_CREAT = 0o1000, IPC_RMID = 0;
/** Result of a failed shmat: `(void *) -1`. */
const FAILED = 0xffffffffffffffffn;

/** A shared memory segment attached to this process. */
export class SharedMemory {
  #bytes: Uint8Array<ArrayBuffer> | undefined;

  private constructor(
    readonly c: Libraries["c"],
    /** The segment's id, with which another process of this user can attach it until it is abandoned. */
    readonly id: number,
    readonly size: number,
    readonly address: Deno.PointerObject,
  ) {}

  /**
   * Allocates memory.
   * @param size In bytes.
   * @returns undefined if the system refuses.
   */
  static make(c: Libraries["c"], size: number): SharedMemory | undefined {
    const id = c.shmget(IPC_PRIVATE, BigInt(size), IPC_CREAT | 0o600);
    if (id < 0) return undefined;
    const address = c.shmat(id, null, 0);
    if (address && Deno.UnsafePointer.value(address) !== FAILED) {
      return new SharedMemory(c, id, size, address);
    }
    c.shmctl(id, IPC_RMID, null);
    return undefined;
  }

  /** The segment's bytes, valid until it is unmapped. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes ??= new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(this.address, this.size));
  }

  /** Marks the segment for removal, so that the system frees it when the last attached process ends. */
  abandon(): void {
    this.c.shmctl(this.id, IPC_RMID, null);
  }

  /** Detaches the segment from this process, which must no longer use {@linkcode bytes}. */
  unmap(): void {
    this.c.shmdt(this.address);
  }
}

// Memory that the X server writes captures into, through Xlib (MIT-SHM).

/** Offsets in XShmSegmentInfo (X11/extensions/XShm.h) with 64-bit longs; also shmseg 0, readOnly 24. */
export const SEGMENT_INFO = { size: 32, shmid: 8, shmaddr: 16 } as const;

/** A shared memory segment that the X server has attached. */
class Segment {
  #image: { pointer: Deno.PointerObject; width: number; height: number } | undefined;

  private constructor(
    readonly connection: Connection,
    readonly memory: SharedMemory,
    /** XShmSegmentInfo. Images store the address of this memory, so it must live as long as the images. */
    readonly info: Uint8Array<ArrayBuffer>,
  ) {}

  /**
   * Allocates a shared memory segment and has the server attach it.
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

  /** An XImage of the given size whose data is this memory. */
  image(width: number, height: number): Deno.PointerObject | undefined {
    if (this.#image?.width === width && this.#image.height === height) return this.#image.pointer;
    this.#destroyImage();
    const pointer = createImage(this.connection, this.memory.address, this.info, width, height);
    if (pointer) this.#image = { pointer, width, height };
    return pointer ?? undefined;
  }

  /** Makes the server detach, and frees the memory. */
  detach(): void {
    const { libraries: { xext, x11 }, display } = this.connection;
    this.#destroyImage();
    xext.XShmDetach(display, Deno.UnsafePointer.of(this.info));
    x11.XSync(display, 0);
    this.memory.unmap();
  }

  /** Frees an image's structure; XDestroyImage does not free its shared memory (MIT-SHM documentation). */
  #destroyImage() {
    if (this.#image) this.connection.libraries.x11.XDestroyImage(this.#image.pointer);
    this.#image = undefined;
  }
}

/** Computes the pixel layout of a root window capture, without asking the server. */
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
   * @param region Inside the drawable.
   * @param drawable A drawable with the root window's pixels; the root window itself if omitted.
   * @returns A frame, valid until the next call.
   * @throws DesktopUnavailableError if the server is gone or refuses the picture.
   */
  take(region: Region, drawable: bigint = this.connection.root): Frame {
    if (!this.#isSharedRefused) {
      const frame = this.#shared(region, drawable);
      if (frame) return frame;
      this.connection.check();
      this.#isSharedRefused = true; // a display on another machine or in another container
      this.#freeSegment();
    }
    return this.#unshared(region, drawable);
  }

  /** Frees the shared memory. */
  close(): void {
    this.#freeSegment();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #shared(region: Region, drawable: bigint): Frame | undefined {
    const { libraries: { xext }, display } = this.connection;
    const bytes = region.width * region.height * 4;
    if (!this.#segment || this.#segment.memory.size < bytes) {
      this.#freeSegment();
      this.#segment = Segment.attach(this.connection, bytes);
      if (!this.#segment) return undefined;
    }
    const image = this.#segment.image(region.width, region.height);
    if (!image || !xext.XShmGetImage(display, drawable, image, region.x, region.y, ALL_PLANES)) {
      return undefined;
    }
    return this.#frame(image, region);
  }

  #unshared({ x, y, width, height }: Region, drawable: bigint): Frame {
    const { libraries: { x11 }, display } = this.connection;
    const image = x11.XGetImage(display, drawable, x, y, width, height, ALL_PLANES, Z_PIXMAP);
    if (!image) {
      this.connection.check();
      throw new DesktopUnavailableError("the X server refused to take a screenshot");
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

  /** Copies pixels out of memory that will be freed. */
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

// The pointer's picture (XFixes, XFixesGetCursorImage), drawn into a frame.

/** Offsets in XFixesCursorImage (X11/extensions/Xfixes.h) with 64-bit longs. */
export const CURSOR = { x: 0, y: 2, width: 4, height: 6, hotX: 8, hotY: 10, pixels: 24 } as const;

/** The pointer's picture, and its region on the desktop. */
export interface Cursor extends Region {
  /** The hot spot, from the top left corner. */
  hot: Point;
  /** An unsigned long per pixel, of which only the lower 32 bits are used: premultiplied ARGB. */
  argb: Uint8Array;
}

/** Requests the pointer's picture; undefined if there is none. */
export function readCursor({ libraries: { x11, xfixes }, display }: Connection): Cursor | undefined {
  const image = xfixes.XFixesGetCursorImage(display);
  if (!image) return undefined;
  const view = new Deno.UnsafePointerView(image);
  const width = view.getUint16(CURSOR.width), height = view.getUint16(CURSOR.height);
  const pixels = view.getPointer(CURSOR.pixels);
  const argb = new Uint8Array(pixels ? width * height * 8 : 0);
  if (pixels) new Deno.UnsafePointerView(pixels).copyInto(argb);
  const hot = { x: view.getUint16(CURSOR.hotX), y: view.getUint16(CURSOR.hotY) };
  const cursor = {
    x: view.getInt16(CURSOR.x) - hot.x,
    y: view.getInt16(CURSOR.y) - hot.y,
    hot,
    width,
    height: pixels ? height : 0,
    argb,
  };
  x11.XFree(image);
  return cursor;
}

/**
 * Draws the pointer.
 * @param cursor The pointer's picture; if undefined, nothing is drawn.
 * @param frame The frame to draw into.
 * @param place The frame's position on the desktop.
 */
export function drawCursor(cursor: Cursor | undefined, frame: Frame, place: Point): void {
  if (!cursor) return;
  const { argb, x, y, width, height } = cursor;
  blend(frame, argb, { x: x - place.x, y: y - place.y, width, height });
}

function blend(frame: Frame, argb: Uint8Array, at: Region) {
  for (let row = Math.max(0, -at.y); row < Math.min(at.height, frame.height - at.y); row++) {
    for (let column = Math.max(0, -at.x); column < Math.min(at.width, frame.width - at.x); column++) {
      const from = (row * at.width + column) * 8;
      const to = (at.y + row) * frame.stride + (at.x + column) * 4;
      const rest = 255 - argb[from + 3];
      for (let i = 0; i < 3; i++) {
        frame.pixels[to + i] = argb[from + i] + Math.round(frame.pixels[to + i] * rest / 255);
      }
    }
  }
}
