/** Numbered changes of the screen and of the windows, for callers that ask for those since a number. Pure. */

import type { Region, WindowInfo } from "../desktop.ts";
import { activeOf, differenceOf, type WindowsDifference } from "../windows/difference.ts";
import { joined } from "./regions.ts";

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
  /** Tells that changes were asked for which are no longer kept: the regions are not all. */
  isCut: boolean;
  regions: Region[];
  windows?: WindowsDifference;
}

/** Keeps the last changes. */
export class ChangeJournal {
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

  /** Adds regions that changed. */
  addRegions(regions: readonly Region[]): void {
    this.#add({ regions });
  }

  /** Adds a change of the windows. */
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
