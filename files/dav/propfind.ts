/** PROPFIND and PROPPATCH (RFC 4918 sections 9.1 and 9.2): properties of a folder's entries, sent while they are read. */

import { concat } from "../../core/bytes.ts";
import { join } from "../../core/path.ts";
import { COMPRESSIBLE, streamOf } from "../../http/stream.ts";
import { isMissing, notFound } from "../file_errors.ts";
import { ownAnswer, ownHeaders } from "../pages.ts";
import { infosOf, servableOnce } from "../listing/entry.ts";
import type { Resolved, Root } from "../resolve.ts";
import { hrefOf, type Place } from "./place.ts";
import { type Asked, type Context, isLive, propstat, response, roomFor } from "./properties.ts";
import { childOf, isDav, PROLOG, textOf, XML, type XmlElement } from "./xml.ts";

/** Names that are described at once. */
const BLOCK = 512;
/** The longest answer that is sent with its length, in bytes; the rest of a longer one is sent as it is made. */
const WHOLE_LIMIT = 256 * 1024;

/** The beginning and the end of answers about several resources. */
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
    for await (const block of blocksOf(real)) {
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

/** The names in a folder that can be served. */
async function* blocksOf(folder: string): AsyncGenerator<string[], void> {
  const isServable = servableOnce();
  let block: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (isServable(name)) block.push(name);
      if (block.length < BLOCK) continue;
      yield block;
      block = [];
    }
  } catch (error) {
    throw isMissing(error) ? notFound() : error;
  }
  yield block;
}

/**
 * Answers a PROPPATCH: no property can be changed. Those of the file system are the system's own, and others are not
 * kept.
 * @returns undefined if the body is no PROPPATCH.
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
