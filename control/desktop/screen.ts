/**
 * The screen that the live picture watches on its own thread, and the source of the desktop's sound. Each
 * back end implements them.
 */

import type { Point, Region } from "./desktop.ts";

/** The pointer image. Each object stands for one image: a new object is sent to every viewer. */
export interface PointerImage {
  width: number;
  height: number;
  /** The hot spot, from the image's top left corner. */
  hot: Point;
  /** Red, green, blue and alpha of each pixel; colours are premultiplied by alpha. */
  rgba: Uint8Array;
}

/**
 * Blends a pointer pixel over the pixel below it.
 * @param below 0xRRGGBB; the highest byte is ignored.
 * @param rgba The pointer image, as in {@linkcode PointerImage}.
 * @param at The byte where the pixel begins.
 * @returns 0xRRGGBB.
 */
export function blended(below: number, rgba: Uint8Array, at: number): number {
  const rest = 255 - rgba[at + 3];
  const mix = (shift: number, color: number) =>
    Math.min(255, color + Math.round((below >>> shift & 0xff) * rest / 255)) << shift;
  return mix(16, rgba[at]) | mix(8, rgba[at + 1]) | mix(0, rgba[at + 2]);
}

/**
 * Draws the pointer over a picture.
 * @param words Pixels as 0xRRGGBB, in rows without gaps.
 * @param region The part of the screen that the picture shows.
 * @returns A function that removes the pointer again.
 */
export function drawPointer(
  words: Int32Array,
  region: Region,
  { image: { width, height, hot, rgba }, at }: NonNullable<LiveScreen["pointer"]>,
): () => void {
  const under: [at: number, word: number][] = [];
  for (let i = 0; i < width * height; i++) {
    const x = at.x - hot.x + i % width - region.x, y = at.y - hot.y + Math.floor(i / width) - region.y;
    if (!rgba[4 * i + 3] || x < 0 || y < 0 || x >= region.width || y >= region.height) continue;
    const to = y * region.width + x;
    under.push([to, words[to]]);
    words[to] = blended(words[to], rgba, 4 * i);
  }
  return () => {
    for (const [to, word] of under) words[to] = word;
  };
}

/** The changes found by one look at the screen. */
export interface ScreenChange {
  /** A bounding box of all pixels that may have changed, in screen pixels; left out if none has. */
  box?: Region;
  /** Whether this look was skipped because the next one is not due yet. */
  isSkipped?: boolean;
}

/**
 * Compresses a part of a picture as JPEG (ITU T.81).
 * @param pixels 4 bytes per pixel: blue, green, red, and an unused byte.
 * @param stride Bytes from one row to the next.
 * @param part The region to compress, inside the picture.
 * @param quality 1 to 100; by default, one that looks like the original while a picture moves.
 * @returns The file, valid until the next call.
 */
export type JpegEncoder = (
  pixels: Uint8Array<ArrayBuffer>,
  stride: number,
  part: Region,
  quality?: number,
) => Uint8Array;

/** A screen whose size may change. */
export interface LiveScreen {
  /** The screen's place on the desktop and its size; a new object after a look that finds either changed. */
  readonly place: Region;
  /** All pixels in rows of `4 * width` bytes: blue, green, red, and an unused byte. Valid until the next look. */
  readonly pixels: Uint8Array<ArrayBuffer>;
  /** The pointer, if it is not drawn into the pixels: its image and the pixel that it points at. */
  readonly pointer?: { image: PointerImage; at: Point };
  /**
   * Whether {@linkcode wait} ends on a change and when a viewer joins or acts: looks in between find nothing.
   */
  readonly isWoken?: boolean;
  /** Compresses photographs; left out if the library is missing. */
  readonly jpeg?: JpegEncoder;

  /**
   * Updates {@linkcode pixels} without waiting for a change.
   * @throws DesktopUnavailableError if the desktop is gone.
   */
  update(): ScreenChange;

  /**
   * Turns updates of {@linkcode pointer} on (the default) or off; when off, looks and waits ignore the
   * pointer.
   */
  followPointer?(isFollowed: boolean): void;

  /**
   * Sleeps until a look may find something.
   * @param ms Maximum sleep, in milliseconds.
   */
  wait(ms: number): void;

  /** Frees everything. */
  close(): void;
}

/** A running sound capture. */
export interface SoundRun {
  /** Resolves once the capture has ended, after `stop`. Rejects with the error that ended it otherwise. */
  done: Promise<void>;
  /** Ends the capture soon. */
  stop(): void;
}

/** The sound that a desktop plays. */
export interface SoundSource {
  /**
   * Checks for sound without capturing any.
   * @throws UnsupportedError or DesktopUnavailableError with the reason if there is none.
   */
  check(): Promise<void>;
  /**
   * Captures sound, off the calling thread.
   * @param report Receives each packet with its time, on the calling thread, as sound.ts describes; nothing
   * in silence.
   */
  start(report: (message: Uint8Array<ArrayBuffer>) => void): SoundRun;
}
