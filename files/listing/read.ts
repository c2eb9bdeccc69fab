/** Reads a folder, and compares and searches the names in it. */

import { BusyError } from "../../core/errors.ts";
import { join, SEPARATOR } from "../../core/path.ts";
import type { Root } from "../resolve.ts";
import {
  type Cut,
  type Entry,
  entryOf,
  infoOf,
  infosOf,
  servableOnce,
  type Sort,
  type Totals,
  type View,
} from "./entry.ts";
import type { Identity } from "../identity.ts";

/** Maximum number of entries in a listing; a page with a million has 240 MB. */
const MOST_ENTRIES = 1_000_000;

/** Number of names described at the same time. */
const BLOCK = 512;
/** The character with which Deno (2.9.6) replaces bytes in names that are not UTF-8. */
const UNCLEAR = "\ufffd";

/** A folder to read. */
interface Folder {
  /** The folder's real path. */
  real: string;
  /** The path that the request names, links not resolved. */
  lexicalPath: string;
}

interface Reading {
  /**
   * Maximum number of items in the folder; defaults to any number. Items are counted before any is described.
   */
  limit?: number;
  /** Aborted when the client has left. */
  client?: AbortSignal;
  /** Maximum number of entries to read. */
  most?: number;
  /**
   * Whether the thread may block on the file system, as a Worker may; defaults to false. An entry then takes
   * a tenth of the time.
   */
  mayWait?: boolean;
  /** Whether to list a name; defaults to all. */
  isWanted?: (name: string) => boolean;
}

/**
 * Reads a folder's entries with their metadata.
 * @returns The servable entries in no particular order, how many names are not valid Unicode, and whether
 * entries are missing; undefined if there are more items than the limit.
 * @throws The errors of {@linkcode Root.items}, such as Deno.errors.NotFound; RequestError 499 if the client has
 * left.
 */
export async function readEntries(
  root: Root,
  { real, lexicalPath }: Folder,
  { limit = Infinity, most = MOST_ENTRIES, isWanted = () => true, mayWait = false, client }: Reading,
): Promise<{ entries: Entry[]; nameless: number; cut?: Cut } | undefined> {
  const entries: Entry[] = [], servable = servableOnce(), now = root.snapshot();
  let items = 0, nameless = 0, names: string[] = [];
  const describe = async (names: readonly string[]) => {
    const infos = mayWait ? undefined : await infosOf(root, { real, lexicalPath }, names, client);
    for (const [i, name] of names.entries()) {
      const info = infos ? infos[i] : infoOf(now, join(real, name), join(lexicalPath, name));
      if (!info) continue;
      if (name.includes(UNCLEAR)) nameless--;
      entries.push(entryOf(name, info));
    }
  };
  for await (const block of root.items(real)) {
    if ((items += block.length) > limit) return undefined;
    for (const { name } of block) {
      if (!isWanted(name)) continue;
      if (name.includes(UNCLEAR)) nameless++; // unless the system describes it under that name
      if (servable(name)) names.push(name);
    }
    if (limit !== Infinity) continue;
    await describe(names);
    names = [];
    if (entries.length > most) break;
  }
  for (let i = 0; i < names.length; i += BLOCK) await describe(names.slice(i, i + BLOCK));
  if (entries.length > most) return { entries: entries.slice(0, most), nameless, cut: "number" };
  return { entries, nameless };
}

// The order of entries.

/** Sort values, which take precedence over names. */
const VALUE: Record<Sort, (entry: Entry) => number> = {
  name: () => 0,
  size: ({ size }) => size ?? 0,
  time: ({ modified }) => modified ?? 0,
};

/** Sorts entries: folders first, then by the view's order, then by name. */
export function ordered(entries: readonly Entry[], { sort, descending }: View): Entry[] {
  const valueOf = VALUE[sort], sign = descending ? -1 : 1, keys = entries.map(({ name }) => orderKey(name));
  const order = new Uint32Array(entries.length).map((_, i) => i).sort((i, j) => {
    const a = entries[i], b = entries[j];
    return Number(b.size === undefined) - Number(a.size === undefined) ||
      sign * (valueOf(a) - valueOf(b) || compared(keys[i], keys[j]) || compared(a.name, b.name));
  });
  return Array.from(order, (i) => entries[i]);
}

function compared(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * A name without case and accents. Comparing such keys takes a tenth of the time of Intl.Collator.
 * `page/tools.js` does the same in the browser.
 * @example
 * nameKey("Éclair.TXT") // "eclair.txt"
 */
function nameKey(name: string): string {
  const lower = name.toLowerCase();
  // deno-lint-ignore no-control-regex -- the ASCII range begins there
  return /^[\x00-\x7f]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "");
}

/**
 * The sort key of a name: without case and accents, and with numbers ordered by value, because each number is
 * prefixed with its digit count.
 * @example
 * orderKey("a9") < orderKey("A10") // true
 */
function orderKey(name: string): string {
  return nameKey(name).replace(
    /0*(\d+)/g,
    (_, digits: string) => `0${String.fromCharCode(digits.length)}${digits}`,
  );
}

