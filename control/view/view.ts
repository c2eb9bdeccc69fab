/**
 * An agent's view of a screen: one display, shrunk to a size that models read without shrinking it again. The
 * view is a pure function of the screen and a setting, so a place means the same in every call.
 */

import { InputError, UsageError } from "../../core/errors.ts";
import type { Display, Point, Region, ScreenLayout } from "../desktop/desktop.ts";
import type { Size } from "../image/bitmap.ts";

/**
 * Size of the view: by the models' limits, the screen's size, or at most this many pixels on the long edge.
 */
export type ViewSetting = keyof typeof LIMITS | "full" | number;

/** Side of a tile, in pixels: services count a picture's tokens in tiles. */
const TILE = 28;
/**
 * Limits above which the models' services shrink or reject a picture, by setting: pixels of the long edge,
 * and tiles (https://platform.claude.com/docs/en/build-with-claude/vision). `auto` suits every model; `large`
 * suits Opus 4.7 and later and all models with the toolset of 2026-08-01, which accept 2576 pixels, but only
 * 2000 if a request has more than 20 pictures.
 */
const LIMITS = {
  auto: { longEdge: 1568, tiles: 1568 },
  large: { longEdge: 2000, tiles: 4784 },
};
/** Minimum and maximum of `--view` and `max_edge`. */
export const EDGE = { least: 16, most: 32_768 };

/** A view and the region that it shows. */
export interface View extends Size {
  /** The part of the desktop that the view shows. */
  readonly area: Region;
}

/**
 * Parses a setting.
 * @param text As given to `--view`.
 * @throws UsageError for any other text.
 * @example
 * viewSetting("1280"); // 1280
 */
export function viewSetting(text: string): ViewSetting {
  if (text === "auto" || text === "large" || text === "full") return text;
  const edge = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (edge >= EDGE.least && edge <= EDGE.most) return edge;
  throw new UsageError(
    `--view takes auto, large, full or the long edge in pixels from ${EDGE.least} to ${EDGE.most}, not ${
      JSON.stringify(text)
    }`,
  );
}

/**
 * The size of a screen's view. It has the screen's aspect ratio and is never larger.
 * @example
 * fit({ width: 1920, height: 1080 }, "auto"); // { width: 1456, height: 819 }
 * fit({ width: 1920, height: 1080 }, "large"); // { width: 1920, height: 1080 }
 */
export function fit(screen: Size, setting: ViewSetting): Size {
  if (setting === "full") return { width: screen.width, height: screen.height };
  if (typeof setting === "number") return withLongEdge(screen, setting);
  const { longEdge, tiles: most } = LIMITS[setting], tiles = (length: number) => Math.ceil(length / TILE);
  for (let edge = longEdge;; edge--) {
    const size = withLongEdge(screen, edge);
    if (tiles(size.width) * tiles(size.height) <= most) return size;
  }
}

/** The size with at most `edge` pixels on the long edge. */
function withLongEdge({ width, height }: Size, edge: number): Size {
  const ratio = Math.min(1, edge / Math.max(width, height));
  const scaled = (length: number) => Math.max(1, Math.round(length * ratio));
  return { width: scaled(width), height: scaled(height) };
}

/**
 * A desktop's view. It shows one display, since a model cannot read several side by side.
 * @param display The display's name; the primary display if left out.
 * @throws InputError if there is no such display.
 */
export function viewOf(layout: ScreenLayout, setting: ViewSetting, display?: string): View {
  const { x, y, width, height } = shownDisplay(layout, display) ?? layout;
  const area = { x, y, width, height };
  return { ...fit(area, setting), area };
}

function shownDisplay({ displays }: ScreenLayout, name: string | undefined): Display | undefined {
  if (name === undefined) return displays.find(({ primary }) => primary);
  const display = displays.find((display) => display.name === name);
  if (display) return display;
  const names = displays.map(({ name }) => name).join(", ");
  throw new InputError(`there is no display named ${JSON.stringify(name)}; available: ${names}`);
}

/**
 * The desktop place that a place in the view stands for: the pixel in the middle of those that the view's
 * pixel shows.
 * @param prefix The text before the coordinate's name in messages (`path[0].`).
 * @throws InputError naming the range if the place is outside the view.
 * @example
 * const view = { width: 640, height: 360, area: { x: 1280, y: 0, width: 1280, height: 720 } };
 * desktopPlace(view, { x: 0, y: 100 }); // { x: 1281, y: 201 }
 */
export function desktopPlace(view: View, { x, y }: Point, prefix = ""): Point {
  checkInside(`${prefix}x`, x, view.width, view);
  checkInside(`${prefix}y`, y, view.height, view);
  return {
    x: view.area.x + Math.floor((x + 0.5) * view.area.width / view.width),
    y: view.area.y + Math.floor((y + 0.5) * view.area.height / view.height),
  };
}

/**
 * The place in the view that shows a desktop place; outside the view's range if the view does not show it.
 * @example
 * viewPlace({ width: 640, height: 360, area: { x: 0, y: 0, width: 1280, height: 720 } }, { x: 101, y: 200 }); // { x: 50, y: 100 }
 */
export function viewPlace({ width, height, area }: View, { x, y }: Point): Point {
  return {
    x: Math.floor((x - area.x + 0.5) * width / area.width),
    y: Math.floor((y - area.y + 0.5) * height / area.height),
  };
}

/**
 * The part of the desktop that a part of the view shows.
 * @param prefix As in {@linkcode desktopPlace}.
 * @throws InputError naming the range if it extends beyond the view.
 * @example
 * const view = { width: 640, height: 360, area: { x: 0, y: 0, width: 1280, height: 720 } };
 * desktopRegion(view, { x: 1, y: 2, width: 3, height: 4 }); // { x: 2, y: 4, width: 6, height: 8 }
 */
export function desktopRegion(view: View, { x, y, width, height }: Region, prefix = ""): Region {
  checkInside(`${prefix}x`, x, view.width, view);
  checkInside(`${prefix}y`, y, view.height, view);
  checkLength(`${prefix}width`, width, view.width - x, view);
  checkLength(`${prefix}height`, height, view.height - y, view);
  const { area } = view;
  const left = Math.floor(x * area.width / view.width), top = Math.floor(y * area.height / view.height);
  const right = Math.ceil((x + width) * area.width / view.width);
  const bottom = Math.ceil((y + height) * area.height / view.height);
  return { x: area.x + left, y: area.y + top, width: right - left, height: bottom - top };
}

function checkInside(name: string, value: number, length: number, view: Size): void {
  checkRange(name, value, 0, length - 1, view);
}

function checkLength(name: string, value: number, most: number, view: Size): void {
  checkRange(name, value, 1, most, view);
}

function checkRange(name: string, value: number, least: number, most: number, view: Size): void {
  if (value >= least && value <= most) return;
  const size = `${view.width}x${view.height}`;
  throw new InputError(`${name} must be from ${least} to ${most} (the picture is ${size}), not ${value}`);
}
