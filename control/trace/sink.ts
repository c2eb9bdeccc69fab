/** The trace as one more viewer of the live picture: a slot without a socket, and a pace of its own. */

import type { Region } from "../desktop.ts";
import type { LivePictures, PictureClient } from "../live/pictures.ts";
import type { LiveReport } from "../live/report.ts";
import { TRACE_SLOT, type Viewers } from "../live/viewers.ts";
import { Pace } from "./pace.ts";

/** The least time and the most pictures from one key picture to the next. */
const KEY = { ms: 30_000, pictures: 300 } as const;
/** Bytes of a line beside its picture. */
const FRAMING = 30;

/** The receiver of the pictures that the sink takes. */
export interface SinkListener {
  screen(place: Region): void;
  /**
   * @param isKey Whether the picture shows the whole screen.
   * @param at The time at which the picture came, in milliseconds of `performance.now()`.
   */
  picture(message: Uint8Array<ArrayBuffer>, isKey: boolean, at: number): void;
  problem(message: string): void;
}

/** Keeps parts of the screen out of pictures. */
export interface SinkGuard {
  /** Called before each picture is asked for. @returns Whether a picture may be taken now. */
  prepare(viewers: Viewers): Promise<boolean>;
  /** Called a while after a picture came. @returns Whether the hidden regions were right for that picture. */
  isRight(): Promise<boolean>;
}

/**
 * The time from a picture to the check of its hidden regions, and between two tries to prepare a picture, in
 * milliseconds.
 */
const GUARD_MS = { check: 150, retry: 500 } as const;

/** Takes pictures while a listener is set. */
export class TraceSink implements PictureClient {
  #listener: SinkListener | undefined;
  #pace = new Pace();
  #number = 0;
  #place: Region | undefined;
  /** Tells whether the next picture shows the whole screen. */
  #isKey = true;
  /** The last key picture: its time and bytes, the number of pictures after it and their bytes. */
  #key = { at: 0, bytes: 0, pictures: 0, after: 0 };
  /** The timer while the next picture is held back, and when it ends. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isHeld = false;
  #due = 0;

  constructor(readonly pictures: LivePictures, readonly guard?: SinkGuard) {
    pictures.add(this);
  }

  /** Begins to take pictures. */
  open(listener: SinkListener): void {
    this.#listener = listener;
    this.#pace = new Pace();
    if (this.#place) listener.screen(this.#place);
    this.startOver();
    this.pictures.start();
  }

  /** Ends the sink. */
  close(): void {
    this.#listener = undefined;
    this.#number++;
    this.#release();
    this.pictures.viewers?.leave(TRACE_SLOT);
    this.pictures.endLater();
  }

  /** Asks for a picture of the whole screen. */
  startOver(): void {
    const { viewers } = this.pictures;
    if (viewers) this.begin(viewers);
  }

  /**
   * Notes that an action begins or ends, or a person's input.
   * @param isBeginning Whether an action begins; a picture is then taken first.
   * @param now In milliseconds of `performance.now()`.
   */
  acted(isBeginning = false, now = performance.now()): void {
    this.#pace.acted(now);
    if (!this.#isHeld) return;
    const due = this.#pace.due(now, isBeginning);
    if (due < this.#due) this.#wait(due, now);
  }

  isLooking(): boolean {
    return this.#listener !== undefined;
  }

  begin(viewers: Viewers): void {
    if (!this.#listener) return;
    this.#release();
    this.#isKey = true;
    const number = ++this.#number;
    this.#ask(() => viewers.enter(TRACE_SLOT, number, 1));
  }

  receive(report: LiveReport): void {
    if (report.type === "screen") {
      this.#place = report.place;
      this.#isKey = true;
      this.#listener?.screen(report.place);
    }
    if (report.type !== "picture" || !this.#listener) return;
    if (!report.to.some(([slot, number]) => slot === TRACE_SLOT && number === this.#number)) return;
    // Copies a message that other viewers get too, since the check moves its bytes.
    this.#check(report.to.length > 1 ? report.message.slice() : report.message);
  }

  failed(message: string): void {
    this.#listener?.problem(message);
  }

  ended(): void {
    this.#place = undefined;
  }

  /** Takes a picture when it is sure that the picture shows no hidden window. */
  #check(message: Uint8Array<ArrayBuffer>): void {
    const { guard } = this, number = this.#number, now = performance.now();
    if (!guard) return this.#take(message, now);
    this.#timer = setTimeout(async () => {
      const isRight = await guard.isRight().catch(() => false);
      if (number !== this.#number || !this.#listener) return;
      if (isRight) this.#take(message, now);
      else this.startOver();
    }, GUARD_MS.check);
  }

  #take(message: Uint8Array<ArrayBuffer>, now: number): void {
    const bytes = Math.ceil(message.length / 3) * 4 + FRAMING;
    if (this.#isKey) this.#key = { at: now, bytes, pictures: 0, after: 0 };
    else {
      this.#key.pictures++;
      this.#key.after += bytes;
    }
    this.#listener?.picture(message, this.#isKey, now);
    this.#isKey = false;
    this.#pace.took(bytes, now);
    this.#isHeld = true;
    this.#wait(this.#pace.due(now), now);
  }

  #wait(due: number, now: number): void {
    if (due <= now) return this.#next(now);
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => this.#next(performance.now()), due - now);
  }

  #next(now: number): void {
    const { at, bytes, pictures, after } = this.#key;
    const isDue = now - at >= KEY.ms && pictures > 0;
    // To show one moment, the viewer draws all pictures since the last key picture.
    if (isDue && (pictures >= KEY.pictures || after >= bytes)) return this.startOver();
    this.#release();
    const { viewers } = this.pictures;
    this.#ask(() => viewers?.acknowledge(TRACE_SLOT));
  }

  /** Asks for a picture when the regions to hide are known. */
  #ask(ask: () => void): void {
    const { guard, pictures: { viewers } } = this, number = this.#number;
    if (!guard || !viewers) return ask();
    guard.prepare(viewers).catch(() => false).then((may) => {
      if (number !== this.#number || !this.#listener) return;
      if (may) ask();
      else this.#timer = setTimeout(() => this.#ask(ask), GUARD_MS.retry);
    });
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#isHeld = false;
  }
}
