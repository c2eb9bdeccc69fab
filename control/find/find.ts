/** Searches for a picture until the picture is there, or until it is gone. */

import { TimeLimitError } from "../../core/errors.ts";
import type { Point, Region } from "../desktop.ts";
import type { Bitmap, Size } from "../image/bitmap.ts";
import { poll } from "../wait.ts";
import type { Finder } from "./finder.ts";
import type { MatchPlace } from "./place.ts";
import { LEAST_MATCH, type SearchOptions } from "./options.ts";

/** A search for a picture. {@linkcode USUAL} has the values of fields that are left out. */
export interface FindRequest extends Partial<SearchOptions> {
  /** A PNG or BMP file. */
  png: Uint8Array<ArrayBuffer>;
  /** The searched region, as in `Operator.region`. */
  region: Partial<Region>;
  signal: AbortSignal;
  /** Called when the file has been read and is no longer in memory. */
  pictureRead?: () => void;
}

/** The default options of a search. */
const USUAL: SearchOptions = { tolerance: 0, match: 1, limit: 1, best: false };
/** The time between two looks, in milliseconds. */
const INTERVAL_MS = 50;

/** The place of a found picture. */
export interface PictureMatch extends Region {
  /** The pixel in the middle of the picture, for clicking. */
  center: Point;
  /** The share of pixels that agree, of all or of its details, whichever is smaller; rounded down to 4 digits. */
  match: number;
}

/** Places that were found. */
export interface FindResult {
  /** The best first. */
  matches: PictureMatch[];
  /** The nearest place, if the caller wants it and there is no match. */
  best?: PictureMatch;
}

/**
 * Looks for a picture once.
 * @throws InputError if the picture cannot be read, is larger than the region, or resembles the screen nearly
 * everywhere.
 */
export async function findPicture(finder: Finder, request: FindRequest): Promise<FindResult> {
  using _place = finder.enter();
  return await look(finder, await read(finder, request), request);
}

/**
 * Looks for a picture until it is found.
 * @param gone Looks until the picture is gone instead.
 * @param timeoutMs When to give up.
 * @returns The last result, and how long the wait took in milliseconds.
 * @throws TimeLimitError when the time is over, with the nearest place if the caller wants it; InputError as
 * {@linkcode findPicture} does; BusyError if so many pictures are waited for that this wait had to end.
 */
export async function waitForPicture(
  finder: Finder,
  request: FindRequest,
  gone: boolean,
  timeoutMs: number,
): Promise<FindResult & { ms: number }> {
  const picture = await readInPlace(finder, request);
  using wait = finder.wait(picture);
  const signal = AbortSignal.any([request.signal, wait.signal]);
  let found: FindResult = { matches: [] };
  const ms = await poll(
    async () => {
      found = await look(finder, picture, { ...request, signal, best: false });
      return (found.matches.length === 0) === gone;
    },
    INTERVAL_MS,
    timeoutMs,
    signal,
  );
  if (ms !== undefined) return { ...found, ms };
  if (gone) throw new TimeLimitError(`the picture did not go away within ${timeoutMs} ms`);
  const message = `the picture did not appear within ${timeoutMs} ms`;
  if (!request.best) throw new TimeLimitError(message);
  const { best, matches: [match] } = await look(finder, picture, request);
  throw new TimeLimitError(`${message}; ${describeBest(match ?? best)}`);
}

async function read(finder: Finder, { png, region, pictureRead }: FindRequest): Promise<Bitmap> {
  const picture = await finder.read(png, region);
  pictureRead?.();
  return picture;
}

async function readInPlace(finder: Finder, request: FindRequest): Promise<Bitmap> {
  using _place = finder.enter();
  return await read(finder, request);
}

function describeBest(best: PictureMatch | undefined): string {
  if (!best) return `nothing on the screen agrees with it by ${LEAST_MATCH}`;
  return `the nearest place is x ${best.x}, y ${best.y}, where the match is ${best.match}`;
}

async function look(finder: Finder, picture: Bitmap, request: FindRequest): Promise<FindResult> {
  const { region, signal, tolerance, match, limit, best } = request;
  const options = {
    tolerance: tolerance ?? USUAL.tolerance,
    match: match ?? USUAL.match,
    limit: limit ?? USUAL.limit,
    best: best ?? USUAL.best,
  };
  const result = await finder.search(picture, region, options, signal);
  return {
    matches: result.places.map((place) => matchAt(place, picture)),
    ...(result.best ? { best: matchAt(result.best, picture) } : {}),
  };
}

function matchAt({ x, y, loss }: MatchPlace, { width, height }: Size): PictureMatch {
  const center = { x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) };
  return { x, y, width, height, center, match: Math.floor((1 - loss) * 10_000) / 10_000 };
}
