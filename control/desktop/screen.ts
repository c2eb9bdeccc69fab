/**
 * The screen that the live picture watches on a thread of its own, and the source of the desktop's sound. Each backend
 * implements them.
 */

import type { Point, Region } from "./desktop.ts";

/** The pointer's picture. An object stands for one picture: a new one is sent to every viewer. */
export interface PointerImage {
  width: number;
  height: number;
  /** The pixel of the image that points, from its top left corner. */
  hot: Point;
  /** Red, green, blue and alpha of each pixel; colours are multiplied by alpha already. */
  rgba: Uint8Array;
}

/**
 * The colour of a pixel below a pixel of the pointer.
 * @param below As 0xRRGGBB; the highest byte does not count.
 * @param rgba The pointer's picture, as {@linkcode PointerImage} has it, of which the pixel begins at a byte.
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
 * @param words Pixels of 0xRRGGBB, in rows without gaps.
 * @param region The part of the screen that the picture shows.
 * @returns A function that takes the pointer out again.
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

/** The changes that a look at the screen found. */
export interface ScreenChange {
  /** A box around all pixels that may have changed, in pixels of the screen; left out if none has. */
  box?: Region;
  /** Whether this look was skipped, since the next one is not due yet. */
  isSkipped?: boolean;
}

/**
 * Compresses a part of a picture as JPEG (ITU T.81).
 * @param pixels 4 bytes a pixel: blue, green, red, and an unused byte.
 * @param stride Bytes from one row to the next.
 * @param part Inside the picture.
 * @param quality 1 to 100; left out for a quality that looks like the original while a picture moves.
 * @returns The file, valid until the next call.
 */
export type JpegEncoder = (
  pixels: Uint8Array<ArrayBuffer>,
  stride: number,
  part: Region,
  quality?: number,
) => Uint8Array;

/** A screen, whose size may change. */
export interface LiveScreen {
  /** The screen's place on the desktop and its size; a new object after a look that found a change of them. */
  readonly place: Region;
  /** All pixels in rows of `4 * width` bytes: blue, green, red, and an unused byte. Valid until the next look. */
  readonly pixels: Uint8Array<ArrayBuffer>;
  /** The pointer, where it is not drawn into the pixels: its picture and the pixel that it points at. */
  readonly pointer?: { image: PointerImage; at: Point };
  /** Whether a change, or a viewer who comes or acts, ends {@linkcode wait}: looks in between find nothing. */
  readonly isWoken?: boolean;
  /** Compresses photographs; left out if the library is missing. */
  readonly jpeg?: JpegEncoder;

  /**
   * Brings {@linkcode pixels} up to date, without waiting for a change.
   * @throws DesktopUnavailableError if the desktop is gone.
   */
  update(): ScreenChange;

  /**
   * Switches the updates of {@linkcode pointer} on, as at first, or off; when off, looks and waits ignore the
   * pointer.
   */
  followPointer?(isFollowed: boolean): void;

  /**
   * Sleeps until a look may find something.
   * @param ms The longest sleep, in milliseconds.
   */
  wait(ms: number): void;

  /** Frees everything. */
  close(): void;
}

/** Sound in the making. */
export interface SoundRun {
  /** Resolves when the capture has ended, after `stop`. Rejects with the error that ended it otherwise. */
  done: Promise<void>;
  /** Ends the capture soon. */
  stop(): void;
}

/** The sound that a desktop plays. */
export interface SoundSource {
  /**
   * Finds out whether there is sound. Captures nothing.
   * @throws UnsupportedError, or DesktopUnavailableError, with the reason if there is none.
   */
  check(): Promise<void>;
  /**
   * Captures sound, off the calling thread.
   * @param report Gets each packet with its time, on the calling thread, as sound.ts describes it; nothing in silence.
   */
  start(report: (message: Uint8Array<ArrayBuffer>) => void): SoundRun;
}
