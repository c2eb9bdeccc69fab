/** A screen of which the system does not tell what changed: all of it is captured, more seldom while it rests. */

import { type Frame, isSameRegion, type Region } from "../../control/desktop.ts";
import { type AudienceMemory, bellOf, inputsOf, waitForBell } from "../../control/live/audience.ts";
import type { JpegEncoder, LiveScreen, Look } from "../../control/live/screen.ts";

/** Between two captures, in milliseconds: of a screen that changes, and of one that rests. */
const INTERVAL = { changing: 30, resting: 500, longest: 1000 } as const;
/** The part of the time that captures of a screen that rests may take, between the two last intervals. */
const RESTING_SHARE = 1 / 50;
/** The factor by which the interval grows with each capture of a screen that rests. */
const BACKING_OFF = 1.2;
/** The least part of the time in which nothing is captured. */
const FREE_SHARE = 1 / 2;

/** What is captured: the part of a `Screen` that this needs, on this thread and without promises. */
export interface CapturedScreen {
  layout(): Region;
  capture(region: Region, cursor: boolean): Frame;
}

/** Captures a screen at intervals, with the pointer drawn in. */
export class PolledScreen implements LiveScreen {
  place: Region;
  pixels: Uint8Array<ArrayBuffer>;
  readonly #screen: CapturedScreen;
  readonly #memory: AudienceMemory;
  readonly #close: () => void;
  #interval: number = INTERVAL.changing;
  /** When the last capture was, and when the next is due, in milliseconds. */
  #takenAt = 0;
  #due = 0;
  /** Whether nothing waited since the last capture, which a wait follows only if it found nothing. */
  #isFresh = false;
  #inputs = 0;
  #bell = 0;
  /** How long the last capture took, in milliseconds. */
  #tookMs = 0;
  /** Rows without gaps, where captures have them otherwise. */
  #copy = new Uint8Array();

  /**
   * @param memory Tells when a viewer or a program acts: the screen may change then.
   * @param close Frees the screen.
   */
  constructor(
    screen: CapturedScreen,
    memory: AudienceMemory,
    close: () => void,
    readonly jpeg?: JpegEncoder,
  ) {
    this.#screen = screen;
    this.#memory = memory;
    this.#close = close;
    this.place = placeOf(screen.layout());
    this.pixels = this.#captured();
  }

  look(): Look {
    const inputs = inputsOf(this.#memory), now = performance.now();
    this.#bell = bellOf(this.#memory);
    if (inputs !== this.#inputs || this.#isFresh) this.#interval = INTERVAL.changing;
    this.#due = Math.min(this.#due, this.#takenAt + Math.max(this.#interval, this.#tookMs / FREE_SHARE));
    if (now < this.#due) return {};
    this.#inputs = inputs;
    const place = placeOf(this.#screen.layout());
    if (!isSameRegion(place, this.place)) this.place = place;
    this.pixels = this.#captured();
    return { box: { ...this.place, x: 0, y: 0 } };
  }

  wait(ms: number): void {
    const resting = Math.min(INTERVAL.longest, Math.max(INTERVAL.resting, this.#tookMs / RESTING_SHARE));
    if (this.#isFresh) this.#interval = Math.min(resting, this.#interval * BACKING_OFF);
    this.#isFresh = false;
    this.#due = this.#takenAt + Math.max(this.#interval, this.#tookMs / FREE_SHARE);
    waitForBell(this.#memory, this.#bell, Math.min(ms, this.#due - performance.now()));
  }

  close(): void {
    this.#close();
  }

  /** Captures the screen in rows without gaps. */
  #captured(): Uint8Array<ArrayBuffer> {
    const start = this.#takenAt = performance.now();
    const { width, height, stride, pixels } = this.#screen.capture(this.place, true);
    this.#isFresh = true;
    const rowBytes = width * 4, isOwn = pixels.buffer instanceof ArrayBuffer;
    let whole = pixels;
    if (!isOwn || stride !== rowBytes || pixels.byteOffset % 4) {
      whole = this.#copy.length === rowBytes * height ? this.#copy : new Uint8Array(rowBytes * height);
      this.#copy = whole;
      for (let row = 0; row < height; row++) {
        whole.set(pixels.subarray(row * stride, row * stride + rowBytes), row * rowBytes);
      }
    }
    this.#tookMs = performance.now() - start;
    this.#due = start + Math.max(this.#interval, this.#tookMs / FREE_SHARE);
    return whole;
  }
}

function placeOf({ x, y, width, height }: Region): Region {
  return { x, y, width, height };
}
