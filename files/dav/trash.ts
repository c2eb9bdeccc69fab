/** What was deleted: kept for a day in a folder that is neither listed nor served, or removed at once. */

import { FolderHandle } from "../../core/folder_handle.ts";
import { join, SEPARATOR } from "../../core/path.ts";
import { PARTIAL_PREFIX, type Root, TRASH } from "../resolve.ts";

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
   * @param folder The folder with it, below the root.
   * @throws FileChangedError if the folder was moved meanwhile; the errors of the file system.
   */
  async delete(folder: FolderHandle, name: string): Promise<void> {
    if (!this.keeps) return await removeAll(folder, name);
    using top = this.#deviceRoot(folder, name);
    makeTrash(top);
    using trash = top.folder(TRASH); // no link, which another user may have put there
    const stamp = new Date(this.now()).toISOString().slice(0, 19).replaceAll(":", "-");
    const own = `${stamp}Z-${crypto.randomUUID().slice(0, 8)}`;
    trash.makeFolder(own, 0o700);
    try {
      using kept = trash.folder(own);
      folder.moveTo(name, kept, name);
    } catch (error) {
      trash.removeFolder(own);
      throw error;
    }
    this.#folders.add(trash.real);
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

  /**
   * Opens the folder nearest to the root on the same disk, so that things are moved there at once. The folders on the way
   * are opened one below the other, so that none is a link.
   */
  #deviceRoot(folder: FolderHandle, name: string): FolderHandle {
    const { real } = this.root, dev = folder.stat(name)?.dev;
    const names = folder.real.slice(real.length).split(SEPARATOR).filter((part) => part !== "");
    let at = FolderHandle.open({ real, info: Deno.lstatSync(real) }), best: FolderHandle | undefined;
    try {
      for (let depth = 0;; depth++) {
        if (at.stat(".")?.dev !== dev) {
          best?.[Symbol.dispose]();
          best = undefined;
        } else best ??= at;
        if (depth === names.length) break;
        const next = at.folder(names[depth]);
        if (at !== best) at[Symbol.dispose]();
        at = next;
      }
      return best ??= at;
    } finally {
      if (at !== best) at[Symbol.dispose]();
    }
  }
}

/** Makes the folder of the trash, if it is not there. */
function makeTrash(folder: FolderHandle): void {
  try {
    folder.makeFolder(TRASH, 0o700);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

/**
 * Removes a file, a link, or a folder with all in it. A folder gets a random name first, which no other folder has: its
 * content is removed by its path, which another program may lead elsewhere.
 * @throws The errors of the file system; a folder of which something stays has its name again.
 */
export async function removeAll(folder: FolderHandle, name: string): Promise<void> {
  if (!folder.stat(name)?.isFolder) return folder.unlink(name);
  const hidden = name.startsWith(PARTIAL_PREFIX) ? name : PARTIAL_PREFIX + crypto.randomUUID();
  if (hidden !== name) folder.rename(name, hidden);
  try {
    await Deno.remove(folder.path(hidden), { recursive: true });
  } catch (error) {
    if (hidden !== name) folder.rename(hidden, name);
    throw error;
  }
}
