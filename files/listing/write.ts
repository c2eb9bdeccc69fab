/** From a folder to its listing as chunks of UTF-8. Small and large folders take the same way, on any thread. */

import { isMissing, notFound } from "../file_errors.ts";
import type { Identity } from "../identity.ts";
import { Root } from "../resolve.ts";
import type { Secrets } from "../secrets.ts";
import type { Contents, View } from "./entry.ts";
import { jsonParts } from "./json.ts";
import { ordered } from "./order.ts";
import { pageParts } from "./page.ts";
import { readEntries } from "./read.ts";

/** What a listing can be written as. */
export const FORMATS = ["html", "json"] as const;
/** One of {@linkcode FORMATS}. */
export type Format = typeof FORMATS[number];

/** A chunk of a listing in UTF-8. */
export type Chunk = Uint8Array<ArrayBuffer>;

/** Which folder to list, and how. It is plain data, which can be sent to another thread. */
export interface Listing {
  /** The real path of the folder that is served. */
  root: string;
  /** What below it is not listed. */
  exclusions: { secrets: Secrets; hidden: boolean };
  /** The real path of the folder to list. */
  folder: string;
  /** The device and file number under which the folder was found. */
  identity: Identity;
  /** The path that the request names, without regard to links. */
  lexicalPath: string;
  /** The names in that path. */
  names: string[];
  view: View;
  format: Format;
}

const PARTS: Record<Format, (contents: Contents) => Generator<string>> = { html: pageParts, json: jsonParts };

/** The length of a chunk in UTF-16 code units, up to the end of a row; the last one is shorter. */
const CHUNK = 256 * 1024;

/**
 * Reads a folder and writes its listing.
 *
 * While a large folder waits for its turn, another program may put a link in its place. So after the reading the path must still
 * lead to the folder that was found.
 * @param limit The most items that a folder may have.
 * @returns The text in chunks, each made when the caller asks for it; undefined if there are more items than the limit.
 * @throws RequestError 404 if the folder is gone or may not be read.
 */
export async function writeListing(listing: Listing, limit = Infinity): Promise<Iterable<Chunk> | undefined> {
  const { folder, identity, lexicalPath, names, view, format } = listing;
  const { secrets, hidden } = listing.exclusions;
  const root = new Root(listing.root, { secrets: () => secrets, hidden });
  try {
    const entries = await readEntries(root, folder, lexicalPath, limit);
    if (!entries) return undefined;
    if (!root.leadsTo(lexicalPath, identity)) throw notFound();
    return chunks(PARTS[format]({ names, entries: entries.inOrder(ordered(entries, view)), view }));
  } catch (error) {
    throw isMissing(error) ? notFound() : error;
  }
}

function* chunks(parts: Iterable<string>): Generator<Chunk> {
  const encoder = new TextEncoder();
  let text = "";
  for (const part of parts) {
    text += part;
    if (text.length < CHUNK) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text) yield encoder.encode(text);
}
