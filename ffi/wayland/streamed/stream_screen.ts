/** The screen of a desktop with a stream per display: pictures are composed from the newest frames. */

import {
  type Frame,
  intersection,
  type Region,
  type ScreenLayout,
} from "../../../control/desktop/desktop.ts";
import { blended, type PointerImage } from "../../../control/desktop/screen.ts";
import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import { PIXEL_FORMATS } from "../wire/frame_buffers.ts";
import {
  type Arrangement,
  drawOutput,
  layoutOf,
  type OutputState,
  type PlacedOutput,
} from "../wire/outputs.ts";
import { WholeScreen } from "../wire/whole_screen.ts";

// Draws the pointer's picture, which streams deliver separately from their frames, into a picture of the
// desktop.

/**
 * Draws the pointer if it is on an output.
 * @param place The output's region in pixels of the desktop; larger than the stream's frames if another
 * output has a larger scale.
 * @param region The region of the desktop.
 * @param target The region's pixels, in the format of `Frame`.
 */
function drawPointer(
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
      target[at] = 0xff000000 | blended(target[at], pointer.rgba, 4 * (row * pointer.width + column));
    }
  }
}

/**
 * The pointer's picture in pixels of the desktop.
 * @param place The output's region, as for {@linkcode drawPointer}.
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

/** An output; `isPrimary` is set if the system has a primary output. */
export type StreamedOutput = OutputState & { isPrimary?: boolean };

/** wl_shm's XRGB8888, the streams' pixel format. */
const FORMAT = PIXEL_FORMATS.get(1)!;

/** Pictures of streams, with the pointer drawn in. */
export class StreamScreen extends WholeScreen {
  /**
   * @param arrangement Returns the outputs' current positions.
   * @param reader Returns the reader of an output's stream.
   */
  constructor(
    readonly arrangement: () => Arrangement<StreamedOutput>,
    readonly reader: (output: PlacedOutput<StreamedOutput>) => Promise<FrameReader>,
  ) {
    super();
  }

  layout(): ScreenLayout {
    const arrangement = this.arrangement(), layout = layoutOf(arrangement);
    const primary = arrangement.outputs.findIndex(({ output }) => output.isPrimary);
    if (primary >= 0) layout.displays.forEach((display, i) => display.primary = i === primary);
    return layout;
  }

  protected async take(region: Region, cursor: boolean): Promise<Frame> {
    const { outputs } = this.arrangement(),
      inside = outputs.filter((one) => intersection(one.region, region));
    const readers = await Promise.all(inside.map((output) => this.reader(output)));
    const { width, height } = region, target = new Uint32Array(width * height);
    inside.forEach((output, i) =>
      readers[i].readFrame((pixels) => drawStream(pixels, readers[i], output, region, target))
    );
    // Draws the pointer after all displays, since its picture may extend beyond a display's edge.
    if (cursor) inside.forEach((output, i) => drawPointer(readers[i], output.region, region, target));
    return { width, height, stride: 4 * width, pixels: new Uint8Array(target.buffer) };
  }
}

/**
 * Draws the part of an output that lies in a region.
 * @param pixels The newest frame of its stream.
 * @param region The region of the desktop.
 * @param target The region's pixels, in the format of `Frame`.
 */
export function drawStream(
  pixels: Uint8Array<SharedArrayBuffer>,
  { memory: { width, height } }: FrameReader,
  output: PlacedOutput,
  region: Region,
  target: Uint32Array<ArrayBuffer>,
): void {
  const place = output.region, part = intersection(place, region)!;
  if (place.width !== width || place.height !== height) {
    const bytes = pixels as Uint8Array as Uint8Array<ArrayBuffer>;
    return drawOutput(
      { width, height, stride: 4 * width, format: FORMAT, isInverted: false, bytes },
      output,
      region,
      target,
    );
  }
  const source = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height);
  for (let y = part.y; y < part.y + part.height; y++) {
    const from = (y - place.y) * width + part.x - place.x;
    target.set(source.subarray(from, from + part.width), (y - region.y) * region.width + part.x - region.x);
  }
}
