/**
 * The file server as a handler: files, ranges, listings and archives of one folder, read-only unless uploads are
 * allowed. It knows nothing of desktops.
 */

import { BusyError, describeFileError, FileChangedError, UsageError } from "../core/errors.ts";
import { type Guard, type Handler, type Peer, RequestError, targetOf } from "../http/request.ts";
import { isSharePath } from "../http/secret.ts";
import { DAV_METHODS, davMethods, type DavOptions } from "./dav/methods.ts";
import { isBusy, isExhausted } from "./file_errors.ts";
import { FileServer } from "./file_server.ts";
import { errorPage, folderAbove, originHeaders, preflightAnswer, type Saying, sayingFor } from "./pages.ts";
import { Root } from "./resolve.ts";
import { findSecrets, type SecretPaths } from "./secrets.ts";
import { type ShareOptions, Shares } from "./share/shares.ts";
import { type ThumbnailMaker, Thumbnails } from "./thumbnails/thumbnails.ts";
import { dropAnswer } from "./upload/drop_page.ts";
import { type UploadOptions, Uploads } from "./upload/uploads.ts";

/** Parts and options of the handler. */
export interface FilesOptions {
  root: string;
  /** Whether a folder's index.html is served instead of its listing. */
  index?: boolean;
  /** Files that are never listed or served: deskhand's own secrets. */
  secrets?: SecretPaths;
  /** Whether names that begin with a dot are neither listed nor served. */
  noHidden?: boolean;
  /** Whether files that may hold scripts are sent without a sandbox. */
  trustHtml?: boolean;
  /** Whether web pages of all origins may read the answers. */
  cors?: boolean;
  /** Makes small pictures for the gallery; without it the pictures themselves are shown. */
  thumbnails?: ThumbnailMaker;
  /** Finds the folder where small pictures are kept on disk; nowhere if left out. */
  thumbnailFolder?: () => string | undefined;
  /** The options of uploads; undefined takes none. */
  uploads?: UploadOptions;
  /** The options of shares by links; undefined shares none. */
  shares?: ShareOptions;
  /** The options of WebDAV, without the rights that {@linkcode uploads} gives; undefined answers none. */
  dav?: Omit<DavOptions, "changes">;
  /** Refuses requests before any other check. */
  guard?: Guard;
  /** Whether callers who do not pass {@linkcode ownerGuard} upload, and see nothing. */
  dropBox?: boolean;
  /** Refuses requests that change something; `guard` if left out. */
  ownerGuard?: Guard;
  /** Refuses requests for shared files, which need no password of all files; `guard` if left out. */
  shareGuard?: Guard;
  /** Gets the errors that clients see as a bare 500. */
  report?: (error: unknown) => void;
  /** Receives the number of a file's bytes that are given to the system to be sent. */
  sent?: (bytes: number) => void;
  /** Gives the time, in milliseconds since 1970; the system's if left out. */
  clock?: () => number;
}

/**
 * Makes the handler of the file server.
 * @returns A handler that never throws.
 * @throws UsageError if the root is not a folder that can be read.
 */
