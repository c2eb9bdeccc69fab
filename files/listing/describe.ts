/** Descriptions of a folder's items by the system: on the thread that reads the folder, and on one that helps it. */

import { CallWorker } from "../../core/call_worker.ts";
import { SEPARATOR } from "../../core/path.ts";
import { Root, type RootData } from "../resolve.ts";
import { type Described, describedBy } from "./entries.ts";
import { infoOf } from "./servable.ts";

/** A folder that is read. */
export interface Folder {
  /** The folder's real path. */
  real: string;
  /** The path that the request names, without regard to links. */
  lexicalPath: string;
}

/** A part of a folder, as it is sent to the helping thread. */
interface Part {
  /** The folder that is served. */
  root: RootData;
  folder: Folder;
  names: readonly string[];
}

/** The system's reports of a folder's items; undefined for those that may not be served. */
export function infosOf(
  root: Root,
  { real, lexicalPath }: Folder,
  names: readonly string[],
): (Deno.FileInfo | undefined)[] {
  return names.map((name) => infoOf(root, real + SEPARATOR + name, lexicalPath + SEPARATOR + name));
}

/** Describes a part of a folder. */
export function describedPart({ root, folder, names }: Part): Described {
  return describedBy(infosOf(Root.of(root), folder, names));
}

/** Folders with fewer entries are read without help: the thread takes 40 MB and 40 ms. */
const HELPED = 250_000;
/** Parts that wait for the helping thread at most: it has enough to do, and no more. */
const PARTS = 3;
/** Longer than any pause between two parts, in milliseconds. */
const IDLE_MS = 10_000;

/**
 * A thread that describes a part of a large folder's entries: to ask the system for each is half of the work of a
 * listing.
 */
export class DescribeHelper {
  readonly #worker = new CallWorker<Part, Described>({
    url: new URL("./describe_worker.ts", import.meta.url),
    idleMs: IDLE_MS,
  });
  readonly #shared: Omit<Part, "names">;
  readonly #parts = new Set<Promise<void>>();

  /** @param helped The number of entries from which on a second thread helps. */
  constructor(root: Root, folder: Folder, readonly helped = HELPED) {
    this.#shared = { root: root.data(), folder };
  }

  /** Tells whether the helper takes another part of a folder that has so many entries. */
  isFree(entries: number): boolean {
    return entries >= this.helped && this.#parts.size < PARTS;
  }

  /**
   * Describes a part.
   * @param use Gets the descriptions, in the order of the names.
   */
  describe(names: readonly string[], use: (described: Described) => void): void {
    const part = this.#worker.call({ ...this.#shared, names }).then((described) => {
      this.#parts.delete(part);
      use(described);
    });
    this.#parts.add(part);
    part.catch(() => {}); // done() fails with the error of the part
  }

  /** Waits for all parts. Rejects with the thread's error. */
  async done(): Promise<void> {
    await Promise.all(this.#parts);
  }

  /** Ends the thread. */
  [Symbol.dispose](): void {
    this.#worker.close();
  }
}
