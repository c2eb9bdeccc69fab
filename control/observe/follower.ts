/**
 * Follows changes of the screen and the windows, whatever their cause, and stores them with serial numbers.
 */

import { IdleTimer, now } from "../../core/until.ts";
import { UnsupportedError } from "../../core/errors.ts";
import type { Region, WindowInfo } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { activeOf, differenceOf, isOther, listWindows, type WindowsDifference } from "../windows/list.ts";
import { joined } from "../desktop/geometry.ts";
import type { Change, Moving } from "./motion.ts";
import type { ChangeWatch } from "./watch.ts";

// Numbered changes of the screen and the windows, for callers that request those since a number. Pure.

/** Maximum number of stored entries. */
const KEPT = 1000;

/** Something that changed. */
interface Entry {
  serial: number;
  /** Where the screen changed, without the parts that move on their own. */
  regions: readonly Region[];
  /** The windows before and after, if they changed. */
  windows?: { before: readonly WindowInfo[]; after: readonly WindowInfo[] };
}

/** The changes since a serial. */
export interface Changes {
  /** Serial of the last change. */
  serial: number;
  /** Whether some requested changes are no longer stored, so that regions are missing. */
  isCut: boolean;
  regions: Region[];
  windows?: WindowsDifference;
}

/** Stores the latest changes. */
class ChangeJournal {
  readonly #entries: Entry[] = [];
  #serial: number;

  /** @param first The serial before the first change; no earlier journal may have returned it. */
  constructor(first: number) {
    this.#serial = first;
  }

  /** The serial of the last change. */
  get serial(): number {
    return this.#serial;
  }

  addRegions(regions: readonly Region[]): void {
    this.#add({ regions });
  }

  addWindows(before: readonly WindowInfo[], after: readonly WindowInfo[]): void {
    this.#add({ regions: [], windows: { before, after } });
  }

  #add(entry: Omit<Entry, "serial">): void {
    this.#entries.push({ serial: ++this.#serial, ...entry });
    if (this.#entries.length > KEPT) this.#entries.shift();
  }

  /**
   * The changes after a serial, merged into one: a window that opened and closed since then is left out.
   * @param since A serial that was returned before.
   */
  since(since: number): Changes {
    const entries = this.#entries.filter(({ serial }) => serial > since);
    const first = entries.find(({ windows }) => windows)?.windows?.before;
    const last = entries.findLast(({ windows }) => windows)?.windows?.after;
    const windows = first && last && differenceOf(first, last);
    const isSame = !windows || !windows.opened.length && !windows.closed.length &&
        activeOf(first)?.id === activeOf(last)?.id;
    return {
      serial: this.#serial,
      isCut: since + 1 < (this.#entries[0]?.serial ?? this.#serial + 1),
      regions: joined(entries.flatMap(({ regions }) => regions)),
      ...(isSame ? {} : { windows }),
    };
  }
}

/**
 * Interval between two readings of the windows while the screen changes, in milliseconds: one takes up to 2.
 */
const WINDOWS_MS = 40;
/** How long after a first change a window change is still reported with it, in milliseconds. */
const TOGETHER_MS = 60;
/** How long the moving parts of the screen stay known, in milliseconds. */
const MOVING_MS = 100;
/** How long changes are followed after the last caller, in milliseconds. */
const KEPT_MS = 60_000;

/** The changes of a desktop. */
export class ChangeFollower {
  #journal = new ChangeJournal(0);
  #windows: readonly WindowInfo[] | undefined;
  /** The watch that runs while changes are followed. */
  #following: Promise<Disposable> | undefined;
  /** Whether that watch has begun. */
  #hasBegun = false;
  #readers = 0;
  #reading: ReturnType<typeof setTimeout> | undefined;
  readonly #idle = new IdleTimer(KEPT_MS, () => {
    if (!this.#readers) this.#end();
  });
  #moving: Moving | undefined;
  #movingAt = 0;
  /** The serial of the last window change. */
  #windowsSerial = 0;
  readonly #waiting = new Set<() => void>();

  constructor(readonly operator: Operator, readonly watch: ChangeWatch) {}

  /**
   * Follows the changes until the result is disposed, and for a minute longer.
   * @returns Resolves once every further change is stored.
   * @throws DesktopUnavailableError if the screen cannot be watched.
   */
  async follow(): Promise<Disposable> {
    this.#readers++;
    let isDone = false;
    const release = () => {
      if (!isDone && !--this.#readers) this.#idle.touch();
      isDone = true;
    };
    if (this.#hasBegun && !this.watch.motion) this.#end(); // the desktop was unavailable
    const following = this.#following ??= this.#begin();
    try {
      await following;
    } catch (error) {
      if (this.#following === following) this.#following = undefined; // a later caller may have begun again
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
   * Waits for a change after a serial, and briefly for the windows that change with it. If the watch fails
   * meanwhile, the wait ends with a new one, which lacks the changes in between.
   * @param ms Maximum wait, in milliseconds.
   * @param signal Aborts the wait with its reason.
   * @throws DesktopUnavailableError if the screen can no longer be watched.
   */
  async waitFor(serial: number, ms: number, signal: AbortSignal): Promise<void> {
    const end = performance.now() + ms;
    while (this.serial <= serial && performance.now() < end) {
      signal.throwIfAborted();
      if (this.watch.motion) await this.#next(end - performance.now(), signal);
      else (await this.follow())[Symbol.dispose]();
    }
    const together = performance.now() + TOGETHER_MS;
    while (this.#windowsSerial <= serial && performance.now() < together && performance.now() < end) {
      await this.#next(together - performance.now(), signal);
    }
    signal.throwIfAborted();
  }

  async #begin(): Promise<Disposable> {
    const watching = await this.watch.watch();
    // Serials continue from the last journal, so that earlier ones stay older.
    this.#journal = new ChangeJournal(this.#journal.serial + 1);
    const listening = this.watch.listen((change) => this.#note(change));
    this.#windows = await this.#listed();
    this.#hasBegun = true;
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
    if (!this.watch.motion) return this.#tell(); // the watch has failed
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

  #end(): void {
    this.#following?.then((following) => following[Symbol.dispose]()).catch(() => {});
    this.#following = undefined;
    this.#hasBegun = false;
  }

  /** The windows; undefined if the desktop cannot list them now. */
  async #listed(): Promise<readonly WindowInfo[] | undefined> {
    try {
      return await listWindows(this.operator);
    } catch (error) {
      if (!(error instanceof UnsupportedError)) return this.#windows;
      return undefined;
    }
  }
}
