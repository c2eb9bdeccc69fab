/** Lists what goes into the archive of a folder: what its listings, and those of the folders in it, show. */

import { InputError } from "../../core/errors.ts";
import { isMissing, notFound } from "../file_errors.ts";
import { type Identity, isSame } from "../identity.ts";
import { isServable } from "../paths.ts";
import { type Resolved, Root, type RootData } from "../resolve.ts";
import { millisecondsOf } from "../times.ts";
import { MemberList, type SharedMembers } from "./members.ts";

/** Which folder to archive. It is plain data, which can be sent to another thread. */
export interface Source {
  /** The folder that is served. */
  root: RootData;
  /** The real path of the folder to archive. */
  folder: string;
  /** The device and file number under which the folder was found. */
  identity: Identity;
  /** The path that the request names, without regard to links. */
  lexicalPath: string;
  /** The archive's name of the folder. */
  name: string;
}

/** Most members of an archive. Links to folders could otherwise make more than any disk holds. */
const MEMBERS_LIMIT = 5_000_000;
/** Permissions by which every user may read a file. */
const READABLE = 0o444;

/**
 * Walks through a folder. Links are followed, as in listings, but for a link to a folder that the walk is in.
 * @param limit The most members.
 * @returns The folder itself and all in it, sorted by name, each folder in front of its content. Files that this user
 * may not read are left out.
 * @throws RequestError 404 if the folder is gone or may not be read; InputError if there are too many members.
 */
export function walk(source: Source, limit = MEMBERS_LIMIT): SharedMembers {
  const { folder, identity, lexicalPath, name } = source, root = Root.of(source.root);
  const members = new MemberList(folder, `${name}/`);

  function addFolder(at: Place, above: readonly Identity[]) {
    const names = namesIn(at.real);
    if (!names) return;
    add(at, true);
    const around = [...above, at.info];
    for (const name of names) {
      const place = placeOf(root, at, name);
      if (!place) continue;
      if (place.info.isFile) {
        if (isReadable(place)) add(place, false);
      } else if (!around.some((other) => isSame(other, place.info))) addFolder(place, around);
    }
  }

  function add({ real, name, info }: Place, isFolder: boolean) {
    if (members.count === limit) {
      throw new InputError(`The folder has more than ${limit} entries, too many for one archive.`);
    }
    members.add({
      name: isFolder ? `${name}/` : name,
      real,
      isFolder,
      size: isFolder ? 0 : info.size,
      modified: millisecondsOf(info.mtime),
      changed: millisecondsOf(info.ctime),
      mode: info.mode === null ? (isFolder ? 0o755 : 0o644) : info.mode & 0o7777,
      uid: info.uid ?? 0,
      gid: info.gid ?? 0,
      dev: info.dev ?? 0,
      ino: info.ino ?? 0,
    });
  }

  try {
    addFolder({ real: folder, lexicalPath, name, info: Deno.lstatSync(folder) }, []);
  } catch (error) {
    throw isMissing(error) ? notFound() : error;
  }
  // Another program may have put a link in the folder's place meanwhile.
  if (!members.count || !root.leadsTo(lexicalPath, identity)) throw notFound();
  return members.shared();
}

/** A file or folder on the walk. */
interface Place extends Resolved {
  /** The path that a request for it would name, without regard to links. */
  lexicalPath: string;
  /** Its path in the archive, without a final slash. */
  name: string;
}

/** @returns In an order that does not depend on the file system; undefined if the folder may not be read. */
function namesIn(folder: string): string[] | undefined {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name).filter((name) => isServable(name)).sort();
  } catch {
    return undefined;
  }
}

/** @returns undefined if the file or folder is not served. */
function placeOf(root: Root, folder: Place, item: string): Place | undefined {
  const real = below(folder.real, item), lexicalPath = below(folder.lexicalPath, item);
  const name = `${folder.name}/${item}`;
  try {
    const info = Deno.lstatSync(real);
    if (info.isSymlink) return { ...root.resolve(lexicalPath), lexicalPath, name };
    if (!info.isFile && !info.isDirectory || root.isExcluded(real, info)) return undefined;
    return { real, info, lexicalPath, name };
  } catch {
    return undefined; // it vanished, or may not be looked at
  }
}

/** Windows takes `/` as a separator too. */
function below(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** An archive that has begun cannot leave a file out. */
function isReadable({ real, info: { mode } }: Place): boolean {
  if (mode !== null && (mode & READABLE) === READABLE) return true;
  try {
    Deno.openSync(real).close();
    return true;
  } catch {
    return false;
  }
}
