/** Compares the screen with a picture, once or until they are the same. */

import { NotFoundError, on } from "../../core/errors.ts";
import type { Region } from "../desktop/geometry.ts";
import type { WindowInfo } from "../desktop/windows.ts";
import type { Size } from "../image/bitmap.ts";
import { poll } from "../operator/wait.ts";
import type { Difference } from "./difference.ts";
import type { Finder } from "./find.ts";

/** A comparison of part of the screen with a picture. */
export interface CompareRequest {
  /** A PNG or BMP file. */
  png: Uint8Array<ArrayBuffer>;
  /** Locates the part of the screen, which may move between two looks, and the regions to ignore. */
  locate(): Promise<{ region: Partial<Region>; window?: WindowInfo; masks: Region[] }>;
  /** Colour distance from which pixels differ, from 0 to 1; {@linkcode THRESHOLD} if left out. */
  threshold?: number | undefined;
  /** Whether to count pixels that differ only in anti-aliasing. */
  countsEdges?: boolean | undefined;
  /** Maximum number of pixels that may differ; 0 if left out. */
  most?: number | undefined;
  /** Whether to return pictures of the screen and of the differences. */
  withPictures?: boolean | undefined;
  /** Milliseconds after which the last look counts; a single look if left out. */
  timeoutMs?: number | undefined;
  signal: AbortSignal;
  /** Called once the file has been read and is no longer in memory. */
  pictureRead?: () => void;
}

export interface Comparison extends Difference {
  same: boolean;
  /** Share of the larger picture's pixels that differ; rounded up to 4 digits. */
  share: number;
  /** The size of the picture. */
  expected: Size;
  /** How long the comparison took, in milliseconds. */
  ms: number;
}

/** pixelmatch's default threshold, below which people see no difference. */
const THRESHOLD = 0.1;
/** Polling interval, in milliseconds. */
const INTERVAL_MS = 50;

/**
 * Compares part of the screen with a picture.
 * @throws InputError if the picture cannot be read or is larger than the screen; the errors of `locate`;
 * BusyError if there are too many searches.
 */
export async function comparePicture(finder: Finder, request: CompareRequest): Promise<Comparison> {
  const { threshold = THRESHOLD, countsEdges = false, most = 0, withPictures = false, timeoutMs } = request;
  const picture = await readWhole(finder, request), start = performance.now();
  const { width, height } = picture;
  using wait = finder.wait(picture);
  const signal = AbortSignal.any([request.signal, wait.signal]);
  let last: Comparison;
  const look = async (withPictures: boolean) => {
    const { region, window, masks } = await request.locate();
    const options = { threshold, countsEdges, masks, withPictures };
    const found = await finder.compare(picture, region, options, signal, window);
    const whole = Math.max(width, found.size.width) * Math.max(height, found.size.height);
    const isSize = width === found.size.width && height === found.size.height;
    last = {
      ...found,
      same: isSize && found.pixels <= most,
      share: Math.ceil(found.pixels / whole * 10_000) / 10_000,
      expected: { width, height },
      ms: Math.round(performance.now() - start),
    };
    return last.same;
  };
  if (timeoutMs === undefined) await look(withPictures);
  else {
    // A missing window or element may still appear.
    const isSame = () => look(false).catch(on(NotFoundError, false));
    const isThere = await poll(isSame, INTERVAL_MS, timeoutMs, signal) !== undefined;
    if (withPictures || !isThere) await look(withPictures); // throws if nothing appeared
  }
  return last!;
}

async function readWhole(finder: Finder, { png, pictureRead }: CompareRequest) {
  using _place = finder.enter();
  const picture = await finder.read(png, {});
  pictureRead?.();
  return picture;
}
