/** Draws the pointer's picture, which streams give separately from their frames, into a picture of the desktop. */

import { intersection, type Region } from "../../../control/desktop.ts";
import type { PointerImage } from "../../../control/live/screen.ts";
import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";

/**
 * Draws the pointer if it is on an output.
 * @param place The output's place in pixels of the desktop; larger than the stream's frames if another output has a
 * larger scale.
 * @param region The region of the desktop.
 * @param target The region's pixels, as `Frame` has them.
 */
export function drawPointer(
  reader: Pick<FrameReader, "memory" | "pointer">,
  place: Region,
  region: Region,
  target: Uint32Array<ArrayBuffer>,
): void {
  const pointer = reader.pointer();
  if (!pointer?.width || !pointer.height) return;
  const factor = place.width / reader.memory.width;
  const image = {
    x: place.x + Math.round((pointer.x - pointer.hotX) * factor),
    y: place.y + Math.round((pointer.y - pointer.hotY) * factor),
    width: Math.round(pointer.width * factor),
    height: Math.round(pointer.height * factor),
  };
  const part = intersection(image, region);
  if (!part) return;
  for (let y = part.y; y < part.y + part.height; y++) {
    const row = Math.min(pointer.height - 1, Math.floor((y - image.y) / factor));
    for (let x = part.x; x < part.x + part.width; x++) {
      const column = Math.min(pointer.width - 1, Math.floor((x - image.x) / factor));
      const at = (y - region.y) * region.width + x - region.x;
      target[at] = over(target[at], pointer.rgba, 4 * (row * pointer.width + column));
    }
  }
}

/**
 * The pointer's picture in pixels of the desktop.
 * @param place The output's, as for {@linkcode drawPointer}.
 * @returns undefined while it is hidden, or on another output.
 */
export function pointerImage(
  reader: Pick<FrameReader, "memory" | "pointer">,
  place: Region,
): PointerImage | undefined {
  const pointer = reader.pointer();
  if (!pointer?.width || !pointer.height) return undefined;
  const factor = place.width / reader.memory.width;
  const width = Math.round(pointer.width * factor), height = Math.round(pointer.height * factor);
  const from = new Uint32Array(pointer.rgba.buffer), to = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    const row = Math.min(pointer.height - 1, Math.floor(y / factor)) * pointer.width;
    for (let x = 0; x < width; x++) {
      to[y * width + x] = from[row + Math.min(pointer.width - 1, Math.floor(x / factor))];
    }
  }
  const hot = { x: Math.round(pointer.hotX * factor), y: Math.round(pointer.hotY * factor) };
  return { width, height, hot, rgba: new Uint8Array(to.buffer) };
}

/** Blends a pixel of the screen with a pixel of the pointer, whose colors are multiplied by alpha already. */
function over(below: number, rgba: Uint8Array, at: number): number {
  const rest = 255 - rgba[at + 3];
  const mix = (shift: number, color: number) =>
    Math.min(255, color + Math.round(((below >>> shift) & 0xff) * rest / 255)) << shift;
  return (mix(16, rgba[at]) | mix(8, rgba[at + 1]) | mix(0, rgba[at + 2]) | 0xff000000) >>> 0;
}
