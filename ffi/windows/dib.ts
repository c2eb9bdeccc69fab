/**
 * Pictures as the clipboard has them (CF_DIB): a BMP file without the BITMAPFILEHEADER at its beginning (wingdi.h). Pure.
 */

import type { Bytes } from "../../core/bytes.ts";

/** BITMAPFILEHEADER: its size, and offsets of bfSize and bfOffBits. */
const FILE_HEADER = { size: 14, fileSize: 2, start: 10 } as const;
/** Size of BITMAPCOREHEADER, with the offset of bcBitCount in it and the bytes of a palette's entry. */
const CORE = { size: 12, depth: 10, entry: 3 } as const;
/** BITMAPINFOHEADER and all later headers: the size, and offsets of biBitCount, biCompression and biClrUsed. */
const INFO = { size: 40, depth: 14, compression: 16, colors: 32, entry: 4 } as const;
/** biCompression with masks behind a BITMAPINFOHEADER, and how many bytes they take; later headers hold them. */
const MASK_BYTES: Record<number, number> = { 3: 12, 6: 16 };

/**
 * Makes a BMP file.
 * @returns undefined if the bytes are no DIB.
 */
export function bmpOfDib(dib: Bytes): Bytes | undefined {
  const view = new DataView(dib.buffer, dib.byteOffset, dib.length);
  const size = dib.length < INFO.size ? 0 : view.getUint32(0, true);
  if (size !== CORE.size && size < INFO.size) return undefined;
  const file = new Uint8Array(FILE_HEADER.size + dib.length), header = new DataView(file.buffer);
  file.set([0x42, 0x4d]); // bfType: "BM"
  header.setUint32(FILE_HEADER.fileSize, file.length, true);
  header.setUint32(FILE_HEADER.start, FILE_HEADER.size + size + extraBytes(view, size), true);
  file.set(dib, FILE_HEADER.size);
  return file;
}

/** The DIB in a BMP file. */
export function dibOfBmp(file: Bytes): Bytes {
  return file.subarray(FILE_HEADER.size);
}

/** Bytes of masks and palette between the header and the pixels. */
function extraBytes(view: DataView, size: number): number {
  if (size === CORE.size) return paletteSize(view.getUint16(CORE.depth, true), 0) * CORE.entry;
  const masks = size === INFO.size ? MASK_BYTES[view.getUint32(INFO.compression, true)] ?? 0 : 0;
  const colors = view.getUint32(INFO.colors, true);
  return masks + paletteSize(view.getUint16(INFO.depth, true), colors) * INFO.entry;
}

/** Entries of a palette: as many as a pixel can choose from, unless the header says how many. */
function paletteSize(depth: number, colors: number): number {
  return colors || (depth <= 8 ? 2 ** depth : 0);
}
