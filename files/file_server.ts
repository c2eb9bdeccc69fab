/** Serves one folder: resolves a path, plans the response, reads the file's bytes, responds. */

import { basename } from "../core/path.ts";
import { isOnLocalDisk } from "../core/proc.ts";
import { RequestError, targetOf } from "../http/request.ts";
import { SHARE_PATH } from "../http/secret.ts";
import { type Coding, compressedFor } from "../http/stream.ts";
import { archiveFormat, Archives, describeArchive } from "./archive/archives.ts";
import type { FormatName } from "./archive/plan.ts";
import { CACHED_CONTENT_LIMIT, FileCache } from "./cache.ts";
import { codingFor, Compressor } from "./compressor.ts";
import { isConditional, precondition } from "./conditional.ts";
import { lengthOf, type Piece, plan } from "./plan.ts";
import { dependsOnContent, HEAD } from "./disposition.ts";
import { notFound } from "./file_errors.ts";
import { type FileVersion, hasStrongValidator, isLongAgo, isUnchanged } from "./identity.ts";
import { Listings, type Named } from "./listing/listing.ts";
import { asksForJson, asksForThumbnail, asksToShow } from "./listing/query.ts";
import { errorPage, redirect, withOriginHeaders } from "./pages.ts";
import { readAtOnce, readPieces, slicePieces } from "./read.ts";
import { describe, type Representation } from "./representation.ts";
import { type OpenFile, pathNames, type Resolved, type Root } from "./resolve.ts";
import { thumbnailAnswer, type Thumbnails } from "./thumbnails/thumbnails.ts";

interface FileServerOptions {
  /** Whether a folder's index.html is served instead of its listing. */
  index: boolean;
  /** Whether files that may contain scripts are sent without a sandbox. */
  trustHtml: boolean;
  /** Headers shared by all responses. */
  shared: [string, string][];
  /** Receives the number of a file's bytes handed to the system for sending. */
  sent: (bytes: number) => void;
  /** Methods that the server supports, including those of other handlers. */
  methods: readonly string[];
  /** Returns the time, in milliseconds since 1970. */
  clock: () => number;
  /** Whether files can be shared by links. */
  isShared: boolean;
  /** Makes thumbnails; none if omitted. */
  thumbnails?: Thumbnails;
}

/** Maximum length of a path and query: longer than any file path when percent-encoded. */
const TARGET_LIMIT = 16 * 1024;
/** Maximum length of a cached file's path, because the cache does not count paths as memory. */
const CACHED_PATH_LIMIT = 512;
/** Responses to longer Range headers are not cached. */
const CACHED_RANGE_LIMIT = 64;

/**
 * How long this thread may query a file on a local disk after another thread has queried it, in milliseconds.
 * The system then still has the metadata in memory and does not wait for the disk. Using another thread costs
 * several times as much as the rest of a response, but on a network share this thread could block forever.
 */
const AT_ONCE_MS = 5000;

/** A file to serve. */
interface ServedFile {
  /** The real path. */
  real: string;
  info: FileVersion;
  /** The requested path, links not resolved. */
  lexicalPath: string;
  representation: Representation;
  /** The content; undefined for a large file. */
  content?: Uint8Array<ArrayBuffer>;
  /** Until when this thread may query the file system itself; see {@linkcode AT_ONCE_MS}. */
  atOnceUntil?: number;
}

/** The body of a response. */
type Body = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** A request, and its path and query. */
interface FileRequest {
  request: Request;
  /** The request's path, percent-encoded as sent. */
  path: string;
  /** The URL's query without `?`. */
  query: string;
}

/** Answers GET and HEAD with files, listings, archives and redirects. */
export class FileServer {
  readonly #listings: Listings;
  readonly #archives: Archives;
  readonly #compressor = new Compressor<ServedFile>();
  readonly #cache = new FileCache<ServedFile>((file) => this.#isCurrent(file));

