/** Searches for a picture until it appears or disappears. */

import { CallWorker } from "../../core/worker.ts";
import { Capacity } from "../../core/coalesced_read.ts";
import { BusyError, TimeLimitError } from "../../core/errors.ts";
import { Mutex } from "../../core/mutex.ts";
import { middleOf, type Point, type Region } from "../desktop/geometry.ts";
import type { WindowInfo } from "../desktop/windows.ts";
import { type Bitmap, checkFits, FrameMemory, type SharedFrame, type Size } from "../image/bitmap.ts";
import type { Operator } from "../operator/operator.ts";
import { poll } from "../operator/wait.ts";
import type { Difference, DifferenceOptions } from "./difference.ts";
import type { MatchPlace } from "./pattern.ts";

/** A search for a picture. {@linkcode USUAL} has the default values. */
export interface FindRequest extends Partial<SearchOptions> {
  /** A PNG or BMP file. */
  png: Uint8Array<ArrayBuffer>;
  /** The searched region, as in `Operator.region`. */
  region: Partial<Region>;
  /**
   * Locates the region to search before each look, instead of a fixed region: a window may move, and others
   * may cover it.
   */
  locate?(): Promise<{ region: Partial<Region>; window?: WindowInfo }>;
  signal: AbortSignal;
  /** Called once the file has been read and is no longer in memory. */
  pictureRead?: () => void;
}

/** Default options of a search. */
const USUAL: SearchOptions = { tolerance: 0, match: 1, limit: 1, grayscale: false, best: false };
/** Polling interval, in milliseconds. */
const INTERVAL_MS = 50;

/** The place of a picture that was found. */
export interface PictureMatch extends Region {
  /** The pixel in the middle of the picture, for clicking. */
  center: Point;
  /** Share of matching pixels, of all or of the details, whichever is smaller; rounded down to 4 digits. */
  match: number;
}

/** Places that were found. */
interface FindResult {
  /** Best first. */
  matches: PictureMatch[];
  /** The nearest place, if the caller requested it and nothing matches. */
  best?: PictureMatch;
}

/**
 * Searches for a picture once.
 * @param picture The picture, as {@linkcode readPicture} returns it; read from the request if left out.
 * @throws InputError if the picture cannot be read, is larger than the region, or looks like the screen
 * almost everywhere.
 */
export async function findPicture(
  finder: Finder,
  request: FindRequest,
  picture?: Bitmap,
): Promise<FindResult> {
  using _place = finder.enter();
  return await look(finder, picture ?? await read(finder, request), request);
}

/**
 * Searches for a picture until it appears.
 * @param gone Waits until the picture disappears instead.
 * @param timeoutMs Maximum wait, in milliseconds.
 * @param given The picture, as {@linkcode readPicture} returns it; read from the request if left out.
 * @returns The last result, and how long the wait took, in milliseconds.
 * @throws TimeLimitError on timeout, with the nearest place if the caller requested it; InputError like
 * {@linkcode findPicture}; BusyError if this wait had to end in favour of newer ones.
 */
