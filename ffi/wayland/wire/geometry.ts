/**
 * Converts between places on the desktop and places as the compositor counts them. The compositor places outputs and
 * the pointer in logical pixels; pictures have the output's own. A pixel of the desktop is a pixel of the output with
 * the largest scale, so that nothing of its picture is lost; pictures of others are enlarged. Pure.
 */

import { contains, type Point, type Region, type ScreenLayout, united } from "../../../control/desktop.ts";

/** Scales are whole 120ths (wp_fractional_scale_v1). */
const SCALE_STEPS = 120;
/** The units of a motion's extent for each logical pixel: a place between whole pixels is a fraction of a pixel. */
const UNITS = 1000;
/** Places that the compositor gives are cut to 1/256 of a logical pixel, twice at most. */
const CUT = 2 / 256;

/** An output as the compositor describes it. */
export interface OutputState {
  name: string;
  /** The size of the output's picture as it is transmitted, before it is turned. */
  mode: { width: number; height: number };
  /** wl_output.transform: quarter turns, and 4 more if the output is flipped. */
  transform: number;
  /** The output's region in logical pixels. */
  logical: Region;
}

/** An output and its place on the desktop. */
export interface PlacedOutput<O extends OutputState = OutputState> {
  output: O;
  /** The number of pixels of the output's picture for each logical pixel. */
  scale: number;
  /** The output's region in pixels of the desktop. */
  region: Region;
}

/** The places of all outputs. */
export interface Arrangement<O extends OutputState = OutputState> {
  /** Pixels of the desktop a logical pixel. */
  scale: number;
  /** All outputs together, in pixels of the desktop. */
  region: Region;
  /** The desktop's region in logical pixels. */
  logical: Region;
  /** The outputs from left to right: compositors name them in different orders. */
  outputs: PlacedOutput<O>[];
}

/** The size of an output's picture as a person sees it. */
export function turnedSize({ mode, transform }: OutputState): { width: number; height: number } {
  return transform % 2 ? { width: mode.height, height: mode.width } : mode;
}

/** Arranges outputs, at least one, on the desktop. */
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
 * A place on the desktop as an absolute motion of a virtual pointer has it.
 * @returns Whole numbers: the place, and the extents that stand for the whole layout.
 */
export function motionTo(
  arrangement: Arrangement,
  point: Point,
): { x: number; y: number; width: number; height: number } {
  const { x, y } = toLogical(arrangement, point), { logical } = arrangement;
  return {
    x: Math.round((x - logical.x) * UNITS),
    y: Math.round((y - logical.y) * UNITS),
    width: logical.width * UNITS,
    height: logical.height * UNITS,
  };
}

/** The logical place of a pixel's corner, with fractions. */
export function toLogical({ outputs, scale }: Arrangement, point: Point): Point {
  const under = outputs.find(({ region }) => contains(region, point));
  if (!under) return { x: point.x / scale, y: point.y / scale };
  const { region, output: { logical } } = under;
  return {
    x: logical.x + (point.x - region.x) * logical.width / region.width,
    y: logical.y + (point.y - region.y) * logical.height / region.height,
  };
}

/**
 * The pixel of the desktop at a logical place.
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
 * A logical region in pixels of the desktop.
 * @param scale Pixels of the desktop a logical pixel.
 * @example
 * scaledRegion({ x: 1, y: 0, width: 3, height: 2 }, 1.5); // { x: 2, y: 0, width: 4, height: 3 }
 */
export function scaledRegion({ x, y, width, height }: Region, scale: number): Region {
  const [left, top, right, bottom] = [x, y, x + width, y + height].map((value) => Math.round(value * scale));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function scaleOf(output: OutputState): number {
  // The compositor rounds the logical size to whole pixels, so the quotient is not exact.
  return Math.round(turnedSize(output).width / output.logical.width * SCALE_STEPS) / SCALE_STEPS;
}

/**
 * The displays of an arrangement, in its order. Wayland has no primary display: the display whose corner is nearest
 * to the layout's corner counts as primary.
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
