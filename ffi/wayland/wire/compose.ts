/** Joins pictures of outputs to one of the desktop: turned upright, enlarged, and side by side. Pure. */

import { type Frame, intersection, type Region } from "../../../control/desktop.ts";
import type { PlacedOutput } from "./geometry.ts";
import type { PixelFormat } from "./pixel_formats.ts";

/** An output's picture as the compositor gives it. */
export interface OutputPicture {
  width: number;
  height: number;
  /** Bytes from one row to the next. */
  stride: number;
  format: PixelFormat;
  /** Tells whether the first row is the lowest one. */
  isInverted: boolean;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Draws the part of an output that is in a region.
 * @param picture The picture of the whole output.
 * @param region The region of the desktop.
 * @param target Rows of the region, `region.width` pixels each.
 * @param drawn The part of the region that is drawn; all of it if left out.
 */
export function drawOutput(
  picture: OutputPicture,
  placed: PlacedOutput,
  region: Region,
  target: Uint32Array<ArrayBuffer>,
  drawn = region,
): void {
  const part = intersection(placed.region, drawn);
  if (!part) return;
  const source = nativePixels(picture), { columns, rows } = offsets(picture, placed, part);
  for (let y = 0; y < part.height; y++) {
    const to = (part.y - region.y + y) * region.width + part.x - region.x, row = rows[y];
    for (let x = 0; x < part.width; x++) target[to + x] = source[row + columns[x]];
  }
}

/**
 * Draws a region of several outputs.
 * @param pictures The pictures of the whole outputs, one for each of `placed`.
 * @param region The region of the desktop.
 * @returns A frame in memory of its own; places outside of all outputs are black.
 */
export function joined(
  pictures: readonly OutputPicture[],
  placed: readonly PlacedOutput[],
  region: Region,
): Frame {
  const { width, height } = region, target = new Uint32Array(width * height);
  pictures.forEach((picture, i) => drawOutput(picture, placed[i], region, target));
  return { width, height, stride: 4 * width, pixels: new Uint8Array(target.buffer) };
}

/**
 * The region as a view of the compositor's memory, without a copy.
 * @param picture The picture of the whole output.
 * @param region The region of the desktop.
 * @returns undefined if the region is not within a single output, or the pixels need a conversion.
 */
export function cutOut(
  { width, height, stride, format, isInverted, bytes }: OutputPicture,
  { region: place, output: { transform } }: PlacedOutput,
  region: Region,
): Frame | undefined {
  const isInside = region.x >= place.x && region.y >= place.y &&
    region.x + region.width <= place.x + width && region.y + region.height <= place.y + height;
  const isSame = place.width === width && place.height === height && transform === 0;
  if (!isInside || !isSame || isInverted || format.convert) return undefined;
  const from = (region.y - place.y) * stride + 4 * (region.x - place.x);
  const to = from + (region.height - 1) * stride + 4 * region.width;
  return { width: region.width, height: region.height, stride, pixels: bytes.subarray(from, to) };
}

/** All pixels as `Frame` has them, without a gap between rows. */
function nativePixels({ width, height, stride, format, bytes }: OutputPicture): Uint32Array<ArrayBuffer> {
  if (!format.convert && stride === 4 * width) {
    return new Uint32Array(bytes.buffer, bytes.byteOffset, width * height);
  }
  const pixels = new Uint32Array(width * height), view = new DataView(bytes.buffer, bytes.byteOffset);
  const convert = format.convert ?? ((source, at, target, to, count) => {
    for (let i = 0; i < count; i++) target[to + i] = source.getUint32(at + 4 * i, true);
  });
  for (let y = 0; y < height; y++) convert(view, y * stride, pixels, y * width, width);
  return pixels;
}

/**
 * Computes the places of a part's pixels in the output's picture: the sum of its column's and its row's number. A turn
 * by a quarter makes rows of columns.
 */
function offsets(picture: OutputPicture, { region, output: { transform } }: PlacedOutput, part: Region) {
  const { width, height, isInverted } = picture, isTurned = transform % 2 === 1;
  const [across, down] = isTurned ? [height, width] : [width, height];
  // Of wl_output.transform: 1 and 3 are quarter turns, 2 is a half turn, and from 4 on the picture is flipped before.
  const turns = transform & 3, isFlipped = transform >= 4;
  const isXReversed = isFlipped ? turns === 0 || turns === 3 : turns === 1 || turns === 2;
  const isYReversed = turns === 2 || turns === 3;
  const index = (at: number, from: number, pixels: number, size: number, isReversed: boolean) => {
    const i = Math.floor((at - from + 0.5) * size / pixels);
    return isReversed ? size - 1 - i : i;
  };
  const line = (row: number) => (isInverted ? height - 1 - row : row) * width;
  const columns = Int32Array.from({ length: part.width }, (_, i) => {
    const at = index(part.x + i, region.x, region.width, across, isXReversed);
    return isTurned ? line(at) : at;
  });
  const rows = Int32Array.from({ length: part.height }, (_, i) => {
    const at = index(part.y + i, region.y, region.height, down, isYReversed);
    return isTurned ? at : line(at);
  });
  return { columns, rows };
}
