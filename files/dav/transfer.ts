/** COPY and MOVE (RFC 4918 sections 9.8 and 9.9). What they make appears when all of it is there. */

import { Capacity } from "../../core/coalesced_read.ts";
import type { FolderHandle } from "../../core/folder_handle.ts";
import { join } from "../../core/path.ts";
import { RequestError } from "../../http/request_error.ts";
import { hasCode } from "../file_errors.ts";
import { type Identity, isSame } from "../identity.ts";
import { infosOf, servableOnce } from "../listing/entry.ts";
import { PARTIAL_PREFIX, type Resolved, type Root } from "../resolve.ts";
import { readChunk } from "../read.ts";
import { openPartial, refusalOf, tooLarge } from "../upload/receive.ts";
import { removeAll } from "./trash.ts";

/** Copies at once. */
const AT_ONCE = 4;
/** The most files and folders of a copy. */
const ENTRIES_LIMIT = 100_000;
/** The most folders in each other of a copy: each is open while its content is copied. */
const DEPTH_LIMIT = 128;
/** Bytes read at once. */
const CHUNK = 1024 * 1024;

/** The files and folders to copy. */
export interface Source {
  resolved: Resolved;
  lexicalPath: string;
}

/** Copies files and folders below a root. */
export class Copies {
  readonly #capacity = new Capacity(AT_ONCE, "Too much is being copied; try again later.");

  /** @param limit The most bytes of a file. */
  constructor(readonly root: Root, readonly limit: number) {}

  /**
   * Copies a file or folder to a name that nobody sees.
   * @param folder The folder that is to have the copy.
   * @param isDeep Whether a folder's content is copied too.
   * @param client Aborted when the client leaves, which ends the copy.
   * @returns The name of the copy, in that folder.
   * @throws RequestError if there is no room, or too much to copy; BusyError if too much is being copied.
   */
  async copy(source: Source, folder: FolderHandle, isDeep: boolean, client: AbortSignal): Promise<string> {
    using _place = this.#capacity.enter();
    const name = PARTIAL_PREFIX + crypto.randomUUID().replaceAll("-", "");
    try {
      await new Copy(this.root, this.limit, isDeep, client).run(source, folder, name, []);
      return name;
    } catch (error) {
      await removeAll(folder, name).catch(() => {});
      throw refusalOf(error);
    }
  }
}

/** One copy. */
class Copy {
  #entries = 0;

  constructor(
    readonly root: Root,
    readonly limit: number,
    readonly isDeep: boolean,
    readonly client: AbortSignal,
  ) {}

  /** @param above The folders that the copy is in: a link may lead to one of them. */
  async run(
    { resolved, lexicalPath }: Source,
    folder: FolderHandle,
    name: string,
    above: readonly Identity[],
  ): Promise<void> {
    if (this.client.aborted) throw new RequestError(499, "The client disconnected.");
    if (++this.#entries > ENTRIES_LIMIT) {
      throw new RequestError(403, `One request can copy at most ${ENTRIES_LIMIT} files and folders.`);
    }
    const { real, info } = resolved;
    if (info.isFile) return await this.#file(resolved, folder, name);
    if (above.length === DEPTH_LIMIT) {
      throw new RequestError(403, `Folders nested deeper than ${DEPTH_LIMIT} levels are not copied.`);
    }
    folder.makeFolder(name);
    if (!this.isDeep || above.some((folder) => isSame(folder, info))) return;
    const isServable = servableOnce();
    const names = (await Array.fromAsync(Deno.readDir(real), ({ name }) => name)).filter(isServable);
    const infos = await infosOf(this.root, { real, lexicalPath }, names);
    using copied = folder.folder(name);
    for (const [i, member] of names.entries()) {
      if (!infos[i]) continue;
      const below = join(lexicalPath, member), entry = await this.root.findOrNull(below);
      if (entry) await this.run({ resolved: entry, lexicalPath: below }, copied, member, [...above, info]);
    }
  }

  async #file(source: Resolved, folder: FolderHandle, name: string): Promise<void> {
    const open = await this.root.open(source), { size } = open.info;
    using _read = open.file;
    if (size > this.limit) throw tooLarge(this.limit);
    using file = await openPartial(folder, name, 0);
    for (let start = 0; start < size; start += CHUNK) {
      if (this.client.aborted) throw new RequestError(499, "The client disconnected.");
      const end = Math.min(start + CHUNK, size) - 1;
      const chunk = await this.root.reach(source.real, () => readChunk(open, { start, end }, false));
      for (let at = 0; at < chunk.length;) at += await file.write(chunk.subarray(at));
    }
  }
}

/** A name in a folder. */
interface Named {
  folder: FolderHandle;
  name: string;
}

/**
 * Moves a file or folder to a name that nothing has, or a file for a file.
 * @param copy Copies it to a hidden name in the new folder, which is returned, for a move to another disk.
 */
export async function move(from: Named, to: Named, copy: () => Promise<string>): Promise<void> {
  try {
    from.folder.moveTo(from.name, to.folder, to.name);
  } catch (error) {
    if (!hasCode(error, ["EXDEV"])) throw error;
    to.folder.rename(await copy(), to.name);
    await removeAll(from.folder, from.name);
  }
}
