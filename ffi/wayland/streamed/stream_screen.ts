/**
 * The screen of a desktop that gives a stream of each display: pictures are made by joining the streams' newest
 * frames.
 */

import { type Frame, intersection, type Region, type ScreenLayout } from "../../../control/desktop.ts";
import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import { drawOutput } from "../wire/compose.ts";
import { type Arrangement, layoutOf, type OutputState, type PlacedOutput } from "../wire/geometry.ts";
import { PIXEL_FORMATS } from "../wire/pixel_formats.ts";
import { WholeScreen } from "../wire/whole_screen.ts";
import { drawPointer } from "./pointer_image.ts";

/** An output; `isPrimary` tells whether it is the primary one, if the system has a primary output. */
export type StreamedOutput = OutputState & { isPrimary?: boolean };

/** wl_shm's XRGB8888, the format of the streams' pixels. */
const FORMAT = PIXEL_FORMATS.get(1)!;

/** Pictures of streams, into which the pointer is drawn. */
export class StreamScreen extends WholeScreen {
  /**
   * @param arrangement Gives the present places of the outputs.
   * @param reader Gives the reader of an output's stream.
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
    // Draws the pointer after all displays, since its picture may reach over a display's edge.
    if (cursor) inside.forEach((output, i) => drawPointer(readers[i], output.region, region, target));
    return { width, height, stride: 4 * width, pixels: new Uint8Array(target.buffer) };
  }
}

/**
 * Draws the part of an output that is in a region.
 * @param pixels The newest frame of its stream.
 * @param region The region of the desktop.
 * @param target The region's pixels, as `Frame` has them.
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
