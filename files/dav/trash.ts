/** What was deleted: kept for a day in a folder that is neither listed nor served, or removed at once. */

import { dirname, join } from "../../core/path.ts";
import { type Root, TRASH } from "../resolve.ts";

/** The time for which deleted things are kept, in milliseconds. */
const KEPT_MS = 24 * 3600_000;
/** The time between two looks for things that are over. */
const LOOK_MS = 3600_000;
/** The name of a thing's own folder in the trash begins with the time of its deletion. */
const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z-/;

/** Deletes files and folders. */
export class Trash {
  /** Trash folders that may hold something. */
  readonly #folders: Set<string>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param keeps Whether deleted things are kept for a day.
   * @param now Gives the time, in milliseconds since 1970.
   */
  constructor(readonly root: Root, readonly keeps: boolean, readonly now: () => number = Date.now) {
    this.#folders = new Set([join(root.real, TRASH)]);
    this.#lookLater(0);
  }

  /**
   * Deletes a file or folder. A link is deleted itself, and not what it leads to.
   * @param path A path whose folders are no links.
   * @throws The errors of the file system.
   */
  async delete(path: string): Promise<void> {
    if (!this.keeps) return await Deno.remove(path, { recursive: true });
    const trash = join(await this.#deviceRoot(path), TRASH);
    const stamp = new Date(this.now()).toISOString().slice(0, 19).replaceAll(":", "-");
    const own = join(trash, `${stamp}Z-${crypto.randomUUID().slice(0, 8)}`);
    await makeFolder(trash);
    await Deno.mkdir(own, { mode: 0o700 });
    try {
      await Deno.rename(path, join(own, path.slice(dirname(path).length).replace(/^[/\\]/, "")));
    } catch (error) {
      await Deno.remove(own);
      throw error;
    }
    this.#folders.add(trash);
    this.#lookLater(LOOK_MS);
  }

  /** Removes what was deleted more than a day ago. */
  async clean(): Promise<void> {
    for (const trash of this.#folders) {
      const names = await Array.fromAsync(Deno.readDir(trash), ({ name }) => name).catch(() => []);
      let kept = 0;
      for (const name of names) {
        const [, day, hour, minute, second] = NAME.exec(name) ?? [];
        const deleted = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
        if (this.now() - deleted > KEPT_MS) {
          await Deno.remove(join(trash, name), { recursive: true }).catch(() => kept++);
        } else kept++;
      }
      if (kept) this.#lookLater(LOOK_MS);
      else if (names.length) await Deno.remove(trash).catch(() => {}); // something was deleted meanwhile
    }
  }

  /** Looks for things that are over after some time, without keeping the program alive. */
  #lookLater(ms: number): void {
    if (!this.keeps || this.#timer !== undefined) return;
    const timer = setTimeout(() => {
      this.#timer = undefined;
      this.clean().catch(() => {});
    }, ms);
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  /** The folder nearest to the root on the same disk, so that things are moved there at once. */
  async #deviceRoot(path: string): Promise<string> {
    const { dev } = await Deno.lstat(path);
    let best = dirname(path);
    for (let folder = best; folder.startsWith(this.root.real); folder = dirname(folder)) {
      if ((await Deno.lstat(folder)).dev !== dev) break;
      best = folder;
      if (folder === this.root.real) break;
    }
    return best;
  }
}

/** @throws Deno.errors.NotADirectory if something else has the name: another user may have put a link there. */
async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    if (!(await Deno.lstat(path)).isDirectory) throw new Deno.errors.NotADirectory(path);
  }
}
