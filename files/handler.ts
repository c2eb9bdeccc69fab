/**
 * The file server as a handler: files, ranges, listings and archives of one folder, read-only unless uploads
 * are allowed. It does not depend on a desktop.
 */

import { Disk } from "../core/disk.ts";
import { BusyError, describeFileError, FileChangedError, UsageError } from "../core/errors.ts";
import { type Guard, type Handler, type Peer, RequestError, targetOf } from "../http/request.ts";
import { isSharePath } from "../http/secret.ts";
import { DAV_METHODS, davMethods, type DavOptions } from "./dav/methods.ts";
import { isBusy, isExhausted } from "./file_errors.ts";
import { FileServer } from "./file_server.ts";
import { errorPage, folderAbove, originHeaders, preflightAnswer, type Saying, sayingFor } from "./pages.ts";
import { REACH, Root } from "./resolve.ts";
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
  /** Whether names that begin with a dot are excluded from listings and responses. */
  noHidden?: boolean;
  /** Whether files that may contain scripts are sent without a sandbox. */
  trustHtml?: boolean;
  /** Whether web pages of all origins may read the responses. */
  cors?: boolean;
  /** Makes thumbnails for the gallery; without it the full pictures are shown. */
  thumbnails?: ThumbnailMaker;
  /** Finds the folder that stores thumbnails on disk; none if omitted. */
  thumbnailFolder?: () => string | undefined;
  /** Upload options; uploads are refused if omitted. */
  uploads?: UploadOptions;
  /** Options of link shares; sharing is disabled if omitted. */
  shares?: ShareOptions;
  /** WebDAV options, without the rights that {@linkcode uploads} grants; WebDAV is disabled if omitted. */
  dav?: Omit<DavOptions, "changes">;
  /** Refuses requests before any other check. */
  guard?: Guard;
  /** Whether callers who do not pass {@linkcode ownerGuard} may upload but not see anything. */
  dropBox?: boolean;
  /** Refuses requests that change something; defaults to `guard`. */
  ownerGuard?: Guard;
  /**
   * Refuses requests for shared files, which do not require the password for all files; defaults to `guard`.
   */
  shareGuard?: Guard;
  /** Receives the errors that clients see as a bare 500. */
  report?: (error: unknown) => void;
  /** Receives the number of a file's bytes handed to the system for sending. */
  sent?: (bytes: number) => void;
  /** Returns the time, in milliseconds since 1970; defaults to the system clock. */
  clock?: () => number;
}

/**
 * Creates the file server's handler.
 * @returns A handler that never throws.
 * @throws UsageError if the root is not a readable folder.
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
  // An unsupported method is refused like any other.
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
  // This thread looks for deskhand's secrets, which would block it on a share that hangs.
  let secretDisks = Deno.build.os !== "linux" ? [] : [secrets.folder ?? [], secrets.files].flat()
    .map((path) => new Disk(REACH, `the secret ${path}`, path));
  const forgetIfLocal = async (disk: Disk) => {
    if (await disk.answers()) secretDisks = secretDisks.filter((other) => other !== disk);
  };
  const isPlain = !shares && !options.dropBox; // in that case only the file server answers a GET
  return async (request, peer) => {
    try {
      const refused = guardOf(request)?.(request, peer);
      if (refused) {
        if (uploads && request.method === "PUT" && isTls(request)) drain(request);
        const { status, message, headers } = refused;
        return await server.complete(request, sayOf(request)(status, message, headers, null));
      }
      if (secretDisks.length) await Promise.all(secretDisks.map(forgetIfLocal));
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

/** Returns a function that creates a value on its first call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}

/** @param up The link to the folder above, as for {@linkcode errorPage}. */
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

/** The message for a temporary error; undefined for other errors. */
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

/** @throws The system's error if this user cannot read the folder. */
function checkReadable(folder: string) {
  // Windows cannot open a folder as a file, so its names are read, which loads all of them into memory.
  if (Deno.build.os === "windows") Deno.readDirSync(folder);
  else Deno.openSync(folder).close();
}

/** Maximum number of bytes drained, and maximum time, in milliseconds. */
const BYTES = 256 * 1024 * 1024, MS = 30_000;

/**
 * Reads the rest of a request body alongside the response. Over HTTP/2, curl (7.88) fails without the
 * response's status if the server ends the stream while curl is sending. Never rejects.
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
