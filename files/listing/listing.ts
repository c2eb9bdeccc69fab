/** The pages of a folder, for people and for scripts. */

import { join } from "../../core/path.ts";
import { acceptsGzip } from "../../http/stream.ts";
import { HTML, inlinePolicy, ownAnswer, type OwnContent, ownHeaders } from "../pages.ts";
import type { Resolved, Root } from "../resolve.ts";
import { shownFile, TEXT_LIMIT } from "./viewer.ts";
import { LargeListings } from "./large.ts";
import type { Readme } from "./entry.ts";
import { choice, viewOf } from "./query.ts";
import { type Format, FORMATS, type Listing, pageKindOf, writeListing } from "./write.ts";
import { assetsOf, type Extra, extrasOf, type PageKind } from "./html.ts";
import { Renderer } from "../render/renderer.ts";

/** Names of a folder's readme; the first that is there counts. */
const NAMES = ["README.md", "readme.md", "Readme.md"];

const policies = new Map<string, Promise<string>>();

/**
 * The Content-Security-Policy of a page: its own styles and scripts by their digests, and nothing of other hosts. For the
 * parameters see {@linkcode assetsOf}.
 */
function policyOf(kind: PageKind, extras: readonly Extra[] = []): Promise<string> {
  const key = [kind, ...extras].join(" ");
  const policy = policies.get(key) ?? inlinePolicy(assetsOf(kind, extras));
  policies.set(key, policy);
  return policy;
}

/** Folders with more entries are listed on another thread, which takes 40 ms to start; 2,000 take 20 ms on this one. */
const LARGE = 2000;

const TYPES: Record<Format, string> = { html: HTML, json: "application/json" };

/** A file or folder that a request names. */
export interface Named extends Resolved {
  /** The path that the request names, without regard to links. */
  lexicalPath: string;
  /** The names in that path. */
  names: string[];
}

/** Makes pages of the folders below a root, and of the files in them. */
export class Listings {
  readonly #large = new LargeListings();
  readonly #renderer = new Renderer();

  /**
   * @param takesFiles Whether files can be uploaded.
   * @param hasThumbnails Whether small pictures can be had.
   * @param isShared Whether files can be shared by links.
   */
  constructor(
    readonly root: Root,
    readonly takesFiles = false,
    readonly hasThumbnails = false,
    readonly isShared = false,
  ) {}

  /**
   * Lists a folder.
   * @param query `sort`, `order`, `view`, `q`, `deep` and `format=json`.
   * @returns A small folder's listing in memory, which `compressedFor` can compress; a large one's as a stream in the
   * coding that the request accepts. Both have a Content-Length.
   * @throws RequestError 400 if the query asks for an unknown order, layout or format, 404 if the folder is gone;
   * BusyError if too many large folders are being listed.
   */
  async answer(folder: Named, query: string, request: Request): Promise<Response> {
    const asked = new URLSearchParams(query), format = choice(asked, "format", FORMATS);
    const listing = { ...this.#listing(folder, asked), format };
    const isList = format === "html" && !listing.view.layout && !listing.view.search;
    const readme = isList ? await readReadme(this.root, folder, this.#renderer) : undefined;
    return await this.#written({ ...listing, readme }, request);
  }

  /**
   * Shows a file in a page, with ways to its neighbours.
   * @param query One that `asksToShow` takes.
   * @returns As {@linkcode answer}.
   * @throws As {@linkcode answer}; FileChangedError if the file changed while it was read.
   */
  async show(file: Named, query: string, request: Request): Promise<Response> {
    const names = file.names.slice(0, -1), name = file.names.at(-1)!;
    const lexicalPath = this.root.path(names);
    const folder = { ...await this.root.find(lexicalPath), lexicalPath, names };
    const shown = await shownFile(this.root, file, name, this.#renderer);
    return await this.#written(
      { ...this.#listing(folder, new URLSearchParams(query)), file: shown },
      request,
    );
  }

  async #written(listing: Listing, request: Request): Promise<Response> {
    const { format, file, names, view } = listing;
    const about: OwnContent = {
      name: `${file?.name ?? names.at(-1) ?? "files"}.${format}`,
      type: TYPES[format],
      headers: format === "html"
        ? { "content-security-policy": await policyOf(pageKindOf(listing), extrasOf(listing)) }
        : {},
    };
    const chunks = view.search?.deep ? undefined : await writeListing(listing, LARGE, request.signal);
    if (chunks) return ownAnswer(await new Blob([...chunks]).bytes(), about);
    const gzip = acceptsGzip(request.headers);
    const { length, body } = await this.#large.answer(listing, gzip, request.signal);
    const headers = ownHeaders(length, about);
    return new Response(body, { headers: gzip ? [...headers, ["content-encoding", "gzip"]] : headers });
  }

  #listing({ real, info, lexicalPath, names }: Named, asked: URLSearchParams): Listing {
    return {
      root: this.root.data(),
      folder: real,
      identity: { dev: info.dev, ino: info.ino },
      lexicalPath,
      names,
      view: viewOf(asked),
      takesFiles: this.takesFiles,
      hasThumbnails: this.hasThumbnails,
      isShared: this.isShared,
      format: "html",
    };
  }
}

/** The time that a list waits for its readme while other texts are rendered before it, in milliseconds. */
const README_MS = 300;

/** Gives a result that comes in time; undefined otherwise. */
async function within<T>(ms: number, result: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>(), timer = setTimeout(() => late.resolve(undefined), ms);
  return await Promise.race([result, late.promise]).finally(() => clearTimeout(timer));
}

/**
 * Reads and renders a folder's readme.
 * @returns undefined if there is none, or it cannot be shown in time; a later list may have it.
 */
async function readReadme(
  root: Root,
  folder: { lexicalPath: string },
  renderer: Renderer,
): Promise<Readme | undefined> {
  for (const name of NAMES) {
    const file = await root.findOrNull(join(folder.lexicalPath, name));
    if (!file?.info.isFile) continue;
    if (file.info.size > TEXT_LIMIT) return undefined;
    // A listing is not refused because of a file that is gone, locked or written to.
    const isBusy = renderer.isBusy;
    const shown = shownFile(root, file, name, renderer).then(({ rendered }) => rendered, () => undefined);
    const rendered = await (isBusy ? within(README_MS, shown) : shown);
    return rendered ? { name, html: rendered } : undefined;
  }
  return undefined;
}
