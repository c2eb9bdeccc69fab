/** A folder's listing, for people and for scripts. */

import { RequestError } from "../../http/request_error.ts";
import { HTML, ownAnswer, stylePolicy } from "../pages.ts";
import { isMissing, notFound } from "../file_errors.ts";
import type { Resolved, Root } from "../resolve.ts";
import { SORTS } from "./entry.ts";
import { LargeListings } from "./large.ts";
import { STYLE } from "./page.ts";
import { type Format, FORMATS, type Listing, writeListing } from "./write.ts";

/** Folders with more entries are listed on a thread of their own: so many take 5 ms here, a thread 40 to start. */
const LARGE = 500;
/** Folders with more entries wait for each other alone, since they may take seconds: the others do not wait for them. */
const HUGE = 5000;

const POLICY = await stylePolicy(STYLE);
const TYPES: Record<Format, string> = { html: HTML, json: "application/json" };

/** Lists the folders below a root. */
export class Listings {
  readonly #large = new LargeListings();
  readonly #huge = new LargeListings();

  constructor(readonly root: Root) {}

  /**
   * Lists a folder.
   * @param folder What was found.
   * @param place The path that was asked for, links not followed.
   * @param names Names on the way to it.
   * @param query `sort`, `order` and `format=json`.
   * @param client Aborted when the client leaves.
   * @throws RequestError 400 if the query asks for what is not there, 404 if the folder is gone.
   */
  async answer(
    folder: Resolved,
    place: string,
    names: string[],
    query: string,
    client: AbortSignal,
  ): Promise<Response> {
    const { exclusions } = this.root;
    const asked = new URLSearchParams(query);
    const format = choice(asked, "format", FORMATS);
    const listing: Listing = {
      root: this.root.real,
      exclusions: { secrets: exclusions.secrets(), hidden: exclusions.hidden },
      folder: folder.real,
      identity: { dev: folder.info.dev, ino: folder.info.ino },
      place,
      names,
      view: {
        sort: choice(asked, "sort", SORTS),
        descending: choice(asked, "order", ["asc", "desc"]) === "desc",
      },
      format,
    };
    const { items, count } = await itemsOf(folder.real);
    const content = count <= LARGE
      ? writeListing(listing, items)
      : await (count <= HUGE ? this.#large : this.#huge).write(listing, client);
    return ownAnswer(content, {
      name: `${names.at(-1) ?? "files"}.${format}`,
      type: TYPES[format],
      headers: format === "html" ? { "content-security-policy": POLICY } : {},
    });
  }
}

/**
 * What a folder holds.
 * @returns The first of it, all of it unless it is large, and how much there is; what is beyond huge is not counted.
 * @throws RequestError 404 if it is gone, or may not be read.
 */
async function itemsOf(folder: string): Promise<{ items: Deno.DirEntry[]; count: number }> {
  const items: Deno.DirEntry[] = [];
  let count = 0;
  try {
    for await (const item of Deno.readDir(folder)) {
      if (++count <= LARGE) items.push(item);
      else if (count > HUGE) break;
    }
    return { items, count };
  } catch (error) {
    throw isMissing(error) ? notFound() : error;
  }
}

function choice<const T extends string>(asked: URLSearchParams, name: string, allowed: readonly T[]): T {
  const value = asked.get(name) ?? allowed[0];
  if ((allowed as readonly string[]).includes(value)) return value as T;
  throw new RequestError(400, `${name} must be one of ${allowed.join(", ")}.`);
}