/**
 * Returns a test for the names that match a search.
 * @param text Words separated by blanks. A name must contain all of them, in any order, regardless of case
 * and accents.
 * @example
 * nameFilter("beach 2024")("2024-08 At the Beach.jpg"); // true
 */
export function nameFilter(text: string): (name: string) => boolean {
  const words = nameKey(text).split(/\s+/).filter((word) => word !== "");
  if (!words.length) return () => true;
  return (name) => {
    const key = nameKey(name);
    return words.every((word) => key.includes(word));
  };
}

// Searches a folder and all folders below it.

/** Limits of a search. */
export interface Bounds {
  /** Maximum number of entries in the listing; further ones are only counted. */
  entries: number;
  /** How long the walk may take, in milliseconds. */
  time: number;
  /** A clock in milliseconds. */
  now: () => number;
}

/** Limits of a search: entries on its page, and milliseconds. */
export const BOUNDS: Bounds = { entries: 10_000, time: 5000, now: () => performance.now() };

/** Number of items between checks of the clock. */
const CLOCK_INTERVAL = 100;

/** The result of a search. */
export interface Found {
  /** The first matches, by path from the folder, with `/` between names. */
  entries: Entry[];
  /** Totals of all entries found. */
  totals: Totals;
  /** Why entries are missing, if any are. */
  cut?: Cut;
  /** The number of entries whose names are not valid Unicode, if counted. */
  nameless?: number;
}

/** A folder to search: its path below the first one, empty or ending with a slash, and its identity. */
interface WalkedFolder {
  below: string;
  identity: Identity;
}

/** Searches below a folder, nearest folders first. Links are found like other entries, but not followed. */
export class DeepSearch implements Found {
  readonly entries: Entry[] = [];
  readonly totals: Totals = { folders: 0, files: 0, bytes: 0 };
  cut?: Cut;
  readonly #folders: WalkedFolder[];
  readonly #deadline: number;
  #items = 0;

  /**
   * @param folder The first folder's real path.
   * @param lexicalPath The path that the request names, links not resolved.
   * @param identity The device and inode number of the first folder when it was found.
   * @param isWanted Whether to list a name.
   */
  constructor(
    readonly root: Root,
    readonly folder: string,
    readonly lexicalPath: string,
    identity: Identity,
    readonly isWanted: (name: string) => boolean,
    readonly bounds = BOUNDS,
  ) {
    this.#folders = [{ below: "", identity }];
    this.#deadline = bounds.now() + bounds.time;
  }

  /**
   * Searches until everything is read or the time is up.
   * @throws The errors of {@linkcode Root.items} for the first folder, such as Deno.errors.NotFound.
   */
  async run(): Promise<Found> {
    for (let next = 0; next < this.#folders.length && this.cut !== "time"; next++) {
      try {
        await this.#read(this.#folders[next]);
      } catch (error) {
        if (next === 0) throw error;
        if (error instanceof BusyError) this.cut = "time"; // any other folder has vanished, or is unreadable
      }
    }
    if (!this.cut && this.totals.files + this.totals.folders > this.entries.length) this.cut = "number";
    return this;
  }

  /** Reads a folder. Drops its entries if another folder has meanwhile replaced it. */
  async #read({ below, identity }: WalkedFolder): Promise<void> {
    const servable = servableOnce();
    const found: Entry[] = [], folders: WalkedFolder[] = [];
    const totals = { folders: 0, files: 0, bytes: 0 };
    for await (const block of this.root.items(this.#real(below))) {
      for (const { name, isDirectory } of block) {
        if (this.#isOver()) break;
        const isWanted = this.isWanted(name);
        if (!isWanted && !isDirectory || !servable(name)) continue;
        const info = infoOf(this.root, this.#real(below + name), this.#lexical(below + name));
        if (!info) continue;
        if (isDirectory) {
          folders.push({ below: `${below}${name}/`, identity: { dev: info.dev, ino: info.ino } });
        }
        if (!isWanted) continue;
        totals[info.isFile ? "files" : "folders"]++;
        if (info.isFile) totals.bytes += info.size;
        if (this.entries.length + found.length === this.bounds.entries) continue;
        found.push(entryOf(below + name, info));
      }
      if (this.cut === "time") break;
    }
    if (!this.root.leadsTo(this.#lexical(below), identity)) return;
    this.#folders.push(...folders);
    this.entries.push(...found);
    for (const key of ["folders", "files", "bytes"] as const) this.totals[key] += totals[key];
  }

  /** Whether the search is out of time; reads the clock only occasionally. */
  #isOver(): boolean {
    if (++this.#items % CLOCK_INTERVAL === 0 && this.bounds.now() > this.#deadline) this.cut = "time";
    return this.cut === "time";
  }

  #real(below: string): string {
    return pathBelow(this.folder, below);
  }

  #lexical(below: string): string {
    return pathBelow(this.lexicalPath, below);
  }
}

function pathBelow(folder: string, below: string): string {
  const path = below.replace(/\/$/, "");
  return path === "" ? folder : folder + SEPARATOR + path.replaceAll("/", SEPARATOR);
}
