/** Follows changes of the screen and the windows, by any cause, and keeps them with serial numbers. */

import { IdleTimer, now } from "../../core/until.ts";
import { UnsupportedError } from "../../core/errors.ts";
import type { Region, WindowInfo } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { activeOf, differenceOf, isOther, listWindows, type WindowsDifference } from "../windows/list.ts";
import { joined } from "../desktop/geometry.ts";
import type { Change, Moving } from "./motion.ts";
import type { ChangeWatch } from "./watch.ts";

// Numbered changes of the screen and of the windows, for callers that ask for those since a number. Pure.

/** Entries that are kept. */
const KEPT = 1000;

/** Something that changed. */
interface Entry {
  serial: number;
  /** The places where the screen changed, without the parts that move by themselves. */
  regions: readonly Region[];
  /** The windows before and after, if they changed. */
  windows?: { before: readonly WindowInfo[]; after: readonly WindowInfo[] };
}

/** The changes since a serial. */
export interface Changes {
  /** The number of the last change. */
  serial: number;
  /** Whether changes were asked for which are no longer kept: the regions are not all. */
  isCut: boolean;
  regions: Region[];
  windows?: WindowsDifference;
}

/** Keeps the last changes. */
class ChangeJournal {
  readonly #entries: Entry[] = [];
  #serial: number;

  /** @param first The serial before the first change: one that no earlier journal gave. */
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
   * The changes after a serial, joined into one change: a window that opened and closed since is left out.
   * @param since A serial that was given before.
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
  readonly #idle = new IdleTimer(KEPT_MS, () => {
    if (!this.#readers) this.#end();
  });
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
    this.#readers++;
    let isDone = false;
    const release = () => {
      if (!isDone && !--this.#readers) this.#idle.touch();
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