  /** @param root The served folder. */
  constructor(readonly root: Root, readonly options: FileServerOptions) {
    const { methods, thumbnails, isShared } = options;
    this.#listings = new Listings(root, methods.includes("PUT"), thumbnails !== undefined, isShared);
    this.#archives = new Archives(root);
  }

  /**
   * Answers a request.
   * @throws RequestError with the status of an error page; FileChangedError if the file changed during the
   * read.
   */
  async answer(request: Request): Promise<Response> {
    const target = targetOfGet(request, this.options.methods);
    const asksForPage = asksToShow(target.query);
    const asksForSmall = this.options.thumbnails !== undefined && asksForThumbnail(target.query);
    // A folder's index.html is cached under the folder's path.
    const asksForContents = target.path.endsWith("/") &&
      (archiveFormat(target.query) !== undefined || asksForJson(target.query));
    const asksForFile = !asksForPage && !asksForSmall && !asksForContents;
    const cached = asksForFile ? await this.#cache.get(target.path) : undefined;
    if (cached) return this.#cachedResponse(target, cached) ?? await this.#respond(target, cached);
    const names = pathNames(target.path);
    const lexicalPath = this.root.path(names);
    const resolved = await this.root.find(lexicalPath);
    const last = names.at(-1)!;
    if (resolved.info.isFile) {
      if (last === "") throw notFound(); // a slash after a file's name asks for a folder of that name
      const small = asksForSmall && await this.#thumbnail(resolved, last, target.query);
      if (small) return await this.complete(request, small);
      if (asksForPage) {
        const page = await this.#listings.show({ ...resolved, lexicalPath, names }, target.query, request);
        return await this.#completeOwn(request, page);
      }
      return await this.#respond(target, await this.#load(target.path, lexicalPath, resolved));
    }
    if (last !== "") {
      const folder = `./${encodeURIComponent(last)}/${target.query && `?${target.query}`}`;
      return await this.complete(request, redirect(folder));
    }
    return await this.#answerFolder(target, { ...resolved, lexicalPath, names: names.slice(0, -1) });
  }

