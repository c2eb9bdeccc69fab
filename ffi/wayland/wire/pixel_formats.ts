/** Formats of pixels in shared memory (wl_shm.format) and their conversion to the format of `Frame`. Pure. */

/** Converts a row of pixels to blue, green, red and one unused byte. */
type RowConverter = (source: DataView, at: number, target: Uint32Array, to: number, count: number) => void;

/** The reading of a format's pixels. */
export interface PixelFormat {
  bytesPerPixel: 3 | 4;
  /** Converts a row into the pixels of a `Frame`; undefined if the formats are the same. */
  convert?: RowConverter;
}

/** Four characters that name a format, as a number (drm_fourcc.h). */
function fourcc(name: string): number {
  return [...name].reduce((code, character, i) => code | (character.charCodeAt(0) << (8 * i)), 0) >>> 0;
}

/** Makes the converter of 32-bit pixels. @param bgrx One pixel's value as `Frame` has it, from the format's. */
function each(bgrx: (value: number) => number): RowConverter {
  return (source, at, target, to, count) => {
    for (let i = 0; i < count; i++) target[to + i] = bgrx(source.getUint32(at + 4 * i, true));
  };
}

/** Makes the converter of 24-bit pixels. @param red Which of their bytes is red: the first or the last. */
function packed(red: 0 | 2): RowConverter {
  return (source, at, target, to, count) => {
    for (let i = 0, from = at; i < count; i++, from += 3) {
      const first = source.getUint8(from + red), last = source.getUint8(from + 2 - red);
      target[to + i] = last | (source.getUint8(from + 1) << 8) | (first << 16);
    }
  };
}

const swapped = each((value) => (value & 0xff00) | ((value & 0xff) << 16) | ((value >>> 16) & 0xff));
/** Formats with 10 bits for each color, of which the upper 8 are taken. */
const deepRgb = each((v) => ((v >>> 2) & 0xff) | (((v >>> 12) & 0xff) << 8) | (((v >>> 22) & 0xff) << 16));
const deepBgr = each((v) => (((v >>> 2) & 0xff) << 16) | (((v >>> 12) & 0xff) << 8) | ((v >>> 22) & 0xff));

/** The formats that can be read, by number. */
export const PIXEL_FORMATS: ReadonlyMap<number, PixelFormat> = new Map<number, PixelFormat>([
  [0, { bytesPerPixel: 4 }], // ARGB8888, whose number is no fourcc code
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

/** A format for messages: its four characters, or its number. */
export function formatName(format: number): string {
  const characters = [0, 8, 16, 24].map((shift) => String.fromCharCode((format >>> shift) & 0xff)).join("");
  return /^[ -~]{4}$/.test(characters) ? characters : `number ${format}`;
}
