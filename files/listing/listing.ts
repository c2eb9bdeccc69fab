/**
 * A folder's pages, for people and for scripts. A thread makes the listings of large folders, one at a time;
 * they stay in memory while they are sent.
 */

import { CallWorker } from "../../core/worker.ts";
import { BusyError } from "../../core/errors.ts";
import { Mutex } from "../../core/mutex.ts";
import { join } from "../../core/path.ts";
import { timeByLoad } from "../../core/proc.ts";
import { RequestError } from "../../http/request.ts";
import { acceptsGzip, streamOf } from "../../http/stream.ts";
import { notFound } from "../file_errors.ts";
import { HTML, inlinePolicy, ownAnswer, type OwnContent, ownHeaders } from "../pages.ts";
import { Renderer } from "../render/renderer.ts";
import type { Resolved, Root } from "../resolve.ts";
import { allAnswer, whileAllAnswer } from "../../core/disk.ts";
import type { Readme } from "./entry.ts";
import { assetsOf, type Extra, extrasOf, type PageKind } from "./html.ts";
import { choice, viewOf } from "./query.ts";
import { shownFile, TEXT_LIMIT } from "./viewer.ts";
import { type Chunk, type Format, FORMATS, type Listing, pageKindOf, writeListing } from "./write.ts";

/** File names of a folder's readme; the first that exists is used. */
const NAMES = ["README.md", "readme.md", "Readme.md"];

const policies = new Map<string, Promise<string>>();

/**
 * A page's Content-Security-Policy: its own styles and scripts by digest, and nothing from other hosts. For
 * the parameters see {@linkcode assetsOf}.
 */
function policyOf(kind: PageKind, extras: readonly Extra[] = []): Promise<string> {
  const key = [kind, ...extras].join(" ");
  const policy = policies.get(key) ?? inlinePolicy(assetsOf(kind, extras));
  policies.set(key, policy);
  return policy;
}

/** Entries above which another thread, which takes 40 ms to start, lists a folder; 2,000 take 20 ms here. */
const LARGE = 2000;

const TYPES: Record<Format, string> = { html: HTML, json: "application/json" };

/** The file or folder that a request names. */
export interface Named extends Resolved {
  /** The path that the request names, links not resolved. */
  lexicalPath: string;
  /** The names in that path. */
  names: string[];
}

/** Makes the pages of folders below a root, and of the files in them. */
export class Listings {
  readonly #large = new LargeListings();
  readonly #renderer = new Renderer();

