/**
 * PROPFIND and PROPPATCH (RFC 4918 sections 9.1 and 9.2): properties of a file or of a folder's entries, sent
 * while they are read. All properties come from the file system (RFC 4918 section 15, RFC 4331).
 */

import { concat } from "../../core/bytes.ts";
import { join, nodeModule } from "../../core/path.ts";
import { COMPRESSIBLE, streamOf } from "../../http/stream.ts";
import { mediaType } from "../disposition.ts";
import { isMissing, notFound } from "../file_errors.ts";
import { millisecondsOrNull, modifiedOf } from "../identity.ts";
import { infosOf, servableOnce } from "../listing/entry.ts";
import { ownAnswer, ownHeaders } from "../pages.ts";
import { entityTag } from "../representation.ts";
import type { Resolved, Root } from "../resolve.ts";
import { lockDiscovery, type Locks, SUPPORTED_LOCKS } from "./locks.ts";
import { hrefOf, type Place } from "./folder.ts";
import { childOf, DAV, isDav, PROLOG, textOf, XML, type XmlElement } from "./xml.ts";

/** A file or folder, with the facts that its properties derive from. */
interface Described {
  href: string;
  name: string;
  /** The entry's name below the real path of its folder. */
  path: string;
  info: Deno.FileInfo;
  /** The space on its disk, if a client asks for it. */
  room?: Room;
}

/** Disk space available to this user, and disk space used, in bytes. */
interface Room {
  free: number;
  used: number;
}

/** The context of properties, besides the file. */
interface Context {
  /** Undefined if nothing can be changed. */
  locks: Locks | undefined;
  /** Milliseconds since 1970. */
  now: number;
  /** Aborted when the client has left. */
  client: AbortSignal;
}

/** Returns a property's content in XML; undefined if the file or folder does not have the property. */
type Property = (described: Described, context: Context) => string | undefined;

/** The properties, by name in the namespace {@linkcode DAV}. */
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

/** Properties that cost a system call, returned only if a client names them. */
const NAMED: Record<string, Property> = {
  "quota-available-bytes": ({ room }) => room && String(room.free),
  "quota-used-bytes": ({ room }) => room && String(room.used),
};

/** The properties that a request asks for. */
interface Asked {
  /** Whether only the names are asked for. */
  namesOnly: boolean;
  /** The properties; defaults to all ordinary ones. */
  wanted?: { space: string; name: string }[];
}

/**
 * Parses the body of a PROPFIND.
 * @returns undefined if the body contains no known request.
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

/** Writes the properties of a file or folder as a `response` element. */
function response(described: Described, asked: Asked, context: Context): string {
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

/** A group of properties that share one status. */
function propstat(properties: string, status: string, rest = ""): string {
  return `<D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 ${status}</D:status>${rest}</D:propstat>`;
}

/** Whether only the system can change a property. */
function isLive({ space, name }: { space: string; name: string }): boolean {
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
 * The space on a folder's disk.
 * @returns undefined if the request does not ask for it.
 */
async function roomFor(folder: string, { wanted = [] }: Asked): Promise<Room | undefined> {
  if (!wanted.some(({ space, name }) => space === DAV && Object.hasOwn(NAMED, name))) return undefined;
  const { bavail, bfree, blocks, bsize } = await nodeModule("node:fs/promises").statfs(folder);
  return { free: bavail * bsize, used: (blocks - bfree) * bsize };
}

/** Maximum size of a response sent with its length, in bytes; a longer one is streamed. */
const WHOLE_LIMIT = 256 * 1024;

/** The beginning and end of multi-status responses. */
const BEGINNING = `${PROLOG}<D:multistatus xmlns:D="DAV:">\n`, END = "</D:multistatus>\n";

/**
 * Answers a PROPFIND.
 * @param place The file or folder.
 * @param withMembers Whether the entries of a folder are asked for (Depth 1).
 */
export async function propfind(
  root: Root,
  place: Place & { resolved: Resolved },
  asked: Asked,
  withMembers: boolean,
  context: Context,
): Promise<Response> {
  const parts = partsOf(root, place, asked, withMembers, context), encoder = new TextEncoder();
  const next = async () => {
    const { value, done } = await parts.next();
    return done ? undefined : encoder.encode(value);
  };
  const first: Uint8Array[] = [];
  for (let length = 0; length <= WHOLE_LIMIT;) {
    const part = await next();
    if (!part) return multistatus(concat(...first));
    first.push(part);
    length += part.length;
  }
  let beginning: Uint8Array<ArrayBuffer> | undefined = concat(...first);
  const body = streamOf(async () => {
    const part = beginning ?? await next();
    beginning = undefined;
    return part;
  }, () => parts.return());
  const headers = ownHeaders(0, ABOUT).filter(([name]) =>
    !["content-length", COMPRESSIBLE[0]].includes(name)
  );
  return new Response(body, { status: 207, headers });
}

const ABOUT = { name: "properties.xml", type: XML, status: 207 };

function multistatus(content: Uint8Array<ArrayBuffer>): Response {
  return ownAnswer(content, ABOUT);
}

async function* partsOf(
  root: Root,
  { names, path, lexicalPath, resolved }: Place & { resolved: Resolved },
  asked: Asked,
  withMembers: boolean,
  context: Context,
): AsyncGenerator<string, void> {
  const { info, real } = resolved;
  const room = info.isDirectory ? await root.reach(path, () => roomFor(real, asked)) : undefined;
  const own = { href: hrefOf(names, info.isDirectory), name: names.at(-1) ?? "files", path, info, room };
  yield BEGINNING + response(own, asked, context);
  if (withMembers && info.isDirectory) {
    for await (const block of blocksOf(root, real)) {
      const infos = await infosOf(root, { real, lexicalPath }, block, context.client);
      let text = "";
      for (const [i, info] of infos.entries()) {
        if (!info) continue;
        const name = block[i], href = hrefOf([...names, name], info.isDirectory);
        text += response({ href, name, path: join(real, name), info }, asked, context);
      }
      yield text;
    }
  }
  yield END;
}

/** Yields the servable names in a folder, in blocks. */
async function* blocksOf(root: Root, folder: string): AsyncGenerator<string[], void> {
  const isServable = servableOnce();
  try {
    for await (const block of root.items(folder)) yield block.map(({ name }) => name).filter(isServable);
  } catch (error) {
    throw isMissing(error) ? notFound() : error;
  }
}

/**
 * Answers a PROPPATCH: no property can be changed. The system owns those of the file system, and others are
 * not stored.
 * @returns undefined if the body is not a PROPPATCH.
 */
export function proppatch(
  place: Place & { resolved: Resolved },
  body: XmlElement | undefined,
): Response | undefined {
  if (!body || !isDav(body, "propertyupdate")) return undefined;
  const named = body.children
    .filter((child) => isDav(child, "set") || isDav(child, "remove"))
    .flatMap((child) => childOf(child, "prop")?.children ?? []);
  const stats = named.map(({ space, name }) => {
    const why = isLive({ space, name }) ? "<D:error><D:cannot-modify-protected-property/></D:error>" : "";
    return propstat(`<${name} xmlns="${textOf(space)}"/>`, "403 Forbidden", why);
  });
  const href = textOf(hrefOf(place.names, place.resolved.info.isDirectory));
  const content = `${BEGINNING}<D:response><D:href>${href}</D:href>${stats.join("")}</D:response>\n${END}`;
  return multistatus(new TextEncoder().encode(content));
}