  /** @returns undefined if the file itself is sent. */
  async #thumbnail(file: Resolved, name: string, query: string): Promise<Response | undefined> {
    const small = await this.options.thumbnails?.of(file, name);
    return small && thumbnailAnswer(small, name, query.includes("="));
  }

  /** Completes a response that is not a file: compresses it, and adds the headers for other origins. */
  async complete(request: Request, answer: Response): Promise<Response> {
    return withOriginHeaders(await compressedFor(request, answer), this.options.shared);
  }

  async #answerFolder(target: FileRequest, folder: Named): Promise<Response> {
    const format = archiveFormat(target.query);
    if (format) return await this.#answerArchive(target, folder, format);
    const index = this.options.index && !asksForJson(target.query)
      ? this.root.path([...folder.names, "index.html"])
      : undefined;
    const indexFile = index === undefined ? undefined : await this.root.findOrNull(index);
    if (indexFile?.info.isFile) {
      return await this.#respond(target, await this.#load(target.path, index!, indexFile));
    }
    const { request, query } = target;
    return await this.#completeOwn(request, await this.#listings.answer(folder, query, request));
  }

  /** Completes a page that shows the folder's current contents. */
  async #completeOwn(request: Request, page: Response): Promise<Response> {
    return await this.complete(request, await conditionalListing(request.headers, page));
  }

  async #answerArchive(
    target: FileRequest,
    folder: Named,
    format: FormatName,
  ): Promise<Response> {
    const { trustHtml, shared, clock, sent } = this.options;
    const now = clock(); // before the walk, during which a member may change
    const archive = await this.#archives.plan(folder, format, target.request.signal);
    const strong = isLongAgo(archive.changed, now);
    const representation = describeArchive(archive, { strong, trustHtml, shared });
    return await this.#planned(
      target,
      representation,
      (pieces) => this.#archives.read(archive, pieces, sent, this.root.disksBelow(folder.real)),
    );
  }

  /** Whether a cached file is unchanged. */
  async #isCurrent(file: ServedFile): Promise<boolean> {
    const { lexicalPath, real, info, atOnceUntil = 0 } = file, isAtOnce = performance.now() < atOnceUntil;
    const now = isAtOnce ? this.root.resolveAgain(lexicalPath) : await this.root.findAgain(lexicalPath);
    if (!now || now.real !== real || !isUnchanged(now.info, info)) return false;
    if (!isAtOnce) this.#askAtOnce(file);
    return true;
  }

  /** Lets this thread query a file for a while after another thread has just queried it. */
  #askAtOnce(file: ServedFile): void {
    const { lexicalPath, real } = file;
    if (lexicalPath !== real) return; // a path that contains a link may lead through a network share
    if (isOnLocalDisk(real)) file.atOnceUntil = performance.now() + AT_ONCE_MS;
  }

  /** Opens and describes a file, reads it if small, and caches it if any later change will be detectable. */
  async #load(key: string, lexicalPath: string, resolved: Resolved): Promise<ServedFile> {
    const { trustHtml, shared, clock } = this.options;
    const open = await this.root.open(resolved);
    const { info } = open;
    // Decides before reading: content read without a strong validator must not be cached.
    const strong = hasStrongValidator(info, clock());
    const isSmall = info.size <= CACHED_CONTENT_LIMIT;
    const content = isSmall ? await this.#readWhole(open, resolved.real, !strong) : undefined;
    const head = content ?? await this.#readHead(open, resolved.real, lexicalPath);
    const representation = describe(lexicalPath, info, { strong, trustHtml, shared }, head);
    const file: ServedFile = { lexicalPath, real: resolved.real, info, content, representation };
    if (strong && key.length <= CACHED_PATH_LIMIT) {
      this.#cache.set(key, file);
      this.#askAtOnce(file);
    }
    return file;
  }

  #cachedResponse({ request, path, query }: FileRequest, file: ServedFile): Response | undefined {
    const which = responseKey(request, query, codingOf(request, file));
    const cached = which === undefined ? undefined : this.#cache.response(path, file, which);
    if (cached) this.options.sent(cached.length);
    return cached?.response;
  }

  async #respond(target: FileRequest, file: ServedFile): Promise<Response> {
    const { request, path, query } = target, coding = codingOf(request, file);
    const sent = coding ? await this.#compressed(path, file, coding) : file;
    const { representation } = sent ?? file;
    const response = await this.#planned(
      target,
      representation,
      (pieces) => this.#read(sent ?? file, pieces),
    );
    const which = sent && responseKey(request, query, coding);
    if (which !== undefined && response.ok) this.#cache.cacheResponse(path, file, which, response);
    return response;
  }

  /**
   * @returns The file itself if compression saves little; undefined if too many files are queued for
   * compression.
   */
  async #compressed(path: string, file: ServedFile, coding: Coding): Promise<ServedFile | undefined> {
    const { representation } = file;
    const content = await this.#compressor.compressed(
      file,
      coding,
      async () =>
        file.content ??
          await this.#readWhole(await this.root.open(file), file.real, !representation.strong),
      (made) => this.#cache.grow(path, file, made.length),
    );
    if (!content) return content === null ? undefined : file;
    return { ...file, content, representation: representation.compressed(coding, content.length) };
  }

  /** @param read Reads the response's content. */
  async #planned(
    { request, query }: FileRequest,
    representation: Representation,
    read: (pieces: Piece[]) => Body | Promise<Body>,
  ): Promise<Response> {
    const { method, headers } = request;
    const planned = plan({ method, headers, query }, representation);
    if (planned.status >= 400) {
      const page = errorPage(planned.status, undefined, Object.fromEntries(planned.headers));
      return await this.complete(request, page);
    }
    return new Response(planned.pieces.length ? await read(planned.pieces) : null, planned);
  }

  async #read(file: ServedFile, pieces: Piece[]): Promise<Body> {
    const { sent } = this.options;
    if (file.content) {
      sent(lengthOf(pieces));
      return slicePieces(file.content, pieces);
    }
    const open = await this.root.open(file);
    return await readPieces({ file: open.file, info: file.info }, pieces, !file.representation.strong, {
      sent,
      disk: this.root.disk(file.real),
    });
  }

  /**
   * Reads the beginning of a large file, and closes the file.
   * @returns undefined if the type does not depend on the content.
   */
  async #readHead(open: OpenFile, real: string, lexicalPath: string): Promise<Uint8Array | undefined> {
    if (dependsOnContent(basename(lexicalPath))) {
      return await readAtOnce(
        open,
        [{ start: 0, end: HEAD - 1 }],
        true,
        (call) => this.root.reach(real, call),
      );
    }
    open.file.close(); // only the successful open matters for such a file
  }

  #readWhole(open: OpenFile, real: string, mayGrow: boolean): Promise<Uint8Array<ArrayBuffer>> {
    return readAtOnce(open, whole(open.info.size), mayGrow, (call) => this.root.reach(real, call));
  }
}

