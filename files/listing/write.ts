/** Writes a folder's listing as chunks of UTF-8. Small and large folders use the same code, on any thread. */

import { isMissing, notFound } from "../file_errors.ts";
import { type Identity, isSame } from "../identity.ts";
import { Root, type RootData } from "../resolve.ts";
import { basename } from "../../core/path.ts";
import { printableJson } from "../../core/printable.ts";
import type { PageKind } from "./html.ts";
import { DeepSearch, type Found, nameFilter, ordered, readEntries } from "./read.ts";
import { type Contents, type Entry, type Readme, type ShownFile, totalsOf, type View } from "./entry.ts";
import { galleryParts, listParts } from "./list.ts";
import { viewerParts } from "./viewer.ts";

export const FORMATS = ["html", "json"] as const;
/** One of {@linkcode FORMATS}. */
export type Format = typeof FORMATS[number];

/** A chunk of a listing in UTF-8. */
export type Chunk = Uint8Array<ArrayBuffer>;

/** A folder to list, with its view, as plain data that can be sent to another thread. */
export interface Listing {
  /** The served folder. */
  root: RootData;
  /** The real path of the folder to list. */
  folder: string;
  /** The device and inode number of the folder when it was found. */
  identity: Identity;
  /** The path that the request names, links not resolved. */
  lexicalPath: string;
  /** The names in that path. */
  names: string[];
  view: View;
  /** Whether files can be uploaded into the folder; defaults to false. */
  takesFiles?: boolean;
  /** Whether thumbnails are available; defaults to false. */
  hasThumbnails?: boolean;
  /** Whether files can be shared by links; defaults to false. */
  isShared?: boolean;
  format: Format;
  /** The folder's readme. */
  readme?: Readme;
  /** A file in the folder to show in a page instead of the entries. */
  file?: ShownFile;
}

/** Writes a listing's parts, in order. */
type Writer = (contents: Contents) => Generator<string>;

const PAGES: Record<Exclude<PageKind, "share" | "drop">, Writer> = {
  list: listParts,
  gallery: galleryParts,
  viewer: viewerParts,
};

/** The page kind of an HTML listing. */
export function pageKindOf({ file, view }: Listing): keyof typeof PAGES {
  return file ? "viewer" : view.layout ?? "list";
}

/** Minimum length of a chunk in UTF-16 code units, extended to a row's end; the last may be shorter. */
const CHUNK = 256 * 1024;

/**
 * Reads a folder and writes its listing.
 *
 * While a large folder waits for its turn, another program may replace it with a link. Therefore the path
 * must still lead to the same folder after it is read.
 * @param limit Maximum number of items in the folder.
 * @param client Aborted when the client has left.
 * @returns The text in chunks, each made on demand; undefined if there are more items than the limit.
 * @throws RequestError 404 if the folder is gone or unreadable, 499 if the client has left.
 */
export async function writeListing(
  listing: Listing,
  limit = Infinity,
  client?: AbortSignal,
): Promise<Iterable<Chunk> | undefined> {
  const { identity, lexicalPath, names, view, takesFiles, hasThumbnails, isShared, readme, file } = listing;
  const root = Root.of(listing.root);
  try {
    const found = await find(root, listing, limit, client);
    if (!found) return undefined;
    const now = await root.findAgain(lexicalPath);
    if (!now || !isSame(now.info, identity)) throw notFound();
    const { entries, cut, nameless, totals = totalsOf(entries) } = found;
    const write = listing.format === "json" ? jsonParts : PAGES[pageKindOf(listing)];
    return chunks(
      write({
        top: nameOf(listing.root.real),
        names,
        entries: ordered(entries, view),
        totals,
        cut,
        nameless,
        view,
        takesFiles,
        hasThumbnails,
        isShared,
        readme,
        file,
      }),
    );
  } catch (error) {
    throw isMissing(error) ? notFound() : error;
  }
}

/** The served folder's name; the root of a drive has none. */
function nameOf(real: string): string {
  const name = basename(real);
  return /[\\/]/.test(name) ? "files" : name;
}

/**
 * @returns The result, without totals if they equal those of the entries; undefined if there are more items
 * than the limit.
 */
async function find(
  root: Root,
  { folder, lexicalPath, identity, view: { search } }: Listing,
  limit: number,
  client?: AbortSignal,
): Promise<Omit<Found, "totals"> & Partial<Found> | undefined> {
  const isWanted = nameFilter(search?.text ?? "");
  if (search?.deep) return await new DeepSearch(root, folder, lexicalPath, identity, isWanted).run();
  return await readEntries(root, { real: folder, lexicalPath }, {
    limit,
    client,
    isWanted,
    mayWait: limit === Infinity,
  });
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

/**
 * Writes a listing as JSON. For a search, and for a folder with too many entries, the JSON also contains the
 * number of entries found, and whether the list is complete.
 * @returns Its parts, in order.
 */
function* jsonParts(
  { names, entries, totals, view: { search }, cut, nameless }: Contents,
): Generator<string> {
  const path = "/" + names.map((name) => `${name}/`).join("");
  const found = search || cut ? `"found":${totals.folders + totals.files},"complete":${!cut},` : "";
  const lost = nameless ? `"nameless":${nameless},` : "";
  yield `{"path":${quoted(path)},${found}${lost}"entries":[`;
  let comma = "";
  for (const entry of entries) {
    yield comma + object(entry);
    comma = ",";
  }
  yield "]}";
}

function object({ name, size, modified }: Entry): string {
  const type = size === undefined ? `"type":"folder"` : `"type":"file","size":${size}`;
  const time = modified === null ? "null" : `"${new Date(modified).toISOString()}"`;
  return `{"name":${quoted(name)},${type},"modified":${time}}`;
}

/** A JSON string that is safe to print on a terminal. */
function quoted(text: string): string {
  return printableJson(JSON.stringify(text));
}
