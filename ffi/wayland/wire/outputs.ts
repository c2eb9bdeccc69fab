/** A compositor's outputs: size, scale, transform and position (wl_output, xdg_output). */

import {
  contains,
  type Frame,
  intersection,
  isWithin,
  type Point,
  type Region,
  type ScreenLayout,
  united,
} from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Connection, Global, Handler, Registry } from "./connection.ts";
import type { PixelFormat } from "./frame_buffers.ts";
import { MODE_CURRENT, OUTPUT, XDG_OUTPUT, XDG_OUTPUT_MANAGER } from "./wire.ts";

// Converts between positions on the desktop and the compositor's positions. The compositor places outputs and
// the pointer in logical pixels; pictures have the output's own pixels. A pixel of the desktop is a pixel of
// the output with the largest scale, so that nothing of its picture is lost; pictures of other outputs are
// enlarged. Pure.

/** Scales are multiples of 1/120 (wp_fractional_scale_v1). */
const SCALE_STEPS = 120;
/** Positions in messages are multiples of 1/256 of a logical pixel (wl_fixed_t). */
const FIXED = 256;
/** Units of a motion's extent per logical pixel: finer than {@linkcode FIXED}, to which compositors round. */
const UNITS = 4 * FIXED;
/** Maximum truncation of the compositor's positions: to 1/256 of a logical pixel, up to twice. */
const CUT = 2 / 256;

/** An output as described by the compositor. */
export interface OutputState {
  name: string;
  /** The size of the output's picture as transmitted, before it is rotated. */
  mode: { width: number; height: number };
  /** wl_output.transform: quarter turns, plus 4 if the output is flipped. */
  transform: number;
  /** The output's region in logical pixels. */
  logical: Region;
}

/** An output and its position on the desktop. */
export interface PlacedOutput<O extends OutputState = OutputState> {
  output: O;
  /** Number of pixels in the output's picture per logical pixel. */
  scale: number;
  /** The output's region in pixels of the desktop. */
  region: Region;
}

/** The positions of all outputs. */
export interface Arrangement<O extends OutputState = OutputState> {
  /** Pixels of the desktop per logical pixel. */
  scale: number;
  /** The bounding box of all outputs, in pixels of the desktop. */
  region: Region;
  /** The desktop's region in logical pixels. */
  logical: Region;
  /** The outputs from left to right, since compositors list them in different orders. */
  outputs: PlacedOutput<O>[];
}

/** The size of an output's picture as seen by a person. */
export function turnedSize({ mode, transform }: OutputState): { width: number; height: number } {
  return transform % 2 ? { width: mode.height, height: mode.width } : mode;
}

/** Arranges one or more outputs on the desktop. */
export function arrange<O extends OutputState>(outputs: readonly O[]): Arrangement<O> {
  const scales = outputs.map(scaleOf), scale = Math.max(...scales);
  const placed = outputs.map((output, i): PlacedOutput<O> => {
    const { x, y, width, height } = output.logical;
    const size = scales[i] === scale
      ? turnedSize(output)
      : { width: Math.round(width * scale), height: Math.round(height * scale) };
    const place = { x: Math.round(x * scale), y: Math.round(y * scale) };
    return { output, scale: scales[i], region: { ...place, width: size.width, height: size.height } };
  });
  return {
    scale,
    region: placed.map(({ region }) => region).reduce(united),
    logical: outputs.map(({ logical }) => logical).reduce(united),
    outputs: placed.sort((a, b) => a.region.x - b.region.x || a.region.y - b.region.y),
  };
}

/**
 * A desktop position as an absolute motion of a virtual pointer. It is a unit further than necessary, since
 * compositors compute the position by a division, which may end just below it, and may truncate that.
 * @returns Whole numbers: the position, and the extents that represent the whole layout.
 */
export function motionTo(
  arrangement: Arrangement,
  point: Point,
): { x: number; y: number; width: number; height: number } {
  const { x, y } = toLogical(arrangement, point), { logical } = arrangement;
  return {
    x: Math.round((x - logical.x) * UNITS) + 1,
    y: Math.round((y - logical.y) * UNITS) + 1,
    width: logical.width * UNITS,
    height: logical.height * UNITS,
  };
}

/** The first logical position in a pixel, with fractions. */
export function toLogical({ outputs, scale }: Arrangement, point: Point): Point {
  const under = outputs.find(({ region }) => contains(region, point));
  if (!under) return { x: inMessage(point.x / scale), y: inMessage(point.y / scale) };
  const { region, output: { logical } } = under;
  return {
    x: inMessage(logical.x + (point.x - region.x) * logical.width / region.width),
    y: inMessage(logical.y + (point.y - region.y) * logical.height / region.height),
  };
}

/**
 * The first logical position from a pixel's corner on that a message can contain. The nearest one may be just
 * below, where programs on a desktop with fractional scaling see the previous pixel.
 */
