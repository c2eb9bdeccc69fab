/** The Worker of the streams' live picture, which reads their shared memory and needs no connection. */

import { openJpegEncoder } from "../../jpeg.ts";
import { serveLive } from "../../live/worker.ts";
import { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import type { StreamsSource } from "./streamed_parts.ts";
import { type Region, united } from "../../../control/desktop/desktop.ts";
import type { JpegEncoder, LiveScreen, PointerImage, ScreenChange } from "../../../control/desktop/screen.ts";
import { drawStream, pointerImage } from "./stream_screen.ts";
import { type OutputReader, placeIn } from "./remote_pointer.ts";

/** Maximum sleep with several displays, in milliseconds: only a change of the latest stream ends it early. */
const OTHERS_MS = 50;
/** The picture of a hidden pointer: one transparent pixel. */
const HIDDEN: PointerImage = { width: 1, height: 1, hot: { x: 0, y: 0 }, rgba: new Uint8Array(4) };

/** Shows the frames that have arrived since the last look, and reports the pointer separately. */
export class StreamLiveScreen implements LiveScreen {
  readonly pixels: Uint8Array<ArrayBuffer>;
  pointer: LiveScreen["pointer"];
  /** Each stream's change count at the last look. */
  readonly #changes: number[] = [];
  readonly #frames: number[] = [];
  /** The most recently changed stream. */
  #latest = 0;

  /** @param place All outputs together, in pixels of the desktop. */
  constructor(
    readonly place: Region,
    readonly outputs: readonly OutputReader[],
    readonly jpeg?: JpegEncoder,
  ) {
    this.pixels = new Uint8Array(4 * place.width * place.height);
    this.update();
  }

  update(): ScreenChange {
    let box: Region | undefined, isChanged = false;
    this.outputs.forEach((one, i) => {
      const { changes, frames } = one.reader;
      if (changes === this.#changes[i]) return;
      this.#changes[i] = changes;
      this.#latest = i;
      isChanged = true;
      if (frames === this.#frames[i]) return; // only the pointer has changed
      this.#frames[i] = frames;
      box = united(box, this.#draw(one));
    });
    if (isChanged) this.#followPointer();
    return { box };
  }

  wait(ms: number): void {
    const { reader } = this.outputs[this.#latest];
    const most = this.outputs.length > 1 ? Math.min(ms, OTHERS_MS) : ms;
    reader.waitForChange(this.#changes[this.#latest], most);
  }

  close(): void {}

  /** @returns The region that was drawn, in pixels of the picture. */
  #draw({ output, reader }: OutputReader): Region {
    const target = new Uint32Array(this.pixels.buffer), { place } = this, { region } = output;
    reader.readFrame((pixels) => drawStream(pixels, reader, output, place, target));
    return { ...region, x: region.x - place.x, y: region.y - place.y };
  }

  #followPointer(): void {
    const one = this.outputs.find((output) => placeIn([output]) !== undefined), point = one && placeIn([one]);
    const at = point ? { x: point.x - this.place.x, y: point.y - this.place.y } : this.pointer?.at;
    if (!at) return; // the pointer has never been seen
    const image = (one && pointerImage(one.reader, one.output.region)) ?? HIDDEN,
      before = this.pointer?.image;
    this.pointer = { at, image: before && isSame(image, before) ? before : image };
  }
}

function isSame(a: PointerImage, b: PointerImage): boolean {
  return a.width === b.width && a.height === b.height && a.hot.x === b.hot.x && a.hot.y === b.hot.y &&
    a.rgba.every((byte, i) => byte === b.rgba[i]);
}

serveLive<StreamsSource>(({ source: { place, outputs } }) => {
  const readers = outputs.map(({ output, memory }) => ({ output, reader: new FrameReader(memory) }));
  return new StreamLiveScreen(place, readers, openJpegEncoder());
});
