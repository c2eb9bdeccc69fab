/** DELETE, MKCOL, COPY and MOVE (RFC 4918 sections 9.3, 9.6, 9.8, 9.9). */

import { FolderHandle, isSame } from "../../core/folder_handle.ts";
import { SEPARATOR } from "../../core/path.ts";
import { RequestError } from "../../http/request_error.ts";
import { isOnServer } from "../../http/target.ts";
import { refusalOf } from "../upload/receive.ts";
import { type Call, type DavFolder, depthOf, made } from "./folder.ts";
import { namesOf, type Place, placeAt, resourceAt } from "./place.ts";
import { move } from "./transfer.ts";
import { removeAll } from "./trash.ts";

/** Deletes a file, a link, or a folder with all in it. */
export async function deleteEntry(dav: DavFolder, { request, names, tokens }: Call): Promise<Response> {
  const depth = depthOf(request, ["infinity", "0"]), place = await resourceAt(dav.root, names);
  if (depth === "0" && place.entry?.isDirectory) {
    throw new RequestError(400, "Depth must be infinity: a folder is deleted with its contents.");
  }
  checkMovable(dav, place);
  dav.checkLocks(place, tokens, { isMember: true, isDeep: true });
  using folder = FolderHandle.open(place.folder!);
  checkUnchanged(folder, place);
  await dav.trash.delete(folder, nameOf(place));
  dav.locks.forget(place.path);
  return made(false);
}

/** Makes a folder. */
export async function makeFolder(dav: DavFolder, { request, names, tokens }: Call): Promise<Response> {
  const first = await request.body?.getReader().read();
  if (first?.value?.length) throw new RequestError(415, "MKCOL does not accept a body.");
  const place = await placeAt(dav.root, names);
  if (place.entry) {
    throw new RequestError(405, "That name is already in use.", { allow: "GET, HEAD, OPTIONS" });
  }
  dav.checkLocks(place, tokens, { isMember: true });
  try {
    FolderHandle.within(place.folder!, (folder) => folder.makeFolder(nameOf(place)));
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new RequestError(405, "That name is already in use.");
    }
    throw refusalOf(error);
  }
  return made(true);
}

/** Copies or moves a file or folder to the place that the header Destination names. */
export async function copyOrMove(dav: DavFolder, { request, names, tokens }: Call): Promise<Response> {
  const isMove = request.method === "MOVE", depth = depthOf(request, ["infinity", ...isMove ? [] : ["0"]]);
  const source = await resourceAt(dav.root, names), target = await targetOf(dav, request);
  checkApart(source, target);
  if (isMove) {
    checkMovable(dav, source);
    dav.checkLocks(source, tokens, { isMember: true, isDeep: true });
  }
  if (target.entry && request.headers.get("overwrite")?.trim().toUpperCase() === "F") {
    throw new RequestError(412, "That name is already in use.");
  }
  checkReplaceable(dav, target);
  dav.checkLocks(target, tokens, { isMember: !target.entry, isDeep: true });
  using to = FolderHandle.open(target.folder!);
  const copy = () => dav.copies.copy(source, to, depth === "infinity", request.signal);
  if (isMove) {
    using from = FolderHandle.open(source.folder!);
    checkUnchanged(from, source);
    await clear(dav, source, to, target);
    await move({ folder: from, name: nameOf(source) }, { folder: to, name: nameOf(target) }, copy);
    dav.locks.forget(source.path);
    return made(!target.entry);
  }
  const hidden = await copy();
  try {
    await clear(dav, source, to, target);
    to.rename(hidden, nameOf(target));
  } catch (error) {
    await removeAll(to, hidden).catch(() => {});
    throw error;
  }
  return made(!target.entry);
}

/** The name of a place in its folder. */
function nameOf({ names }: Place): string {
  return names.at(-1)!;
}

/** @throws RequestError 409 if something else has taken the name since the place was checked. */
function checkUnchanged(folder: FolderHandle, place: Place): void {
  const now = folder.stat(nameOf(place));
  if (now && isSame(now, place.entry!)) return;
  throw new RequestError(409, "Another program has changed it; try again.");
}

/** @throws RequestError 400 without a Destination, 502 if it is on another server; the errors of placeAt. */
async function targetOf(dav: DavFolder, { headers, url }: Request): Promise<Place> {
  const destination = headers.get("destination");
  if (!destination || destination.includes("#")) {
    throw new RequestError(400, "The Destination header is missing or malformed.");
  }
  if (!isOnServer(destination, url)) throw new RequestError(502, "Destination is on another server.");
  return await placeAt(dav.root, namesOf(destination));
}

/** @throws RequestError 403 if one of two places is the other, or is in it. */
function checkApart({ path: source }: Place, { path: target }: Place): void {
  if (
    `${target}${SEPARATOR}`.startsWith(`${source}${SEPARATOR}`) || source.startsWith(`${target}${SEPARATOR}`)
  ) {
    throw new RequestError(403, "A file or folder cannot replace itself or move into itself.");
  }
}

/** @throws RequestError 403 for the served folder itself, and for a folder with deskhand's own secrets. */
function checkMovable({ root }: DavFolder, { names, path }: Place): void {
  if (names.length && !root.holdsSecret(path)) return;
  throw new RequestError(403, "This folder cannot be deleted or moved.");
}

/** @throws RequestError 403 if what has the target's name may not be replaced. */
function checkReplaceable(dav: DavFolder, { entry, names, path }: Place): void {
  const { changes, deletes } = dav.options;
  if (!entry) return;
  if (!names.length || dav.root.holdsSecret(path)) {
    throw new RequestError(403, "This folder cannot be replaced.");
  }
  if (entry.isDirectory ? deletes : changes!.overwrite || entry.isFile && entry.size === 0) return;
  const option = entry.isDirectory ? "--allow-delete" : "--allow-overwrite";
  throw new RequestError(403, `That name is already in use, and ${option} is not set.`);
}

/** Removes what has the target's name, unless a file takes the place of a file, which is one step. */
async function clear(dav: DavFolder, source: Place, folder: FolderHandle, target: Place): Promise<void> {
  const { entry, path } = target;
  if (!entry || !entry.isDirectory && !source.entry!.isDirectory) return;
  checkUnchanged(folder, target);
  await dav.trash.delete(folder, nameOf(target));
  dav.locks.forget(path);
}