  /**
   * @param takesFiles Whether files can be uploaded.
   * @param hasThumbnails Whether thumbnails are available.
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
   * @returns A small folder's listing in memory, which `compressedFor` can compress; a large one's as a
   * stream in a coding that the request accepts. Both have a Content-Length.
   * @throws RequestError 400 if the query asks for an unknown order, layout or format, 404 if the folder is
   * gone; BusyError if too many large folders are being listed.
   */
  async answer(folder: Named, query: string, request: Request): Promise<Response> {
    const asked = new URLSearchParams(query), format = choice(asked, "format", FORMATS);
    const listing = { ...this.#listing(folder, asked), format };
    const isList = format === "html" && !listing.view.layout && !listing.view.search;
    const readme = isList ? await readReadme(this.root, folder, this.#renderer) : undefined;
    return await this.#written({ ...listing, readme }, request);
  }

  /**
   * Shows a file in a page, with links to its neighbours.
   * @param query A query for which `asksToShow` returns true.
   * @returns As {@linkcode answer}.
   * @throws As {@linkcode answer}; FileChangedError if the file changed during the read.
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
    const gzip = acceptsGzip(request.headers), disks = this.root.disksBelow(listing.folder);
    await allAnswer(disks);
    const { length, body } = await whileAllAnswer(disks, (gone) => {
      return this.#large.answer(listing, gzip, AbortSignal.any([request.signal, gone]));
    });
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

/** How long a list waits for its readme while other texts are rendered first, in milliseconds. */
const README_MS = 300;

/** Returns the result if it arrives in time; undefined otherwise. */
async function within<T>(ms: number, result: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>(), timer = setTimeout(() => late.resolve(undefined), ms);
  return await Promise.race([result, late.promise]).finally(() => clearTimeout(timer));
}

/**
 * Reads and renders a folder's readme.
 * @returns undefined if there is none, or it cannot be rendered in time; a later list may have it.
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
    // A file that is gone, locked or being written to does not make the listing fail.
    const isBusy = renderer.isBusy;
    const shown = shownFile(root, file, name, renderer).then(({ rendered }) => rendered, () => undefined);
    const rendered = await (isBusy ? within(README_MS, shown) : shown);
    return rendered ? { name, html: rendered } : undefined;
  }
  return undefined;
}

/** Maximum number of queued listings. */
const WAITING_LIMIT = 64;
/** Maximum bytes of listings in flight. A listing of a million files has 240 MB, or 15 MB in gzip. */
const SENDING_LIMIT = 256 * 1024 * 1024;
/**
 * How long the thread stays alive without work, and the maximum time for a listing, in milliseconds: a
 * listing of a hanging network share would otherwise block all later ones.
 */
const IDLE_MS = 10_000, LIMIT_MS = 120_000;

/** A listing to make. */
export interface LargeListing {
  listing: Listing;
  /** Whether clients receive it in gzip. */
  gzip: boolean;
}

/** A queued listing. */
interface Waiting {
  made: Promise<Chunk[]>;
  /** The signals of the waiting clients; each is aborted when its client leaves. */
  clients: AbortSignal[];
}

/** A listing as sent to a client. */
export interface Sent {
  /** Length in bytes. */
  length: number;
  body: ReadableStream<Uint8Array>;
}

/**
 * Makes one listing at a time: many clients at the same time need only one thread, and memory for one folder.
 */
export class LargeListings {
  readonly #waiting = new Map<string, Waiting>();
  readonly #turns = new Mutex(WAITING_LIMIT, "Too many large folders are being listed; try again later.");
  readonly #worker: CallWorker<LargeListing, Chunk[]>;
  /** Listings in flight, each with its number of clients. */
  readonly #sending = new Map<Chunk[], number>();

  /**
   * @param sendingLimit Maximum bytes of listings in flight; above it, no new listing begins.
   * @param limitMs Maximum time for a listing, in milliseconds.
   */
  constructor(readonly sendingLimit = SENDING_LIMIT, limitMs = LIMIT_MS) {
    const url = { url: new URL("../workers.ts", import.meta.url), role: "list" };
    this.#worker = new CallWorker({ url, idleMs: IDLE_MS, limitMs, limitLaterMs: () => timeByLoad(limitMs) });
  }

  /**
   * Makes a listing. Requests for the same listing share the result if they arrive before it begins.
   * @param gzip Whether the client receives it in gzip.
   * @param client Aborted when the client leaves. If all clients of a listing leave before its turn, it does
   * not begin.
   * @returns The listing, which is in flight until its body is read to the end or cancelled.
   * @throws RequestError 404 if the folder is gone, 499 if all clients have left; BusyError if too many
   * listings are queued or in flight, or it takes too long; Error if the folder cannot be listed for another
   * reason.
   */
  async answer(listing: Listing, gzip: boolean, client: AbortSignal): Promise<Sent> {
    return this.#send(await this.#make({ listing, gzip }, client));
  }

  #make(large: LargeListing, client: AbortSignal): Promise<Chunk[]> {
    const key = JSON.stringify(large);
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.clients.push(client);
      return waiting.made;
    }
    const clients = [client];
    let begun = false;
    const made = this.#turns.run(() => {
      begun = true;
      this.#waiting.delete(key);
      if (clients.every(({ aborted }) => aborted)) throw new RequestError(499, "The client disconnected.");
      if (this.#bytesSending() >= this.sendingLimit) {
        throw new BusyError("Too many listings of large folders are being sent; try again later.");
      }
      return this.#write(large, clients.length === 1 ? client : undefined);
    });
    if (!begun) this.#waiting.set(key, { made, clients });
    return made;
  }

  async #write(large: LargeListing, client?: AbortSignal): Promise<Chunk[]> {
    try {
      return await this.#worker.call(large, [], client);
    } catch (error) {
      // Only an error's name and message cross threads. A listing throws no status but 404.
      throw (error as Error).name === "RequestError" ? notFound() : error;
    }
  }

  #send(chunks: Chunk[]): Sent {
    this.#sending.set(chunks, (this.#sending.get(chunks) ?? 0) + 1);
    const wire = chunks.values();
    return {
      length: lengthOf(chunks),
      body: streamOf(() => wire.next().value?.slice(), () => this.#sent(chunks)), // others may get the same chunk
    };
  }

  #sent(chunks: Chunk[]) {
    const others = this.#sending.get(chunks)! - 1;
    if (others) this.#sending.set(chunks, others);
    else this.#sending.delete(chunks);
  }

  #bytesSending(): number {
    return this.#sending.keys().reduce((sum, chunks) => sum + lengthOf(chunks), 0);
  }
}

function lengthOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