/**
 * The options that disallowed methods require, as sentences for the error, by method or by method and path.
 */
const NEEDED: Readonly<Record<string, string>> = {
  PUT: "To take files, deskhand needs --allow-upload.",
  POST: "Files are uploaded with PUT, such as by curl -T FILE, and deskhand needs --allow-upload for that.",
  [`POST ${SHARE_PATH}`]: "To share files, deskhand needs --allow-share.",
  PROPFIND: "To be mounted, deskhand needs --dav.",
  MKCOL: "To make folders, deskhand needs --dav and --allow-upload.",
  COPY: "To copy, deskhand needs --dav and --allow-upload.",
  LOCK: "To lock files, deskhand needs --dav and --allow-upload.",
  DELETE: "To delete, deskhand needs --dav and --allow-delete.",
  MOVE: "To move and rename, deskhand needs --dav and --allow-delete.",
};

/** @throws RequestError 405 or 414. */
function targetOfGet(request: Request, methods: readonly string[]): FileRequest {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") {
    const message = `Only ${methods.slice(0, -1).join(", ")} and ${methods.at(-1)} are answered here.`;
    const needed = NEEDED[`${method} ${targetOf(request.url).path}`] ?? NEEDED[method];
    throw new RequestError(405, needed === undefined ? message : `${message} ${needed}`, {
      allow: methods.join(", "),
    });
  }
  const { path, query } = targetOf(request.url);
  if (path.length + query.length > TARGET_LIMIT) {
    throw new RequestError(414, `The path is longer than the ${TARGET_LIMIT} characters allowed.`);
  }
  return { request, path, query };
}

/** The content coding (br, gzip or none) of a file for a client. */
function codingOf({ headers }: Request, { representation }: ServedFile): Coding | undefined {
  return representation.compressible ? codingFor(headers) : undefined;
}

/**
 * The key of a response among those for the same file.
 * @returns The range and the coding; undefined if the response is not cacheable.
 */
function responseKey({ method, headers }: Request, query: string, coding = ""): string | undefined {
  if (method !== "GET" || query !== "") return undefined;
  const range = headers.get("range") ?? "";
  if (isConditional(headers, range)) return undefined;
  return range.length <= CACHED_RANGE_LIMIT ? range + coding : undefined;
}

/** A listing has no validators, but `If-None-Match: *` and `If-Match` still apply to it. */
async function conditionalListing(headers: Headers, listing: Response): Promise<Response> {
  const unmet = precondition(headers, {});
  if (unmet === undefined) return listing;
  await listing.body?.cancel();
  if (unmet === 412) return errorPage(412);
  const response = new Response(null, { status: 304, headers: listing.headers });
  response.headers.delete("content-length"); // Deno removes the header too
  return response;
}

function whole(size: number): Piece[] {
  return size ? [{ start: 0, end: size - 1 }] : [];
}
