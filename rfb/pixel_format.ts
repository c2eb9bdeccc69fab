/** Pixel formats (RFC 6143 section 7.4), also packed into numbers for memory shared between threads. Pure. */

import { uint16, words } from "./protocol.ts";

/** A pixel format with red, green and blue components. */
export interface PixelFormat {
  /** Bits per pixel: 8, 16 or 32. */
  bits: number;
  depth: number;
  isBigEndian: boolean;
  /** The maximum values of red, green and blue, and the bit at which each begins. */
  max: readonly [number, number, number];
  shift: readonly [number, number, number];
}

/** The format of deskhand's frames: blue, green, red and an unused byte. */
export const NATIVE: PixelFormat = {
  bits: 32,
  depth: 24,
  isBigEndian: false,
  max: [255, 255, 255],
  shift: [16, 8, 0],
};

/** The format for clients that want a colour map: the map contains these colours at their own numbers. */
export const MAPPED: PixelFormat = {
  bits: 8,
  depth: 8,
  isBigEndian: false,
  max: [7, 7, 3],
  shift: [0, 3, 6],
};

/** Length of a format in a message, in bytes. */
export const FORMAT_LENGTH = 16;

/** Serializes a format. */
export function formatBytes({ bits, depth, isBigEndian, max, shift }: PixelFormat): Uint8Array {
  return Uint8Array.from([bits, depth, isBigEndian ? 1 : 0, 1, ...words(...max), ...shift, 0, 0, 0]);
}

/**
 * Parses a format.
 * @returns undefined for a format with a colour map.
 * @throws RangeError if the format is invalid.
 */
export function readFormat(bytes: Uint8Array): PixelFormat | undefined {
  const [bits, depth, big, isTrueColour] = bytes;
  if (bits !== 8 && bits !== 16 && bits !== 32) {
    throw new RangeError(`${bits}-bit pixels are not supported`);
  }
  if (!isTrueColour) return undefined;
  const max = [uint16(bytes, 4), uint16(bytes, 6), uint16(bytes, 8)] as const;
  const shift = [bytes[10], bytes[11], bytes[12]] as const;
  const fits = max.every((value, i) => value > 0 && shift[i] < bits && value * 2 ** shift[i] < 2 ** bits);
  if (!fits) throw new RangeError("the bits of a colour are outside the pixel");
  return { bits, depth: Math.min(depth, bits), isBigEndian: big !== 0, max, shift };
}

/** The colours of {@linkcode MAPPED}, each as 16-bit red, green and blue. */
export function colourMap(): number[] {
  const part = (value: number, i: number) => Math.round(value * 65535 / MAPPED.max[i]);
  return Array.from(
    { length: 256 },
    (_, index) => MAPPED.shift.map((shift, i) => part(index >> shift & MAPPED.max[i], i)),
  ).flat();
}

/** A client's capabilities, and whether it has already received part of its zlib stream. */
export const ABILITY = {
  copyRect: 1,
  zrle: 2,
  zlib: 4,
  jpeg: 8,
  cursorWithAlpha: 16,
  cursor: 32,
  vmwareCursorPosition: 64,
  pointerPosition: 128,
  startedStream: 256,
} as const;

/** The variant of one client's messages: clients with the same form receive the same ones. */
export interface Form {
  format: PixelFormat;
  /** Bits of {@linkcode ABILITY}. */
  abilities: number;
  /** The JPEG quality, 0 to 9. */
  quality: number;
}

/** A form as three 32-bit numbers; the first is never 0. */
export type PackedForm = readonly [number, number, number];

const RFB = 1 << 31, BIG = 1 << 30;

/** Packs a form. */
export function packForm({ format, abilities, quality }: Form): PackedForm {
  const { bits, depth, isBigEndian, max: [red, green, blue], shift } = format;
  return [
    RFB | (isBigEndian ? BIG : 0) | quality << 26 | depth << 20 | bits / 8 << 16 | abilities,
    red | green << 16,
    blue | shift[0] << 16 | shift[1] << 21 | shift[2] << 26,
  ];
}

/** Unpacks a form. */
export function unpackForm([first, second, third]: PackedForm): Form {
  return {
    abilities: first & 0xffff,
    quality: first >> 26 & 15,
    format: {
      bits: (first >> 16 & 7) * 8,
      depth: first >> 20 & 63,
      isBigEndian: (first & BIG) !== 0,
      max: [second & 0xffff, second >>> 16, third & 0xffff],
      shift: [third >>> 16 & 31, third >>> 21 & 31, third >>> 26 & 31],
    },
  };
}

/** Writes a pixel; returns the offset after it. @param rgb As 0xRRGGBB. */
type Put = (out: Uint8Array, at: number, rgb: number) => number;

/** Writes pixels in a format. */
export interface PixelWriter {
  /** Bytes per pixel. */
  bytes: number;
  /** Whether pixels have the {@linkcode NATIVE} format. */
  isNative: boolean;
  put: Put;
  /** Writes a compact pixel (CPIXEL in RFC 6143 section 7.7.5): three bytes of four where they suffice. */
  putCompact: Put;
}

/** Returns the writer of a format. */
export function pixelWriter({ bits, depth, isBigEndian, max, shift }: PixelFormat): PixelWriter {
  const bytes = bits / 8, eights = max.every((value) => value === 255);
  const isNative = bytes === 4 && !isBigEndian && eights && shift.join() === NATIVE.shift.join();
  const [redMax, greenMax, blueMax] = max, [redShift, greenShift, blueShift] = shift;
  const valueOf = isNative ? (rgb: number) => rgb : (rgb: number) => {
    const red = ((rgb >> 16 & 255) * redMax + 127) / 255 | 0,
      green = ((rgb >> 8 & 255) * greenMax + 127) / 255 | 0;
    return red << redShift | green << greenShift | (((rgb & 255) * blueMax + 127) / 255 | 0) << blueShift;
  };
  const used = max.reduce((all, value, i) => all | value << shift[i], 0) >>> 0;
  const isLow = used < 2 ** 24, isHigh = (used & 0xff) === 0;
  // noVNC up to 1.3 (Debian 12) takes the unused byte of Raw for the opacity.
  const unused = bytes === 4 && isLow ? 0xff000000 : 0;
  const put = putter(bytes, isBigEndian, unused ? (rgb) => valueOf(rgb) | unused : valueOf);
  if (bytes !== 4 || depth > 24 || !isLow && !isHigh) return { bytes, isNative, put, putCompact: put };
  const compact = isLow ? valueOf : (rgb: number) => valueOf(rgb) >>> 8;
  return { bytes, isNative, put, putCompact: putter(3, isBigEndian, compact) };
}

function putter(bytes: number, isBigEndian: boolean, valueOf: (rgb: number) => number): Put {
  if (bytes === 3 && !isBigEndian) {
    return (out, at, rgb) => {
      const value = valueOf(rgb);
      out[at] = value;
      out[at + 1] = value >> 8;
      out[at + 2] = value >> 16;
      return at + 3;
    };
  }
  return (out, at, rgb) => {
    const value = valueOf(rgb);
    for (let i = 0; i < bytes; i++) out[at + i] = value >>> 8 * (isBigEndian ? bytes - 1 - i : i);
    return at + bytes;
  };
}
