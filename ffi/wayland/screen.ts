/** The screen of one connection: its layout and its pictures. */

import type { Frame, Picture, Region, Screen, ScreenLayout } from "../../control/desktop.ts";
import { type CapturedOutput, OutputCapture } from "./capture.ts";
import { drawOutput, intersection } from "./compose.ts";
import type { Connection } from "./connection.ts";
import { layoutOf } from "./displays.ts";
import type { PlacedOutput } from "./geometry.ts";
import type { Output, Outputs } from "./outputs.ts";
import type { Registry } from "./registry.ts";

/** A frame and how its memory is given back. */
interface Captured {
  frame: Frame;
  release(): void;
}

/** Pictures by screencopy. */
export class WaylandScreen implements Screen {
  readonly #capture: OutputCapture;
  /** Gives the last frame's memory back. */
  #releaseLast = () => {};

  constructor(connection: Connection, registry: Registry, readonly outputs: Outputs) {
    this.#capture = new OutputCapture(connection, registry);
  }

  layout(): ScreenLayout {
    return layoutOf(this.outputs.arrangement());
  }

  async capture(region: Region, cursor: boolean): Promise<Frame> {
    const { frame, release } = await this.#take(region, cursor);
    this.#releaseLast();
    this.#releaseLast = release;
    return frame;
  }

  async picture(region: Region, cursor: boolean): Promise<Picture> {
    const { frame, release } = await this.#take(region, cursor);
    return { width: frame.width, height: frame.height, parts: [frame], release: once(release) };
  }

  /** Captures like {@linkcode capture}, and blocks the calling thread meanwhile. */
  captureNow(region: Region, cursor: boolean): Frame {
    const placed = this.#outputsIn(region);
    const captured = this.#capture.takeNow(placed.map(({ output }) => output), cursor);
    const { frame, release } = this.#joined(placed, captured, region);
    this.#releaseLast();
    this.#releaseLast = release;
    return frame;
  }

  /** Frees the memory of pictures that are released. */
  close(): void {
    this.#releaseLast();
    this.#releaseLast = () => {};
    this.#capture.close();
  }

  #outputsIn(region: Region): PlacedOutput<Output>[] {
    return this.outputs.arrangement().outputs.filter((one) => intersection(one.region, region));
  }

  async #take(region: Region, cursor: boolean): Promise<Captured> {
    const placed = this.#outputsIn(region);
    const captured = await this.#capture.take(placed.map(({ output }) => output), cursor);
    return this.#joined(placed, captured, region);
  }

  /** The region of a picture of all outputs that it touches. */
  #joined(placed: PlacedOutput<Output>[], captured: CapturedOutput[], region: Region): Captured {
    const release = () => captured.forEach(({ buffer }) => this.#capture.buffers.release(buffer));
    const cut = placed.length === 1 ? cutOut(captured[0], placed[0], region) : undefined;
    if (cut) return { frame: cut, release };
    const target = new Uint32Array(region.width * region.height);
    captured.forEach(({ picture }, i) => drawOutput(picture, placed[i], region, target));
    release();
    const { width, height } = region;
    return {
      frame: { width, height, stride: 4 * width, pixels: new Uint8Array(target.buffer) },
      release() {},
    };
  }
}

/**
 * The region as a part of the memory that the compositor wrote.
 * @returns undefined if the region is not in one output alone, or its pixels are others.
 */
function cutOut(
  { picture }: CapturedOutput,
  { region: place, output: { transform } }: PlacedOutput<Output>,
  region: Region,
): Frame | undefined {
  const { width, height, stride, format, isInverted, bytes } = picture;
  const isInside = region.x >= place.x && region.y >= place.y &&
    region.x + region.width <= place.x + width && region.y + region.height <= place.y + height;
  const isSame = place.width === width && place.height === height && transform === 0;
  if (!isInside || !isSame || isInverted || format.convert) return undefined;
  const from = (region.y - place.y) * stride + 4 * (region.x - place.x);
  const to = from + (region.height - 1) * stride + 4 * region.width;
  return { width: region.width, height: region.height, stride, pixels: bytes.subarray(from, to) };
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
