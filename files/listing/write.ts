/** The content of a listing. Nothing here waits: a large folder is written on a thread of its own. */

import { notFound } from "../file_errors.ts";
import { Root } from "../resolve.ts";
import type { Secrets } from "../secrets.ts";
import type { Identity } from "../identity.ts";
import type { Entry, View } from "./entry.ts";
import { writeJson } from "./json.ts";
import { ordered } from "./order.ts";
import { writePage } from "./page.ts";
import { readEntries } from "./read.ts";

/** What a listing can be written as. */
export const FORMATS = ["html", "json"] as const;
/** One of {@linkcode FORMATS}. */
export type Format = typeof FORMATS[number];

/** What is to be listed, and how. It can be sent to another thread. */
export interface Listing {
  /** The real path of the folder that is served. */
  root: string;
  /** What of it is not listed. */
  exclusions: { secrets: Secrets; hidden: boolean };
  /** The real path of the folder to list. */
  folder: string;
  /** What it was found to be. */
  identity: Identity;
  /** The path that was asked for, links not followed. */
  place: string;
  /** Names on the way to it. */
  names: string[];
  view: View;
  format: Format;
}

/** Writes entries that are in order. */
type Write = (names: readonly string[], entries: readonly Entry[], view: View) => string;

const WRITE: Record<Format, Write> = { html: writePage, json: writeJson };

/**
 * Writes a listing.
 *
 * A large folder may have waited long for its turn, and a link may have come in its place. So only what is still the
 * folder that was found, and inside, once all was read is told of.
 * @param items What the folder was found to hold.
 * @returns Text in UTF-8.
 * @throws RequestError 404 if the folder is no longer there.
 */
export function writeListing(listing: Listing, items: Iterable<Deno.DirEntry>): Uint8Array<ArrayBuffer> {
  const { folder, identity, place, names, view, format } = listing;
  const { secrets, hidden } = listing.exclusions;
  const root = new Root(listing.root, { secrets: () => secrets, hidden });
  const entries = readEntries(root, folder, place, items);
  if (!root.leadsTo(place, identity)) throw notFound();
  return new TextEncoder().encode(WRITE[format](names, ordered(entries, view), view));
}