export function createFilesHandler(options: FilesOptions): Handler {
  const { guard, report = () => {}, secrets = { files: [] }, cors = false } = options;
  const root = new Root(realFolder(options.root), {
    secrets: () => findSecrets(secrets),
    hidden: options.noHidden ?? false,
  });
  const uploads = options.uploads && new Uploads(root, options.uploads);
  const davOptions = options.dav && { ...options.dav, changes: options.uploads };
  const dav = davOptions && once(async () => new (await import("./dav/dav.ts")).Dav(root, davOptions));
  const davAnswers: readonly string[] = davOptions ? davMethods(davOptions) : [];
  const server = new FileServer(root, {
    methods: ["GET", "HEAD", ...uploads ? ["PUT"] : [], ...davAnswers],
    index: options.index ?? false,
    trustHtml: options.trustHtml ?? false,
    shared: originHeaders(cors),
    sent: options.sent ?? (() => {}),
    clock: options.clock ?? Date.now,
    isShared: options.shares !== undefined,
    thumbnails: options.thumbnails &&
      new Thumbnails(root, options.thumbnails, options.thumbnailFolder ?? (() => undefined)),
  });
  const shares = options.shares &&
    new Shares(root, options.shares, (request) => server.answer(request), uploads);
  const { shareGuard = guard, ownerGuard = guard } = options;
  const isShare = ({ url }: Request) => shares !== undefined && isSharePath(targetOf(url).path);
  const guardOf = (request: Request) => {
    if (isShare(request)) return shares!.isDownload(request) ? shareGuard : ownerGuard;
    if (options.dropBox) return guard;
    const { method } = request,
      right = davAnswers.includes(method) ? DAV_METHODS[method as "OPTIONS"] : undefined;
    return uploads && method === "PUT" || right !== undefined && right !== "read" ? ownerGuard : guard;
  };
  // A method that is not answered is refused like any other.
  const sayOf = (request: Request) =>
    uploads && request.method === "PUT" || davAnswers.includes(request.method) || isReading(request)
      ? sayingFor(request)
      : errorPage;
  const answer = async (request: Request, peer: Peer): Promise<Response> => {
    const { method, headers } = request;
    const complete = async (response: Response | Promise<Response>) =>
      await server.complete(request, await response);
    const visitor = options.dropBox && uploads && !isShare(request) ? ownerGuard?.(request, peer) : undefined;
    if (visitor) return await complete(dropAnswer(request, peer, uploads!, visitor));
    if (cors && method === "OPTIONS" && (!dav || headers.has("access-control-request-method"))) {
      return await complete(preflightAnswer());
    }
    if (isShare(request)) return await complete(shares!.answer(request, peer));
    if (davAnswers.includes(method)) return await complete((await dav!()).answer(request, peer));
    if (uploads && method === "PUT") {
      const refusal = await (await dav?.())?.refusalOfUpload(request);
      return await complete(refusal ?? uploads.answer(request, peer));
    }
    return await server.answer(request);
  };
  const isPlain = !shares && !options.dropBox; // a GET is then for the file server alone
  return async (request, peer) => {
    try {
      const refused = guardOf(request)?.(request, peer);
      if (refused) {
        if (uploads && request.method === "PUT" && isTls(request)) drain(request);
        const { status, message, headers } = refused;
        return await server.complete(request, sayOf(request)(status, message, headers, null));
      }
      return await (isPlain && request.method === "GET" ? server.answer(request) : answer(request, peer));
    } catch (error) {
      if (uploads && request.method === "PUT" && isTls(request)) drain(request);
      const up = folderAbove(targetOf(request.url).path);
      return await server.complete(request, errorAnswer(error, sayOf(request), up, report));
    }
  };
}

/** Whether a request came over TLS, and so perhaps over HTTP/2. */
function isTls({ url }: Request): boolean {
  return url.startsWith("https:");
}

/** Whether a request asks for content. */
function isReading({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** Makes a function that makes a value at its first call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}

/** @param up The link to the folder above, as {@linkcode errorPage} takes it. */
function errorAnswer(
  error: unknown,
  say: Saying,
  up: string,
  report: (error: unknown) => void,
): Response {
  if (error instanceof RequestError) return say(error.status, error.message, error.headers, up);
  const passing = passingCause(error);
  if (passing !== undefined) return say(503, passing, { "retry-after": "1" }, up);
  report(error);
  return say(500, undefined, {}, up);
}

/** The message to the client for a temporary error; undefined for other errors. */
function passingCause(error: unknown): string | undefined {
  if (error instanceof BusyError) return error.message;
  if (error instanceof FileChangedError) return "The file changed while it was being read; try again later.";
  if (isBusy(error)) return "Another program uses the file; try again later.";
  if (isExhausted(error)) return "Too many files are open; try again later.";
}

function realFolder(root: string): string {
  try {
    const real = Deno.realPathSync(root);
    if (!Deno.statSync(real).isDirectory) throw new UsageError(`--files ${root} is not a folder`);
    checkReadable(real);
    return real;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof Deno.errors.NotFound) {
      throw new UsageError(`--files ${root}: folder not found`);
    }
    throw new UsageError(`--files ${root} cannot be read: ${describeFileError(error)}`, { cause: error });
  }
}

/** @throws The error of the system for a folder that this user may not read. */
function checkReadable(folder: string) {
  // Windows opens no folder as a file, so its names are read, which takes all of them into memory.
  if (Deno.build.os === "windows") Deno.readDirSync(folder);
  else Deno.openSync(folder).close();
}

/** The most bytes that are read, and the longest time, in milliseconds. */
const BYTES = 256 * 1024 * 1024, MS = 30_000;

/**
 * Reads the rest of a request's body beside the answer. Over HTTP/2 curl (7.88) fails without the answer's status if the
 * server ends the stream while curl sends. Never rejects.
 */
async function drain({ body, bodyUsed }: Request): Promise<void> {
  if (!body || bodyUsed || body.locked) return;
  const reader = body.getReader(), timer = setTimeout(() => reader.cancel().catch(() => {}), MS);
  try {
    for (let bytes = 0; bytes < BYTES;) {
      const { value, done } = await reader.read();
      if (done) return;
      bytes += value.length;
    }
    await reader.cancel();
  } catch {
    // The client has left.
  } finally {
    clearTimeout(timer);
  }
}