export async function waitForPicture(
  finder: Finder,
  request: FindRequest,
  gone: boolean,
  timeoutMs: number,
  given?: Bitmap,
): Promise<FindResult & { ms: number }> {
  const picture = given ?? await readPicture(finder, request);
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

const placeOf = async ({ region, locate }: FindRequest) => await locate?.() ?? { region };

async function read(finder: Finder, request: FindRequest): Promise<Bitmap> {
  const { png, pictureRead } = request, { region } = await placeOf(request);
  const picture = await finder.read(png, region);
  pictureRead?.();
  return picture;
}

/**
 * Reads a request's file, to search for its picture several times; the file is consumed.
 * @throws InputError if it cannot be read or is larger than the region.
 */
export async function readPicture(finder: Finder, request: FindRequest): Promise<Bitmap> {
  using _place = finder.enter();
  return await read(finder, request);
}

function describeBest(best: PictureMatch | undefined): string {
  if (!best) return `nothing on the screen matches it by at least ${LEAST_MATCH}`;
  return `the nearest place is x ${best.x}, y ${best.y}, where the match is ${best.match}`;
}

async function look(finder: Finder, picture: Bitmap, request: FindRequest): Promise<FindResult> {
  const { signal, tolerance, match, limit, grayscale, best } = request;
  const { region, window } = await placeOf(request);
  const options = {
    tolerance: tolerance ?? USUAL.tolerance,
    match: match ?? USUAL.match,
    limit: limit ?? USUAL.limit,
    grayscale: grayscale ?? USUAL.grayscale,
    best: best ?? USUAL.best,
  };
  const result = await finder.search(picture, region, options, signal, window);
  return {
    matches: result.places.map((place) => matchAt(place, picture)),
    ...(result.best ? { best: matchAt(result.best, picture) } : {}),
  };
}

function matchAt({ x, y, loss }: MatchPlace, { width, height }: Size): PictureMatch {
  const place = { x, y, width, height };
  return { ...place, center: middleOf(place), match: Math.floor((1 - loss) * 10_000) / 10_000 };
}

// Limits the waits for pictures, since each picture stays in memory until it appears.

/** Maximum number of simultaneous waits for pictures. */
const COUNT_LIMIT = 32;
/** Maximum number of bytes of all awaited pictures' pixels. */
const BYTES_LIMIT = 128 * 1024 * 1024;

interface PictureWait extends Disposable {
  /** Aborted with a BusyError if the wait ends in favour of newer ones. */
  signal: AbortSignal;
}

/**
 * The pictures that callers wait for. If there are too many, the oldest wait ends: its client has probably
 * left, which an HTTP server does not always notice.
 */
export class PictureWaits {
  readonly #waits = new Set<{ bytes: number; end: AbortController }>();
  #bytes = 0;

  constructor(readonly countLimit = COUNT_LIMIT, readonly bytesLimit = BYTES_LIMIT) {}

  /**
   * Starts a wait. A single wait may be for a picture of any size.
   * @param bytes Number of bytes of the picture's pixels.
   * @returns The wait; disposing it ends it.
   */
  enter(bytes: number): PictureWait {
    const wait = { bytes, end: new AbortController() };
    while (
      this.#waits.size && (this.#waits.size >= this.countLimit || this.#bytes + bytes > this.bytesLimit)
    ) {
      const [oldest] = this.#waits;
      this.#leave(oldest);
      oldest.end.abort(new BusyError("too many waits for pictures are running; this one was ended"));
    }
    this.#waits.add(wait);
    this.#bytes += bytes;
    return { signal: wait.end.signal, [Symbol.dispose]: () => this.#leave(wait) };
  }

  #leave(wait: { bytes: number; end: AbortController }): void {
    if (this.#waits.delete(wait)) this.#bytes -= wait.bytes;
  }
}

// Finds pictures on a desktop's screen.

/** A message to the Worker: a file to read, or a picture to find. */
export type FindCall =
  | { type: "read"; file: Uint8Array<ArrayBuffer>; within: Size }
  | { type: "search"; screen: SharedFrame; picture: Bitmap; options: SearchOptions }
  | { type: "compare"; screen: SharedFrame; picture: Bitmap; options: DifferenceOptions };

/** The Worker's answer: the picture it read, or the result of a search or comparison. */
export type FindAnswer = Bitmap | SearchResult | Difference;

/**
 * How long the Worker stays without a search, and the maximum time for a search, in milliseconds. A search's
 * budget (`Budget`) ends it earlier, unless the machine is overloaded.
 */
const IDLE_MS = 10_000, LIMIT_MS = 60_000;
/** Maximum number of queued searches; further ones are rejected. */
const WAITING_LIMIT = 64;
/** Maximum number of simultaneous searches, not counting waits for pictures. */
const PLACES = 16;

/** Reads pictures and searches for them in its own Worker, one search at a time. */
export class Finder {
  readonly #turns = new Mutex(
    WAITING_LIMIT,
    `${WAITING_LIMIT} searches are waiting already; try again later`,
  );
  readonly #worker = new CallWorker<FindCall, FindAnswer>({
    url: new URL("./worker.ts", import.meta.url),
    idleMs: IDLE_MS,
    limitMs: LIMIT_MS,
    onIdle: () => this.#memory.free(),
  });
  readonly #memory = new FrameMemory();
  /** Slots for pictures that are read or searched for once. */
  readonly #places = new Capacity(
    PLACES,
    `${PLACES} pictures are being searched for already; try again later`,
  );
  readonly #waits = new PictureWaits();

  constructor(readonly operator: Operator) {}

  /** Takes a slot for a picture to read or search for. @throws BusyError if all are taken. */
  enter(): Disposable {
    return this.#places.enter();
  }

  /** Starts waiting for a picture, which uses no slot between two searches. */
  wait({ pixels, opaque }: Bitmap): PictureWait {
    return this.#waits.enter(pixels.byteLength + (opaque?.byteLength ?? 0));
  }

  /**
   * Reads a PNG or BMP file for a search in a region.
   * @param file The file's bytes, which move to another thread; the caller must not read them afterwards.
   * @param region As in `Operator.region`.
   * @throws InputError if the file is damaged or the picture larger than the region.
   */
  async read(file: Uint8Array<ArrayBuffer>, region: Partial<Region>): Promise<Bitmap> {
    const { pictureSize } = await import("../image/read_picture.ts");
    const within = this.operator.region(region);
    const isPart = Object.values(region).some((value) => value !== undefined);
    checkFits(pictureSize(file), within, isPart ? "the region" : "the screen");
    return await this.#worker.call({ type: "read", file, within }, [file.buffer]) as Bitmap;
  }

  /**
   * Searches for a picture once, on the screen as it is when the search has its turn.
   * @param region As in `Operator.region`.
   * @param signal Aborted when the caller leaves; a search that has not started is then dropped.
   * @param window The window to search, even if others cover it; the screen if left out.
   * @returns Places in desktop pixels.
   * @throws BusyError if too many searches are queued; InputError like `search`.
   */
  async search(
    picture: Bitmap,
    region: Partial<Region>,
    options: SearchOptions,
    signal: AbortSignal,
    window?: WindowInfo,
  ): Promise<SearchResult> {
    return await this.#turns.run(async () => {
      signal.throwIfAborted();
      const whole = this.operator.region(region);
      const screen = await this.operator.share(whole, false, this.#memory, window);
      const result = await this.#worker.call({ type: "search", screen, picture, options }) as SearchResult;
      for (const place of [...result.places, ...result.best ? [result.best] : []]) {
        place.x += whole.x;
        place.y += whole.y;
      }
      return result;
    });
  }

  /**
   * Compares a picture with part of the screen as it is when the comparison has its turn.
   * @param region As in `Operator.region`.
   * @param signal Aborted when the caller leaves; a comparison that has not started is then dropped.
   * @param window The window to compare, even if others cover it; the screen if left out.
   * @throws BusyError if too many searches are queued.
   */
  async compare(
    picture: Bitmap,
    region: Partial<Region>,
    options: DifferenceOptions,
    signal: AbortSignal,
    window?: WindowInfo,
  ): Promise<Difference> {
    return await this.#turns.run(async () => {
      signal.throwIfAborted();
      const screen = await this.operator.share(region, false, this.#memory, window);
      return await this.#worker.call({ type: "compare", screen, picture, options }) as Difference;
    });
  }
}

// The options and the result of a search.

/** Minimum value of the required share. */
export const LEAST_MATCH = 0.5;

/** Maximum size of the file of a picture to find, in bytes. */
export const PICTURE_FILE_LIMIT = 16 * 1024 * 1024;

export interface SearchOptions {
  /** Allowed difference of each of red, green and blue, 0 to 255. */
  tolerance: number;
  /**
   * Required share of matching pixels, {@linkcode LEAST_MATCH} to 1: both of all pixels and of those that
   * differ from the picture's most frequent colour. With the share of all pixels alone, an empty area would
   * match a button in everything but its label. Pixels with an alpha below 128 are ignored.
   */
  match: number;
  /** Maximum number of places to return. */
  limit: number;
  /** Whether to compare only brightness; colours if left out. */
  grayscale?: boolean;
  /** Whether to return the best place even if it does not match well enough. */
  best: boolean;
}

export interface SearchResult {
  /** The places found, best first; equally good places are in reading order. No two places overlap. */
  places: MatchPlace[];
  /** The best place: only on request, if `places` is empty and at least half of its pixels match. */
  best?: MatchPlace;
}
