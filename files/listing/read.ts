/** Reads a folder, and compares and searches the names in it. */

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

/** The most entries that a listing has; a page of a million has 240 MB. */
const MOST_ENTRIES = 1_000_000;

/** Names that are described at once. */
const BLOCK = 512;
/** The character that Deno (2.9.6) has in names instead of bytes that are not UTF-8. */
const UNCLEAR = "\ufffd";

/** A folder that is read. */
interface Folder {
  /** The folder's real path. */
  real: string;
  /** The path that the request names, without regard to links. */
  lexicalPath: string;
}

interface Reading {
  /** The most items that the folder may have; any number if left out. They are counted before one is described. */
  limit?: number;
  /** Aborted when the reader has left. */
  client?: AbortSignal;
  /** The most entries that are read. */
  most?: number;
  /**
   * Whether the thread may wait for the file system, as a Worker may; no if left out. An entry then takes a tenth of
   * the time.
   */
  mayWait?: boolean;
  /** Whether a name is to be listed; all are if left out. */
  isWanted?: (name: string) => boolean;
}

/**
 * Reads a folder's entries, and the system's information about each.
 * @returns The entries that can be served, in no order, how many have names that are not Unicode, and whether some are
 * missing; undefined if there are more items than the limit.
 * @throws The errors of Deno.readDir, such as Deno.errors.NotFound; RequestError 499 if the reader has left.
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
  for await (const { name } of Deno.readDir(real)) {
    if (++items > limit) return undefined;
    if (!isWanted(name)) continue;
    if (name.includes(UNCLEAR)) nameless++; // until the system describes it under that name
    if (servable(name)) names.push(name);
    if (names.length < BLOCK || limit !== Infinity) continue;
    await describe(names);
    names = [];
    if (entries.length > most) return { entries: entries.slice(0, most), nameless, cut: "number" };
  }
  for (let i = 0; i < names.length; i += BLOCK) await describe(names.slice(i, i + BLOCK));
  if (entries.length > most) return { entries: entries.slice(0, most), nameless, cut: "number" };
  return { entries, nameless };
}

// The order of entries.

/** Values by which entries are sorted before their names. */
const VALUE: Record<Sort, (entry: Entry) => number> = {
  name: () => 0,
  size: ({ size }) => size ?? 0,
  time: ({ modified }) => modified ?? 0,
};

/** Sorts entries: folders first, then as the view asks, then by name. */
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
 * A name without case and accents. To compare such keys takes a tenth of the time that Intl.Collator takes.
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
 * The key by which names are sorted: without case and accents, and with numbers by their value, since each number
 * begins with the count of its digits.
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
 * Makes a test for the names that a search finds.
 * @param text Words with blanks between them. A name must have all of them, in any order; case and accents do not count.
 * @example
 * nameFilter("beach 2024")("2024-08 At the Beach.jpg") // true
 */
export function nameFilter(text: string): (name: string) => boolean {
  const words = nameKey(text).split(/\s+/).filter((word) => word !== "");
  if (!words.length) return () => true;
  return (name) => {
    const key = nameKey(name);
    return words.every((word) => key.includes(word));
  };
}

// Searching a folder and all folders below it.

/** Limits of a search. */
export interface Bounds {
  /** The most entries that the listing has; further ones are counted. */
  entries: number;
  /** The time in milliseconds after which the walk stops. */
  time: number;
  /** A clock in milliseconds. */
  now: () => number;
}

/** Limits of a search: entries on its page, and milliseconds before other requests run. */
export const BOUNDS: Bounds = { entries: 10_000, time: 5000, now: () => performance.now() };

/** Items between two looks at the clock. */
const CLOCK_INTERVAL = 100;

/** The result of a search. */
export interface Found {
  /** The first matches, by their paths from the folder, with `/` between names. */
  entries: Entry[];
  /** Totals of all entries that were found. */
  totals: Totals;
  /** The reason why entries are missing, if some are. */
  cut?: Cut;
  /** The number of entries whose names are not Unicode, if they were counted. */
  nameless?: number;
}

/** A folder to search: its path below the first one, empty or with a slash at the end, and its identity. */
interface WalkedFolder {
  below: string;
  identity: Identity;
}

/** Reads below a folder, nearest folders first. Links are found like other entries, and not followed further. */
export class DeepSearch implements Found {
  readonly entries: Entry[] = [];
  readonly totals: Totals = { folders: 0, files: 0, bytes: 0 };
  cut?: Cut;
  readonly #folders: WalkedFolder[];
  readonly #deadline: number;
  #items = 0;

  /**
   * @param folder The first folder's real path.
   * @param lexicalPath The path that the request names, without regard to links.
   * @param identity The device and file number under which the first folder was found.
   * @param isWanted Whether a name is to be listed.
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
   * Searches, until all is read or the time is over.
   * @throws The errors of Deno.readDir for the first folder, such as Deno.errors.NotFound.
   */
  async run(): Promise<Found> {
    for (let next = 0; next < this.#folders.length && this.cut !== "time"; next++) {
      try {
        await this.#read(this.#folders[next]);
      } catch (error) {
        if (next === 0) throw error; // any other folder has vanished, or may not be read
      }
    }
    if (!this.cut && this.totals.files + this.totals.folders > this.entries.length) this.cut = "number";
    return this;
  }

  /** Reads a folder. If another folder has taken its place since, the entries are dropped. */
  async #read({ below, identity }: WalkedFolder): Promise<void> {
    const servable = servableOnce();
    const found: Entry[] = [], folders: WalkedFolder[] = [];
    const totals = { folders: 0, files: 0, bytes: 0 };
    for await (const { name, isDirectory } of Deno.readDir(this.#real(below))) {
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
    if (!this.root.leadsTo(this.#lexical(below), identity)) return;
    this.#folders.push(...folders);
    this.entries.push(...found);
    for (const key of ["folders", "files", "bytes"] as const) this.totals[key] += totals[key];
  }

  /** Whether the time for the search is over; reads the clock only now and then. */
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
