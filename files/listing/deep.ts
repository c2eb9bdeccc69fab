/** Searching a folder and all folders below it. */

import { SEPARATOR } from "../../core/path.ts";
import type { Identity } from "../identity.ts";
import type { Root } from "../resolve.ts";
import { type Cut, type Entry, entryOf, infoOf, servableOnce, type Totals } from "./entry.ts";

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
interface Folder {
  below: string;
  identity: Identity;
}

/** Reads below a folder, nearest folders first. Links are found like other entries, and not followed further. */
export class DeepSearch implements Found {
  readonly entries: Entry[] = [];
  readonly totals: Totals = { folders: 0, files: 0, bytes: 0 };
  cut?: Cut;
  readonly #folders: Folder[];
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
  async #read({ below, identity }: Folder): Promise<void> {
    const servable = servableOnce();
    const found: Entry[] = [], folders: Folder[] = [];
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
