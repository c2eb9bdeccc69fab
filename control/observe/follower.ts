/** Follows changes of the screen and the windows, by any cause, and keeps them with serial numbers. */

import { UnsupportedError } from "../../core/errors.ts";
import type { WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { isOther } from "../windows/difference.ts";
import { listWindows } from "../windows/list.ts";
import { now } from "../../core/clock.ts";
import { ChangeJournal, type Changes } from "./journal.ts";
import type { Change, Moving } from "./motion.ts";
import type { ChangeWatch } from "./watch.ts";

/** The time between two readings of the windows while the screen changes, in milliseconds: one takes up to 2. */
const WINDOWS_MS = 40;
/** The time after a first change in which a change of the windows is reported with it, in milliseconds. */
const TOGETHER_MS = 60;
/** The longest time in milliseconds for which the moving parts of the screen stay known. */
const MOVING_MS = 100;
/** The time that changes are followed after the last caller, in milliseconds. */
const KEPT_MS = 60_000;

/** The changes of a desktop. */
export class ChangeFollower {
  #journal = new ChangeJournal(0);
  #windows: readonly WindowInfo[] | undefined;
  /** The watch of the changes while they are followed. */
  #following: Promise<Disposable> | undefined;
  #readers = 0;
  #reading: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #moving: Moving | undefined;
  #movingAt = 0;
  /** The serial of the last change of the windows. */
  #windowsSerial = 0;
  readonly #waiting = new Set<() => void>();

  constructor(readonly operator: Operator, readonly watch: ChangeWatch) {}

  /**
   * Follows the changes until the result is disposed, and a minute longer.
   * @returns Once every change from now on is kept.
   * @throws DesktopUnavailableError if the screen cannot be watched.
   */
  async follow(): Promise<Disposable> {
    clearTimeout(this.#timer);
    this.#readers++;
    let isDone = false;
    const release = () => {
      if (!isDone && !--this.#readers) this.#endLater();
      isDone = true;
    };
    if (this.#following && !this.watch.motion) this.#end(); // the desktop was gone
    try {
      await (this.#following ??= this.#begin());
    } catch (error) {
      this.#following = undefined;
      release();
      throw error;
    }
    return { [Symbol.dispose]: release };
  }

  /** The serial of the last change. */
  get serial(): number {
    return this.#journal.serial;
  }

  /** The changes after a serial. */
  since(serial: number): Changes {
    return this.#journal.since(serial);
  }

  /**
   * Waits for a change after a serial, and shortly for the windows that change with it.
   * @param ms At most.
   * @param signal Ends the waiting by its reason.
   */
  async waitFor(serial: number, ms: number, signal: AbortSignal): Promise<void> {
    const end = performance.now() + ms;
    while (this.serial <= serial && performance.now() < end) {
      signal.throwIfAborted();
      await this.#next(end - performance.now(), signal);
    }
    const together = performance.now() + TOGETHER_MS;
    while (this.#windowsSerial <= serial && performance.now() < together && performance.now() < end) {
      await this.#next(together - performance.now(), signal);
    }
    signal.throwIfAborted();
  }

  async #begin(): Promise<Disposable> {
    const watching = await this.watch.watch();
    // Serials go on from the last journal, so that those given out earlier stay older.
    this.#journal = new ChangeJournal(this.#journal.serial + 1);
    const listening = this.watch.listen((change) => this.#note(change));
    this.#windows = await this.#listed();
    return {
      [Symbol.dispose]: () => {
        listening[Symbol.dispose]();
        watching[Symbol.dispose]();
        clearTimeout(this.#reading);
        this.#reading = undefined;
      },
    };
  }

  #note({ regions }: Change): void {
    if (!regions.length) return;
    const time = now(), { motion } = this.watch;
    if (motion && (!this.#moving || time - this.#movingAt > MOVING_MS)) {
      this.#moving = motion.movingAt(time);
      this.#movingAt = time;
    }
    const fresh = regions.filter((region) => !this.#moving?.has(region));
    this.#reading ??= setTimeout(() => this.#readWindows(), WINDOWS_MS);
    if (!fresh.length) return;
    this.#journal.addRegions(fresh);
    this.#tell();
  }

  async #readWindows(): Promise<void> {
    this.#reading = undefined; // a change during this reading starts another
    const after = await this.#listed(), before = this.#windows;
    if (!before || !after || !isOther(before, after)) return;
    this.#windows = after;
    this.#journal.addWindows(before, after);
    this.#windowsSerial = this.serial;
    this.#tell();
  }

  #tell(): void {
    for (const resolve of [...this.#waiting]) resolve();
  }

  #next(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const stop = () => resolve();
    this.#waiting.add(resolve);
    signal.addEventListener("abort", stop);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(resolve);
      signal.removeEventListener("abort", stop);
    });
  }

  #endLater(): void {
    this.#timer = setTimeout(() => {
      if (this.#readers) return;
      this.#end();
    }, KEPT_MS);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  #end(): void {
    this.#following?.then((following) => following[Symbol.dispose]()).catch(() => {});
    this.#following = undefined;
  }

  /** The windows; undefined where the desktop does not tell them now. */
  async #listed(): Promise<WindowInfo[] | undefined> {
    try {
      return await listWindows(this.operator);
    } catch (error) {
      if (!(error instanceof UnsupportedError)) return this.#windows as WindowInfo[] | undefined;
      return undefined;
    }
  }
}
