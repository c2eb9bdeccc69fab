/** A folder's listing, for people and for scripts. */

import { acceptsGzip } from "../../http/compression.ts";
import { RequestError } from "../../http/request_error.ts";
import { HTML, ownAnswer, type OwnContent, ownHeaders, stylePolicy } from "../pages.ts";
import type { Resolved, Root } from "../resolve.ts";
import { SORTS } from "./entry.ts";
import { LargeListings } from "./large.ts";
import { STYLE } from "./style.ts";
import { type Format, FORMATS, type Listing, writeListing } from "./write.ts";

/**
 * Folders with more entries are listed on another thread, which takes 40 ms to start. 2,000 entries take 20 ms on this
 * one and delay other requests by 8 ms at most, because they are read asynchronously.
 */
const LARGE = 2000;

const POLICY = await stylePolicy(STYLE, "form-action 'self'"); // headings are forms
const TYPES: Record<Format, string> = { html: HTML, json: "application/json" };

/** Lists the folders below a root. */
export class Listings {
  readonly #large = new LargeListings();

  constructor(readonly root: Root) {}

  /**
   * Lists a folder.
   * @param folder What the path leads to.
   * @param lexicalPath The path that the request names, without regard to links.
   * @param names The names in that path.
   * @param query `sort`, `order` and `format=json`.
   * @returns A small folder's listing in memory, which `compressedFor` can compress; a large one's as a stream in the
   * coding that the request accepts. Both have a Content-Length.
   * @throws RequestError 400 if the query asks for an unknown order or format, 404 if the folder is gone; BusyError if
   * too many large folders are being listed.
   */
  async answer(
    folder: Resolved,
    lexicalPath: string,
    names: string[],
    query: string,
    request: Request,
  ): Promise<Response> {
    const listing = this.#listing(folder, lexicalPath, names, new URLSearchParams(query));
    const about: OwnContent = {
      name: `${names.at(-1) ?? "files"}.${listing.format}`,
      type: TYPES[listing.format],
      headers: listing.format === "html" ? { "content-security-policy": POLICY } : {},
    };
    const chunks = await writeListing(listing, LARGE);
    if (chunks) return ownAnswer(await new Blob([...chunks]).bytes(), about);
    const gzip = acceptsGzip(request.headers);
    const { length, body } = await this.#large.answer(listing, gzip, request.signal);
    const headers = ownHeaders(length, about);
    return new Response(body, { headers: gzip ? [...headers, ["content-encoding", "gzip"]] : headers });
  }

  #listing({ real, info }: Resolved, lexicalPath: string, names: string[], asked: URLSearchParams): Listing {
    const { exclusions } = this.root;
    return {
      root: this.root.real,
      exclusions: { secrets: exclusions.secrets(), hidden: exclusions.hidden },
      folder: real,
      identity: { dev: info.dev, ino: info.ino },
      lexicalPath,
      names,
      view: {
        sort: choice(asked, "sort", SORTS),
        descending: choice(asked, "order", ["asc", "desc"]) === "desc",
      },
      format: choice(asked, "format", FORMATS),
    };
  }
}

function choice<const T extends string>(asked: URLSearchParams, name: string, allowed: readonly T[]): T {
  const value = asked.get(name) ?? allowed[0];
  if ((allowed as readonly string[]).includes(value)) return value as T;
  throw new RequestError(400, `${name} must be one of ${allowed.join(", ")}.`);
}