export function inMessage(corner: number): number {
  return Math.ceil(corner * FIXED - 1e-6) / FIXED; // less the inexactness of the corner's computation
}

/**
 * The pixel of the desktop at a logical position.
 * @param point In logical pixels with fractions, from the output's corner.
 */
export function fromLogical({ output: { logical }, region }: PlacedOutput, point: Point): Point {
  const pixel = (at: number, size: number, pixels: number) =>
    Math.min(pixels - 1, Math.max(0, Math.floor((at + CUT) * pixels / size)));
  return {
    x: region.x + pixel(point.x, logical.width, region.width),
    y: region.y + pixel(point.y, logical.height, region.height),
  };
}

/**
 * Converts a logical region to pixels of the desktop.
 * @param scale Pixels of the desktop per logical pixel.
 * @example
 * scaledRegion({ x: 1, y: 0, width: 3, height: 2 }, 1.5); // { x: 2, y: 0, width: 4, height: 3 }
 */
export function scaledRegion({ x, y, width, height }: Region, scale: number): Region {
  const [left, top, right, bottom] = [x, y, x + width, y + height].map((value) => Math.round(value * scale));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/**
 * Converts the given sides of a region from desktop pixels to logical pixels, rounded.
 * @param scale Desktop pixels per logical pixel.
 */
export function logicalSides(region: Partial<Region>, scale: number): Partial<Region> {
  return Object.fromEntries(
    Object.entries(region).map(([side, pixels]) => [side, Math.round(pixels / scale)]),
  );
}

function scaleOf(output: OutputState): number {
  // The compositor rounds the logical size to whole pixels, so the quotient is not exact.
  return Math.round(turnedSize(output).width / output.logical.width * SCALE_STEPS) / SCALE_STEPS;
}

/**
 * An arrangement's displays, in its order. Wayland has no primary display: the display whose corner is
 * nearest to the layout's corner counts as primary.
 */
export function layoutOf({ region, outputs }: Arrangement): ScreenLayout {
  const distances = outputs.map(({ region: { x, y } }) => Math.hypot(x - region.x, y - region.y));
  const primary = distances.indexOf(Math.min(...distances));
  return {
    ...region,
    displays: outputs.map(({ output, region }, i) => ({
      name: output.name,
      primary: i === primary,
      ...region,
    })),
  };
}

/** An output and its object on this connection. */
export interface WaylandOutput extends OutputState {
  object: number;
}

/** An output whose properties are still arriving. */
interface Incoming extends WaylandOutput {
  /** Pixels per logical pixel, rounded up; only for compositors without xdg_output. */
  scale: number;
  xdg: number | undefined;
  /** Whether all properties have arrived. */
  isKnown: boolean;
}

/** A connection's outputs, as described by its events. */
export class Outputs {
  readonly #known = new Map<number, Incoming>();
  readonly #manager: number | undefined;
  #arrangement: Arrangement<WaylandOutput> | undefined;

  private constructor(readonly connection: Connection, readonly registry: Registry) {
    const manager = registry.all("zxdg_output_manager_v1")[0];
    this.#manager = manager && registry.bind(manager, 3);
    this.#update();
  }

  /** Learns a connection's outputs. @throws DesktopUnavailableError as {@linkcode arrangement}. */
  static async open(connection: Connection, registry: Registry): Promise<Outputs> {
    const outputs = new Outputs(connection, registry);
    await connection.handled();
    outputs.arrangement();
    return outputs;
  }

  /**
   * The outputs' current positions. An output that is new is part of them when its properties have arrived.
   * @throws DesktopUnavailableError if there are none, or the compositor is gone.
   */
  arrangement(): Arrangement<WaylandOutput> {
    this.connection.dispatch();
    if (this.#update()) this.connection.shortly(() => this.#all.every(({ isKnown }) => isKnown));
    if (this.#arrangement) return this.#arrangement;
    const outputs = this.#all.filter(({ isKnown, mode }) => isKnown && mode.width > 0).map(withLogicalRegion);
    if (!outputs.length) throw new DesktopUnavailableError("the compositor has no active display");
    return this.#arrangement = arrange(outputs);
  }

  get #all(): Incoming[] {
    return [...this.#known.values()];
  }

  /** Follows the registry. @returns Whether there are new outputs, whose properties follow. */
  #update(): boolean {
    const globals = this.registry.all("wl_output");
    const names = new Set(globals.map(({ name }) => name));
    for (const [name, output] of this.#known) {
      if (names.has(name)) continue;
      if (output.xdg !== undefined) this.connection.request(output.xdg, XDG_OUTPUT.destroy);
      this.#known.delete(name);
      this.#arrangement = undefined;
    }
    const added = globals.filter(({ name }) => !this.#known.has(name));
    for (const global of added) this.#known.set(global.name, this.#bind(global));
    return added.length > 0;
  }

  #bind(global: Global): Incoming {
    const output: Incoming = {
      object: 0,
      xdg: undefined,
      name: `display ${global.name}`,
      mode: { width: 0, height: 0 },
      transform: 0,
      scale: 1,
      logical: { x: 0, y: 0, width: 0, height: 0 },
      isKnown: false,
    };
    const changing = (handler: Handler): Handler => (opcode, args) => {
      handler(opcode, args);
      this.#arrangement = undefined;
    };
    output.object = this.registry.bind(global, 4, changing(outputHandler(output)));
    if (this.#manager !== undefined) {
      output.xdg = this.connection.newId(changing(xdgHandler(output)));
      this.connection.request(this.#manager, XDG_OUTPUT_MANAGER.getXdgOutput, output.xdg, output.object);
    }
    this.connection.onHandled(() => {
      output.isKnown = true;
      this.#arrangement = undefined;
    });
    return output;
  }
}

function outputHandler(output: Incoming): Handler {
  return (opcode, args) => {
    if (opcode === OUTPUT.geometry) {
      const x = args.int(), y = args.int();
      if (output.xdg === undefined) Object.assign(output.logical, { x, y });
      for (const _ of ["width in mm", "height in mm", "subpixels"]) args.int();
      for (const _ of ["make", "model"]) args.string();
      output.transform = args.int();
    } else if (opcode === OUTPUT.mode) {
      const flags = args.uint(), width = args.int(), height = args.int();
      if (flags & MODE_CURRENT) output.mode = { width, height };
    } else if (opcode === OUTPUT.scale) output.scale = args.int();
    else if (opcode === OUTPUT.name) output.name = args.string();
  };
}

function xdgHandler(output: Incoming): Handler {
  return (opcode, args) => {
    if (opcode === XDG_OUTPUT.logicalPosition) {
      Object.assign(output.logical, { x: args.int(), y: args.int() });
    } else if (opcode === XDG_OUTPUT.logicalSize) {
      Object.assign(output.logical, { width: args.int(), height: args.int() });
    } else if (opcode === XDG_OUTPUT.name) output.name = args.string();
  };
}

function withLogicalRegion(output: Incoming): WaylandOutput {
  if (output.logical.width > 0) return output;
  const { width, height } = turnedSize(output);
  const logical = { ...output.logical, width: width / output.scale, height: height / output.scale };
  return { ...output, logical };
}

// Composes pictures of outputs into one of the desktop: rotated upright, enlarged, and side by side. Pure.

/** An output's picture as provided by the compositor. */
export interface OutputPicture {
  width: number;
  height: number;
  /** Bytes from one row to the next. */
  stride: number;
  format: PixelFormat;
  /** Whether the first row is the lowest one. */
  isInverted: boolean;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Draws the part of an output that lies in a region.
 * @param picture The picture of the whole output.
 * @param region The region of the desktop.
 * @param target Rows of the region, `region.width` pixels each.
 * @param drawn The part of the region to draw; all of it if omitted.
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
 * Draws a region that covers several outputs.
 * @param pictures The pictures of the whole outputs, one for each of `placed`.
 * @param region The region of the desktop.
 * @returns A frame in its own memory; positions outside all outputs are black.
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
 * Returns the region as a view of the compositor's memory, without a copy.
 * @param picture The picture of the whole output.
 * @param region The region of the desktop.
 * @returns undefined if the region is not within a single output, or if the pixels need conversion.
 */
export function cutOut(
  { width, height, stride, format, isInverted, bytes }: OutputPicture,
  { region: place, output: { transform } }: PlacedOutput,
  region: Region,
): Frame | undefined {
  const isInside = isWithin(region, { x: place.x, y: place.y, width, height });
  const isSame = place.width === width && place.height === height && transform === 0;
  if (!isInside || !isSame || isInverted || format.convert) return undefined;
  const from = (region.y - place.y) * stride + 4 * (region.x - place.x);
  const to = from + (region.height - 1) * stride + 4 * region.width;
  return { width: region.width, height: region.height, stride, pixels: bytes.subarray(from, to) };
}

/** All pixels in the format of `Frame`, without gaps between rows. */
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
 * Computes the positions of a part's pixels in the output's picture: the sum of a number for its column and
 * one for its row. A quarter turn makes columns of rows.
 */
function offsets(picture: OutputPicture, { region, output: { transform } }: PlacedOutput, part: Region) {
  const { width, height, isInverted } = picture, isTurned = transform % 2 === 1;
  const [across, down] = isTurned ? [height, width] : [width, height];
  // In wl_output.transform, 1 and 3 are quarter turns, 2 is a half turn, and from 4 on the picture is first
  // flipped.
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
