/** LOCK and UNLOCK (RFC 4918 sections 9.10 and 9.11). */

import { RequestError } from "../../http/request_error.ts";
import { refusalOf } from "../upload/receive.ts";
import { type Call, type DavFolder, depthOf, xmlAnswer } from "./folder.ts";
import { type Lock, lockDiscovery, secondsOf } from "./locks.ts";
import { hrefOf, placeAt } from "./place.ts";
import { childOf, isDav, readXml, textOf, written, type XmlElement } from "./xml.ts";

/** The longest description of a lock's owner that is kept, in characters. */
const OWNER_LIMIT = 2048;

/** Locks a file or folder, or makes a lock last longer. A name that nothing has becomes an empty file. */
export async function lockEntry(dav: DavFolder, { request, names, tokens }: Call): Promise<Response> {
  const body = await readXml(request), depth = depthOf(request, ["infinity", "0"]);
  const seconds = secondsOf(request.headers.get("timeout")), place = await placeAt(dav.root, names);
  if (!body) {
    const lock = dav.locks.refresh(place.path, tokens, seconds);
    if (!lock) throw new RequestError(412, "No lock here matches a token in the If header.");
    return lockAnswer(lock, 200);
  }
  const isFolder = place.resolved?.info.isDirectory ?? false;
  if (!place.entry) dav.checkLocks(place, tokens, { isMember: true });
  const lock = dav.locks.make({
    path: place.path,
    href: hrefOf(names, isFolder),
    isDeep: depth === "infinity" && isFolder,
    ...lockIn(body),
    seconds,
  });
  if (place.entry) return lockAnswer(lock, 200);
  try {
    (await Deno.open(place.path, { write: true, createNew: true })).close();
  } catch (error) {
    dav.locks.remove(place.path, lock.token);
    throw refusalOf(error);
  }
  return lockAnswer(lock, 201);
}

/** Ends a lock. */
export async function unlockEntry(dav: DavFolder, { request, names }: Call): Promise<Response> {
  const token = /^\s*<([^<>]+)>\s*$/.exec(request.headers.get("lock-token") ?? "")?.[1];
  if (token === undefined) throw new RequestError(400, "UNLOCK needs a Lock-Token header.");
  const { path } = await placeAt(dav.root, names);
  if (dav.locks.remove(path, token)) return new Response(null, { status: 204 });
  return xmlAnswer(409, `<D:error xmlns:D="DAV:"><D:lock-token-matches-request-uri/></D:error>`);
}

/** @throws RequestError 400 if the body asks for no lock that there is. */
function lockIn(body: XmlElement): { isShared: boolean; owner: string } {
  const scope = childOf(body, "lockscope"), isShared = childOf(scope, "shared") !== undefined;
  const isWrite = childOf(childOf(body, "locktype"), "write") !== undefined;
  if (!isDav(body, "lockinfo") || !isWrite || isShared === (childOf(scope, "exclusive") !== undefined)) {
    throw new RequestError(400, "The body is not a valid lock request (RFC 4918 section 14.11).");
  }
  const owner = childOf(body, "owner");
  if (!owner) return { isShared, owner: "" };
  const text = `<D:owner>${owner.children.map(written).join("")}${textOf(owner.text)}</D:owner>`;
  return { isShared, owner: text.length > OWNER_LIMIT ? "" : text };
}

function lockAnswer(lock: Lock, status: number): Response {
  return xmlAnswer(
    status,
    `<D:prop xmlns:D="DAV:"><D:lockdiscovery>${lockDiscovery([lock])}</D:lockdiscovery></D:prop>`,
    { "lock-token": `<${lock.token}>` },
  );
}
