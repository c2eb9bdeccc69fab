/** Converts pixels of an X server into those of frames: blue, green, red and an unused byte. */

/** The requested format of pictures: whole pixels, ZPixmap (X11/X.h). */
export const Z_PIXMAP = 2;

/** The layout of an XImage's pixels in memory. */
export interface PixelLayout {
  /** Bytes from one row to the next. */
  stride: number;
  /** The number of bits of a pixel: 16, 24 or 32. */
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
export function readLayout(image: Deno.PointerObject): PixelLayout {
  const view = new Deno.UnsafePointerView(image);
  const mask = (offset: number) => Number(view.getBigUint64(offset));
  return {
    stride: view.getInt32(IMAGE.stride),
    bitsPerPixel: view.getInt32(IMAGE.bitsPerPixel),
    bigEndian: view.getInt32(IMAGE.byteOrder) === MSB_FIRST,
    // XGetImage leaves the masks empty on some servers; the usual masks of 24 bits are used then.
    redMask: mask(IMAGE.redMask) || 0xff0000,
    greenMask: mask(IMAGE.greenMask) || 0xff00,
    blueMask: mask(IMAGE.blueMask) || 0xff,
  };
}

/** Tells whether pixels have the layout of a frame and need no conversion. */
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

/** Takes a channel out of a pixel and stretches it to 0 to 255. */
function channel(mask: number): (pixel: number) => number {
  const shift = 31 - Math.clz32(mask & -mask);
  const most = mask >>> shift;
  return (pixel) => Math.round(((pixel & mask) >>> shift) * 255 / most);
}
