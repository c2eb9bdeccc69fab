/** Properties of files and folders (RFC 4918 section 15, RFC 4331): those that the file system itself has. */

import { nodeModule } from "../../core/path.ts";
import { millisecondsOrNull, modifiedOf } from "../identity.ts";
import { mediaType } from "../disposition.ts";
import { entityTag } from "../representation.ts";
import { childOf, DAV, isDav, textOf, type XmlElement } from "./xml.ts";
import { lockDiscovery, type Locks, SUPPORTED_LOCKS } from "./locks.ts";

/** A file or folder with the facts that its properties are made of. */
export interface Described {
  href: string;
  name: string;
  /** The real path of its folder and its name. */
  path: string;
  info: Deno.FileInfo;
  /** The room on its disk, if a client asks for it. */
  room?: Room;
}

/** The room on a disk for this user, and what is used of it, in bytes. */
interface Room {
  free: number;
  used: number;
}

/** The surroundings of properties. */
export interface Context {
  /** Undefined if nothing can be changed. */
  locks: Locks | undefined;
  /** Milliseconds since 1970. */
  now: number;
  /** Aborted when the client has left. */
  client: AbortSignal;
}

/** Makes the content of a property in XML; undefined if the file or folder has no such property. */
type Property = (described: Described, context: Context) => string | undefined;

/** The properties, by their names in the namespace {@linkcode DAV}. */
const PROPERTIES: Record<string, Property> = {
  resourcetype: ({ info }) => info.isDirectory ? "<D:collection/>" : "",
  displayname: ({ name }) => textOf(name),
  creationdate: ({ info }) => isoDate(info.birthtime),
  getlastmodified: ({ info }, { now }) => {
    return new Date(Math.min(modifiedOf(info), now)).toUTCString();
  },
  getcontentlength: ({ info }) => info.isFile ? String(info.size) : undefined,
  getcontenttype: ({ info, name }) => info.isFile ? textOf(mediaType(name)) : undefined,
  getetag: ({ info }, { now }) => info.isFile ? textOf(entityTag(info, now)) : undefined,
  supportedlock: (_, { locks }) => locks && SUPPORTED_LOCKS,
  lockdiscovery: ({ path }, { locks, now }) => locks && lockDiscovery(locks.on(path), now),
};

/** Properties that cost a call of the system, and are given if a client names them. */
const NAMED: Record<string, Property> = {
  "quota-available-bytes": ({ room }) => room && String(room.free),
  "quota-used-bytes": ({ room }) => room && String(room.used),
};

/** The properties that a request asks for. */
export interface Asked {
  /** Whether the names alone are asked for. */
  namesOnly: boolean;
  /** The properties; all ordinary ones if left out. */
  wanted?: { space: string; name: string }[];
}

/**
 * Reads the body of a PROPFIND.
 * @returns undefined if the body asks for nothing that is known.
 */
export function askedIn(body: XmlElement | undefined): Asked | undefined {
  if (!body) return { namesOnly: false };
  if (!isDav(body, "propfind")) return undefined;
  const prop = childOf(body, "prop"), all = childOf(body, "allprop"), names = childOf(body, "propname");
  if ([prop, all, names].filter(Boolean).length !== 1) return undefined;
  if (prop) return { namesOnly: false, wanted: prop.children };
  const included = childOf(body, "include")?.children ?? [];
  const usual = Object.keys(PROPERTIES).map((name) => ({ space: DAV, name }));
  const fresh = included.filter(({ space, name }) => space !== DAV || !Object.hasOwn(PROPERTIES, name));
  return { namesOnly: !!names, ...fresh.length ? { wanted: [...usual, ...fresh] } : {} };
}

/** Writes the properties of a file or folder as an element `response`. */
export function response(described: Described, asked: Asked, context: Context): string {
  const isAll = asked.wanted === undefined;
  const wanted = asked.wanted ?? Object.keys(PROPERTIES).map((name) => ({ space: DAV, name }));
  let found = "", missing = "";
  for (const { space, name } of wanted) {
    const property = space === DAV ? tableOf(name)[name] : undefined;
    const content = property?.(described, context);
    if (content !== undefined) {
      found += asked.namesOnly || content === "" ? `<D:${name}/>` : `<D:${name}>${content}</D:${name}>`;
    } else if (!isAll) {
      missing += space === DAV ? `<D:${name}/>` : `<${name} xmlns="${textOf(space)}"/>`;
    }
  }
  const stats = (found || !missing ? propstat(found, "200 OK") : "") +
    (missing && propstat(missing, "404 Not Found"));
  return `<D:response><D:href>${textOf(described.href)}</D:href>${stats}</D:response>\n`;
}

/** A group of properties with one status. */
export function propstat(properties: string, status: string, rest = ""): string {
  return `<D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 ${status}</D:status>${rest}</D:propstat>`;
}

/** Whether a property is one that only the system changes. */
export function isLive({ space, name }: { space: string; name: string }): boolean {
  return space === DAV && Object.hasOwn(tableOf(name), name);
}

function tableOf(name: string): Record<string, Property> {
  return Object.hasOwn(NAMED, name) ? NAMED : Object.hasOwn(PROPERTIES, name) ? PROPERTIES : {};
}

function isoDate(time: Date | null): string | undefined {
  const milliseconds = millisecondsOrNull(time);
  return milliseconds === null ? undefined : new Date(milliseconds).toISOString();
}

/**
 * The room on a folder's disk.
 * @returns undefined if the request does not ask for it.
 */
export async function roomFor(folder: string, { wanted = [] }: Asked): Promise<Room | undefined> {
  if (!wanted.some(({ space, name }) => space === DAV && Object.hasOwn(NAMED, name))) return undefined;
  const { bavail, bfree, blocks, bsize } = await nodeModule("node:fs/promises").statfs(folder);
  return { free: bavail * bsize, used: (blocks - bfree) * bsize };
}
