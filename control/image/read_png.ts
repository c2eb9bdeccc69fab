/**
 * Reads PNG files (W3C "Portable Network Graphics", third edition): every colour type and depth, interlaced or not,
 * with transparency. Samples of 16 bits lose their lower 8; colour profiles and gamma are ignored, as screens do.
 */

import type { Bytes } from "../../core/bytes.ts";
import { InputError } from "../../core/errors.ts";
import { nodeModule } from "../../core/path.ts";
import type { Bitmap } from "./bitmap.ts";
import { type PngHeader, type PngPalette, pngPixels, rawLength } from "./png_pixels.ts";
import { PNG_SIGNATURE } from "./signatures.ts";

/** Bytes of a chunk beside its data: length, type, checksum. */
const CHUNK_FRAME = 12;
/** Depths that each colour type may have (table 12). */
const DEPTHS: Record<number, number[]> = {
  0: [1, 2, 4, 8, 16], // grey
  2: [8, 16], // red, green, blue
  3: [1, 2, 4, 8], // palette
  4: [8, 16], // grey, alpha
  6: [8, 16], // red, green, blue, alpha
};

/** A part of a file. */
interface Chunk {
  type: string;
  data: Bytes;
}

/**
 * Reads the header.
 * @param file Begins with the signature of PNG.
 * @throws InputError if it is damaged, or of a kind that does not exist.
 */
export function pngHeader(file: Bytes): PngHeader {
  const { value: first } = chunks(file).next();
  if (first?.type !== "IHDR" || first.data.length !== 13) throw damaged("its header is missing");
  const view = new DataView(first.data.buffer, first.data.byteOffset, 13);
  const width = view.getUint32(0), height = view.getUint32(4);
  const [depth, colorType, compression, filter, interlace] = first.data.subarray(8);
  if (!width || !height) throw damaged("it has no pixels");
  if (!DEPTHS[colorType]?.includes(depth)) throw damaged("it has colours of an unknown kind");
  if (compression || filter || interlace > 1) throw damaged("it is made in an unknown way");
  return { width, height, depth, colorType, interlaced: interlace === 1 };
}

/**
 * Reads a file. The caller has checked that the size in the header fits into memory, which also limits the inflated
 * bytes.
 * @throws InputError if it is damaged.
 */
export function readPng(file: Bytes): Bitmap {
  const header = pngHeader(file);
  const data: Bytes[] = [];
  const palette: PngPalette = {};
  for (const { type, data: content } of chunks(file)) {
    if (type === "IDAT") data.push(content);
    else if (type === "PLTE") palette.colors = content;
    else if (type === "tRNS") palette.transparency = content;
    else if (type === "IEND") break;
  }
  if (header.colorType === 3 && !palette.colors) throw damaged("its palette is missing");
  return pngPixels(header, inflated(data, rawLength(header)), palette);
}

/** The chunks in their order, up to the end of the file. */
function* chunks(file: Bytes): Generator<Chunk, void> {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const { crc32 } = nodeModule("node:zlib");
  for (let at = PNG_SIGNATURE.length; at + CHUNK_FRAME <= file.length;) {
    const length = view.getUint32(at), end = at + CHUNK_FRAME + length;
    if (end > file.length) throw damaged("it ends early");
    const typed = file.subarray(at + 4, end - 4);
    if (crc32(typed) !== view.getUint32(end - 4)) throw damaged("a checksum is wrong");
    yield { type: String.fromCharCode(...typed.subarray(0, 4)), data: typed.subarray(4) };
    at = end;
  }
}

/**
 * @param length Bytes that the header promises. No more bytes are made, since a small file could otherwise fill the
 * memory.
 */
function inflated(parts: Bytes[], length: number): Uint8Array {
  const { Buffer } = nodeModule("node:buffer"), { inflateSync } = nodeModule("node:zlib");
  let raw: Uint8Array;
  try {
    raw = inflateSync(Buffer.concat(parts), { maxOutputLength: length });
  } catch (error) {
    const more = (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    throw damaged(more ? "it holds more pixels than its header says" : "its pixels cannot be inflated");
  }
  if (raw.length < length) throw damaged("it ends early");
  return raw;
}

function damaged(how: string): InputError {
  return new InputError(`the PNG cannot be read: ${how}`);
}
