/** Watches the screen for changes while a caller needs it, using the live picture's maker. */

import { DesktopUnavailableError } from "../../core/errors.ts";
import type { Region } from "../desktop/desktop.ts";
import type { LivePictures, PictureClient } from "../live/pictures.ts";
import type { LiveReport, Viewers } from "../desktop/viewers.ts";
import { IdleTimer, now, within } from "../../core/until.ts";
import { type Change, Motion, uncut } from "./motion.ts";

/**
 * How long changes are watched after the last caller, in milliseconds, so that the next caller knows the
 * recent past.
 */
const KEPT_MS = 15_000;
/**
 * Maximum time for the first picture, in milliseconds: on a busy machine a Worker takes ten seconds to start.
 */
const START_MS = 20_000;

/** The changes of a screen. */
export class ChangeWatch implements PictureClient {
  /** The changes since watching started; undefined while nothing is watched. */
  motion: Motion | undefined;
  /** Whether the pointer is drawn into the pictures, so that it changes them. */
  hasPointer = false;
  readonly #listeners = new Set<(change: Change) => void>();
  #watchers = 0;
  #observations = 0;
  #place: Region | undefined;
  #looked = 0;
  #ready = Promise.withResolvers<void>();
  /** Whether {@linkcode #ready} is resolved: a finished wait needs no time limit. */
  #isReady = false;
  readonly #idle = new IdleTimer(KEPT_MS, () => this.#end());

  /** @param answering Waits until the desktop answers, like `Desktop.answering`. */
  constructor(
    readonly pictures: LivePictures,
    readonly answering: () => Promise<void> | undefined = () => undefined,
  ) {
    pictures.add(this);
  }

  /**
   * Watches until the result is disposed, and for a while longer.
   * @returns Resolves once every further change is recorded.
   * @throws DesktopUnavailableError if the screen cannot be watched.
   */
  async watch(): Promise<Disposable> {
    // A Worker would wait longer for a server that has stopped responding.
    const silent = this.#isReady ? undefined : this.answering();
    if (silent) await silent;
    this.#watchers++;
    if (this.motion === undefined) this.#begin();
    const release = once(() => this.#release());
    try {
      if (!this.#isReady) await this.#bounded(this.#ready.promise);
    } catch (error) {
      release();
      throw error;
    }
    return { [Symbol.dispose]: release };
  }

  /** Records that deskhand acts: later changes may be effects of the action. */
  acted(): void {
    this.motion?.acted(now());
  }

  /** Whether a part of the screen that does not move on its own has changed since a moment. */
  hasChangedSince(at: number): boolean {
    return this.motion?.hasOwn(this.motion.after(at), at) ?? false;
  }

  /**
   * Notes the screen's state.
   * @returns A function that returns whether everything that does not move on its own is still the same; it
   * returns false if the screen is not watched.
   */
  noted(): () => boolean {
    const { motion } = this, count = motion?.count ?? 0;
    return () => motion !== undefined && motion === this.motion && motion.isSameSince(count);
  }

  /** Looks closely until the result is disposed, while an action is observed. */
  closely(): Disposable {
    this.#observations++;
    this.#apply();
    return {
      [Symbol.dispose]: once(() => {
        this.#observations--;
        this.#apply();
      }),
    };
  }

  /**
   * Waits for a look that begins after this call, so that all earlier changes are recorded.
   * @throws DesktopUnavailableError if the desktop delivers no picture.
   */
  async look(): Promise<void> {
    const { viewers } = this.pictures;
    if (!viewers) return;
    const number = viewers.askLook(), end = now() + START_MS;
    while (this.pictures.viewers === viewers && this.#looked < number) {
      const left = end - now();
      if (left <= 0) throw noPicture();
      await this.next(left);
    }
  }

  /**
   * Calls a listener with each change and look until the result is disposed, and if the watch fails: then
   * {@linkcode motion} is undefined.
   */
  listen(listener: (change: Change) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /**
   * Resolves with the next change or look, with another event if one is given, or when the time is over.
   * @param sleepsThrough If the remaining time is at most this many milliseconds, a change does not end the
   * wait. Even a cleared timer wakes this thread, which takes 0.2 ms.
   */
  next(ms: number, other?: Promise<void>, sleepsThrough = 0): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>(), end = now() + ms;
    other?.then(resolve);
    const listening = this.listen(({ at }) => {
      if (end > at + sleepsThrough) resolve();
    });
    // Rounded up, since setTimeout truncates fractions and would fire too early.
    const timer = setTimeout(resolve, Math.ceil(ms));
    return promise.finally(() => {
      clearTimeout(timer);
      listening[Symbol.dispose]();
    });
  }

  isLooking(): boolean {
    return this.#watchers > 0 || this.#idle.isRunning;
  }

  begin(viewers: Viewers): void {
    this.#looked = 0;
    viewers.watch(this.#how());
  }

  receive(report: LiveReport): void {
    if (report.type === "screen") this.#place = report.place;
    if (report.type !== "changes" || !this.motion) return;
    this.hasPointer = report.hasPointer;
    if (report.look !== undefined) {
      this.#looked = report.look;
      this.#isReady = true;
      this.#ready.resolve();
    }
    const change = { at: report.at, regions: uncut(this.#regionsOf(report.regions)) };
    if (change.regions.length) this.motion.add(change);
    this.#tell(change);
  }

  failed(message: string): void {
    this.motion = undefined; // the next caller starts over
    this.#isReady = false;
    this.#ready.reject(new DesktopUnavailableError(`cannot watch the screen: ${message}`));
    this.#tell({ at: now(), regions: [] }); // nothing else would end their waits
  }

  ended(): void {}

  /** Ends the watch when the program ends. */
  close(): void {
    this.#idle.cancel();
  }

  #tell(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change);
  }

  #begin(): void {
    this.motion = new Motion(now());
    this.#ready = Promise.withResolvers();
    this.#isReady = false;
    this.#ready.promise.catch(() => {}); // waiting callers receive the error
    const { viewers } = this.pictures;
    if (viewers) { // viewers are already watching: their next look is the first of this watch
      this.#apply();
      viewers.askLook();
    }
    this.pictures.start();
  }

  #release(): void {
    if (!--this.#watchers) this.#idle.touch();
  }

  #end(): void {
    if (this.#watchers) return;
    this.motion = undefined;
    this.#apply();
    this.pictures.endLater();
  }

  #how() {
    if (!this.motion) return "no";
    return this.#observations ? "closely" : "yes";
  }

  #apply(): void {
    this.pictures.viewers?.watch(this.#how());
  }

  #regionsOf(numbers: Int32Array): Region[] {
    const { x: left, y: top } = this.#place ?? { x: 0, y: 0 }, regions: Region[] = [];
    for (let at = 0; at < numbers.length; at += 4) {
      const width = numbers[at + 2], height = numbers[at + 3];
      regions.push({ x: left + numbers[at], y: top + numbers[at + 1], width, height });
    }
    return regions;
  }

  async #bounded(promise: Promise<void>): Promise<void> {
    if (!await within(START_MS, promise.then(() => true))) throw noPicture();
  }
}

function noPicture(): DesktopUnavailableError {
  return new DesktopUnavailableError(`the desktop did not provide a screenshot within ${START_MS / 1000} s`);
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}
