/**
 * A picture as a message, binary, all numbers little-endian. Its parts are drawn in this order:
 *
 * | bytes | what |
 * | --- | --- |
 * | 2 | 1 if content is copied, else 0 |
 * | 2 | number of runs of tiles |
 * | 2 | number of JPEG files |
 * | 2 | pointer: 1 its place follows, 2 its picture too, 0 neither |
 * | 4 | bytes of the tiles before they were deflated |
 * | 10 | if content is copied: x, y, width, height and dy, signed; it comes from `y + dy` |
 * | 8 each | runs: x, y, width and height; tiles of 64 pixels side by side, the last one perhaps narrower |
 * | 12 and more each | JPEG files: x, y, width, height, in 4 bytes its length, and the file (ITU T.81) |
 * | 4 | if the pointer's place follows: x and y of its picture's top left corner, signed |
 * | 4 and more | if its picture follows: width, height, and red, green, blue and alpha of each pixel, premultiplied |
 * | the rest | the tiles of all runs (see tile_writer.ts) as raw deflate (RFC 1951); nothing if there are none |
 *
 * A message depends only on the picture before it, so viewers that have seen the same picture get the same message.
 */

import { Deflater } from "../../core/deflate.ts";
import type { Point, Region } from "../desktop.ts";
import type { PointerImage } from "./screen.ts";
import type { ScrollCopy } from "./scroll.ts";

/** The parts of a message. */
export interface PictureParts {
  copy?: ScrollCopy;
  runs: readonly Region[];
  jpegs: readonly { region: Region; file: Uint8Array }[];
  /** Top left corner of the pointer's picture, and that picture if it is new. */
  pointer?: { at: Point; image?: PointerImage };
  /** The tiles of all runs. */
  tiles: Uint8Array<ArrayBuffer>;
}

const HEADER = 12;
/**
 * The most bytes of tiles that are compressed at level 2, a fifth smaller than at level 1. For more bytes, as of
 * photographs, level 2 would take twice as long.
 */
const LITTLE = 64 * 1024;
const deflater = new Deflater("deflateRawSync", 128 * 1024);

/** Writes a message, in memory of its own, which can be moved to another thread. */
export function encodePicture(parts: PictureParts): Uint8Array<ArrayBuffer> {
  const { tiles } = parts, level = tiles.length < LITTLE ? 2 : 1;
  return tiles.length ? deflater.run(tiles, level, (packed) => joined(parts, packed)) : joined(parts, tiles);
}

/** The message, with the tiles as they are compressed. */
function joined({ copy, runs, jpegs, pointer, tiles }: PictureParts, packed: Uint8Array) {
  const image = pointer?.image;
  const length = HEADER + (copy ? 10 : 0) + runs.length * 8 +
    jpegs.reduce((sum, { file }) => sum + 12 + file.length, 0) +
    (pointer ? 4 : 0) + (image ? 4 + image.rgba.length : 0) + packed.length;
  const to = new Writer(length);
  to.words(copy ? 1 : 0, runs.length, jpegs.length, image ? 2 : pointer ? 1 : 0);
  to.long(tiles.length);
  if (copy) to.words(copy.x, copy.y, copy.width, copy.height, copy.dy);
  for (const { x, y, width, height } of runs) to.words(x, y, width, height);
  for (const { region: { x, y, width, height }, file } of jpegs) {
    to.words(x, y, width, height);
    to.long(file.length);
    to.bytes(file);
  }
  if (pointer) to.words(pointer.at.x, pointer.at.y);
  if (image) {
    to.words(image.width, image.height);
    to.bytes(image.rgba);
  }
  to.bytes(packed);
  return to.message;
}

/** Writes numbers and bytes one after the other. */
class Writer {
  readonly message: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.message = new Uint8Array(length);
    this.#view = new DataView(this.message.buffer);
  }

  /** Numbers of 16 bits, signed or not. */
  words(...values: number[]): void {
    for (const value of values) {
      this.#view.setUint16(this.#at, value & 0xffff, true);
      this.#at += 2;
    }
  }

  long(value: number): void {
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  bytes(bytes: Uint8Array): void {
    this.message.set(bytes, this.#at);
    this.#at += bytes.length;
  }
}
