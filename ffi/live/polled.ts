/**
 * A screen whose changes the system does not report: the whole screen is captured repeatedly, less often
 * while nothing changes.
 */

import { type Frame, isSameRegion, type Region } from "../../control/desktop/desktop.ts";
import { inputsOf, type ViewersMemory, waitForWake, wakeCount } from "../../control/desktop/viewers.ts";
import type { JpegEncoder, LiveScreen, ScreenChange } from "../../control/desktop/screen.ts";
import { copyFrame } from "../copied_picture.ts";

/**
 * Capture intervals in milliseconds: while the screen changes, and while it is at rest, at first and at most.
 */
const INTERVAL = { changing: 30, resting: 500, longest: 1000 } as const;
/**
 * The share of time that captures may take while the screen is at rest: it sets the interval between
 * `resting` and `longest`.
 */
const RESTING_SHARE = 1 / 50;
/** The factor by which the interval grows with each capture of a screen at rest. */
const BACKING_OFF = 1.2;
/** Minimum share of time without a capture. */
const FREE_SHARE = 1 / 2;

/** The part of a `Screen` that is captured, on this thread and without promises. */
interface CapturedScreen {
  layout(): Region;
  /** Captures a region; the next capture may overwrite the frame. */
  take(region: Region, cursor: boolean): Frame;
}

/** Captures a screen at intervals, with the pointer drawn in. */
export class PolledScreen implements LiveScreen {
  place: Region;
  pixels: Uint8Array<ArrayBuffer>;
  #interval: number = INTERVAL.changing;
  /** When the last capture began, in milliseconds of `performance.now()`, and how long it took. */
  #takenAt = 0;
  #tookMs = 0;
  /** Whether no wait has followed the last capture; a wait follows only if nothing changed. */
  #isFresh = false;
  #inputs = 0;
  #wakes = 0;
  /** Rows without gaps, copied where captures have gaps. */
  #copy = new Uint8Array();

  /**
   * @param memory Reports when a viewer or a program acts, after which the screen may change.
   * @param close Frees the screen.
   */
  constructor(
    readonly screen: CapturedScreen,
    readonly memory: ViewersMemory,
    readonly close: () => void,
    readonly jpeg?: JpegEncoder,
  ) {
    this.place = placeOf(screen.layout());
    this.pixels = this.#captured();
  }

  update(): ScreenChange {
    const inputs = inputsOf(this.memory);
    this.#wakes = wakeCount(this.memory);
    if (inputs !== this.#inputs || this.#isFresh) this.#interval = INTERVAL.changing;
    if (performance.now() < this.#due) return { isSkipped: true };
    this.#inputs = inputs;
    const place = placeOf(this.screen.layout());
    if (!isSameRegion(place, this.place)) this.place = place;
    this.pixels = this.#captured();
    return { box: { ...this.place, x: 0, y: 0 } };
  }

  wait(ms: number): void {
    const resting = Math.min(INTERVAL.longest, Math.max(INTERVAL.resting, this.#tookMs / RESTING_SHARE));
    if (this.#isFresh) this.#interval = Math.min(resting, this.#interval * BACKING_OFF);
    this.#isFresh = false;
    waitForWake(this.memory, this.#wakes, Math.min(ms, this.#due - performance.now()));
  }

  /** When the next capture is due, in milliseconds of `performance.now()`. */
  get #due(): number {
    return this.#takenAt + Math.max(this.#interval, this.#tookMs / FREE_SHARE);
  }

  /** Captures the screen in rows without gaps. */
  #captured(): Uint8Array<ArrayBuffer> {
    this.#takenAt = performance.now();
    const { width, height, stride, pixels } = this.screen.take(this.place, true);
    this.#isFresh = true;
    const rowBytes = width * 4, isOwn = pixels.buffer instanceof ArrayBuffer;
    let whole = pixels;
    if (!isOwn || stride !== rowBytes || pixels.byteOffset % 4) {
      whole = this.#copy.length === rowBytes * height ? this.#copy : new Uint8Array(rowBytes * height);
      this.#copy = whole;
      copyFrame({ width, height, stride, pixels }, whole.buffer);
    }
    this.#tookMs = performance.now() - this.#takenAt;
    return whole;
  }
}

function placeOf({ x, y, width, height }: Region): Region {
  return { x, y, width, height };
}
