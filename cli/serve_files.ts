/**
 * Opens the file server, and the state file that stores the served folder's shares. Loaded only on demand.
 */

import type { TextFolder } from "../control/desktop/desktop.ts";
import type { ServedFolder } from "../control/http/endpoint.ts";
import { attempt, StateError, UsageError } from "../core/errors.ts";
import type { Lifetime } from "../core/lifetime.ts";
import { styled } from "../core/output.ts";
import { nodeModule } from "../core/path.ts";
import { printable } from "../core/printable.ts";
import { replaceFile, stateFile } from "../core/state_files.ts";
import { createFilesGuard, exposureNotice, sandboxNotice } from "../files/guard.ts";
import { createFilesHandler } from "../files/handler.ts";
import { sayingFor } from "../files/pages.ts";
import type { Keeper } from "../files/share/book.ts";
import { parseSize } from "../core/bytes.ts";
import { checkedHostName } from "../http/host.ts";
import { isBoundBeyondLoopback, OwnHosts, urlsOf } from "../http/listener.ts";
import type { Guard, Handler } from "../http/request.ts";
import { AttemptLimiter } from "../http/secret.ts";
import { counted, ServerTraffic } from "../http/traffic.ts";
import type { Settings } from "./option_table.ts";
import { noteFiles } from "./running.ts";
import { secretPaths } from "./secret_paths.ts";
import {
  type BoundServer,
  listenFor,
  publicUrlOf,
  qrLines,
  type ServerContext,
  servingOf,
  warnOfPlaintext,
} from "./server.ts";
import { CallWorker } from "../core/worker.ts";
import type { ThumbnailMaker } from "../files/thumbnails/thumbnails.ts";

/**
 * Binds the file server's port.
 * @param root The served folder.
 * @param lifetime Removes the server's record on exit.
 * @throws UsageError if a setting is invalid or the port is not available.
 */
export function bindFiles(
  root: string,
  context: ServerContext,
  lifetime: Lifetime,
): BoundServer {
  const { settings, output } = context;
  const publicUrl = publicUrlOf("files-public-url", settings.filesPublicUrl);
  const addresses = () => publicUrl === undefined ? urlsOf(listener) : [publicUrl];
  const uploads = uploadOptions(settings), requests = new ServerTraffic("files");
  context.traffic.push(requests);
  const trusted = new WeakSet<Request>();
  const guardFor = (caller: Caller): Guard => {
    const guard = guardOf(context, caller);
    return (request, peer) => trusted.has(request) ? undefined : guard(request, peer);
  };
  const handler = createFilesHandler({
    root,
    index: settings.index,
    secrets: secretPaths(settings),
    noHidden: settings.noHidden,
    cors: settings.filesCors,
    trustHtml: settings.trustHtml,
    uploads,
    dav: davOptions(settings),
    thumbnails: thumbnailMaker(),
    thumbnailFolder,
    shares: shareOptions(root, context, addresses),
    dropBox: settings.dropBox,
    shareGuard: guardFor("guest"),
    guard: guardFor("reader"),
    ownerGuard: guardFor("owner"),
    sent: (bytes) => requests.sentBytes += bytes,
    report: output.report,
  });
  // A served folder has no routes: every path belongs to the user's files.
  const routed = counted(handler, requests, () => "files");
  const listener = listenFor("File server", "files", settings.filesPort, routed, context);
  const real = Deno.realPathSync(root);
  const home = Deno.env.get(Deno.build.os === "windows" ? "USERPROFILE" : "HOME");
  const exposure = settings.noHidden ? undefined : exposureNotice(real, home);
  const sandbox = settings.trustHtml || settings.filesCors ? undefined : sandboxNotice(real);
  const about = async () =>
    [
      styled("bold", `File server started on port ${listener.port}`),
      `  ${printable(real)}`,
      ...addresses().map((url) => styled("link", `  ${url}/`)),
      ...await qrLines(listener, "/", publicUrl),
    ].join("\n");
  return {
    about,
    ...uploads && { folder: folderOf(real, handler, trusted) },
    async start() {
      output.result(await about());
      lifetime.atEnd(noteFiles({ ...servingOf(listener, settings), root: real }));
      if (settings.filesAuth !== undefined || settings.uploadAuth !== undefined) {
        warnOfPlaintext(listener, "the password", context);
      }
      if (exposure !== undefined) output.notice(exposure);
      if (sandbox !== undefined) output.notice(sandbox);
      if (uploads && !uploads.hasPassword && isBoundBeyondLoopback(listener)) {
        output.notice(
          "files are taken from this machine alone: --upload-auth USER:PASSWORD lets others upload",
        );
      }
    },
    drain: () => listener.close(stopping),
  };
}

/** Answers requests that arrive while the program is stopping. */
const stopping: Handler = (request) =>
  Promise.resolve(sayingFor(request)(503, "deskhand is stopping.", { "retry-after": "1" }, null));

/** The headers that say which part of a file an upload contains. */
const PART_HEADERS = ["content-range", "content-length", "content-encoding"];

/**
 * Maximum size of a file that the virtual desktop opens, in bytes, and maximum number of names that it lists.
 */
const OPENED = { bytes: 1 << 20, names: 1000 };

/**
 * Wraps the served folder for callers within the program, which have already been checked.
 * @param trusted Receives the requests that the file server's guard must let through.
 */
function folderOf(path: string, handler: Handler, trusted: WeakSet<Request>): ServedFolder {
  const hostname = "127.0.0.1";
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("accept", "text/plain");
    const request = new Request(`http://${hostname}/${path}`, { ...init, headers });
    trusted.add(request);
    const remoteAddr = { transport: "tcp", hostname, port: 0 } as const;
    return await handler(request, { remoteAddr, completed: Promise.resolve() });
  };
  const textOf = async (answer: Response) => {
    const text = await answer.text();
    if (answer.ok) return text;
    throw new StateError(text.trim().split("\n")[0] || `status ${answer.status}`);
  };
  const take = (name: string, { headers, body }: Pick<Request, "headers" | "body">) => {
    const kept = [...headers].filter(([header]) => PART_HEADERS.includes(header));
    return ask(encodeURIComponent(name), { method: "PUT", headers: kept, body });
  };
  const texts: TextFolder = {
    async names() {
      const { entries } = JSON.parse(await textOf(await ask(`?format=json`)));
      return entries.filter(({ type }: { type: string }) => type === "file")
        .map(({ name }: { name: string }) => name).slice(0, OPENED.names);
    },
    async read(name) {
      const answer = await ask(encodeURIComponent(name)), size = Number(answer.headers.get("content-length"));
      if (size <= OPENED.bytes) return await textOf(answer);
      await answer.body?.cancel();
      throw new StateError(`${name} is larger than 1 MiB`);
    },
    async write(name, text) {
      const headers = new Headers({ "content-length": `${new TextEncoder().encode(text).length}` });
      await textOf(await take(name, { headers, body: new Response(text).body }));
    },
  };
  return { path, take, texts };
}

/** Finds the thumbnail folder: a part of the state folder, which is never served. */
function thumbnailFolder(): string | undefined {
  return attempt(() => stateFile("thumbnails")); // the home folder is missing, or others can write to it
}

/**
 * The sharing options; undefined if sharing is disabled.
 * @param addresses Returns the file server's addresses.
 */
function shareOptions(root: string, { settings }: ServerContext, addresses: () => string[]) {
  if (!settings.allowShare) return undefined;
  return { keeper: shareKeeper(root), hasPassword: ownerPassword(settings) !== undefined, addresses };
}

/** Kinds of callers: those with a link, those who may read, and those who may change something. */
type Caller = "guest" | "reader" | "owner";

/** The password of those who may change something; undefined if there is none. */
function ownerPassword({ uploadAuth, filesAuth }: Settings): string | undefined {
  return uploadAuth ?? filesAuth;
}

/** @throws UsageError if a password is malformed, or both are the same. */
function guardOf({ settings, tls }: ServerContext, caller: Caller): Guard {
  const { filesAuth, uploadAuth, allowHost, host, filesCors, filesPublicUrl } = settings,
    owner = ownerPassword(settings);
  for (const [option, value] of Object.entries({ "files-auth": filesAuth, "upload-auth": uploadAuth })) {
    if (value === undefined || /^[^:]+:.+$/.test(value)) continue;
    throw new UsageError(`--${option} takes USER:PASSWORD; neither may be empty`);
  }
  if (filesAuth !== undefined && filesAuth === uploadAuth) {
    throw new UsageError(
      "--files-auth and --upload-auth must differ: the first grants read access only, the second allows changes",
    );
  }
  const named = filesPublicUrl === undefined ? [] : [new URL(filesPublicUrl).hostname];
  const allowed = new Set([...allowHost, ...named].map(checkedHostName)),
    own = host === undefined ? undefined : new OwnHosts();
  // Those who may change something may also read.
  const readers = filesAuth === undefined ? [] : [filesAuth, ...uploadAuth === undefined ? [] : [uploadAuth]];
  return createFilesGuard({
    passwords: caller === "guest" ? [] : caller === "reader" ? readers : owner === undefined ? [] : [owner],
    realm: caller === "owner" && uploadAuth !== undefined ? "files, for their owner" : "files",
    hosts: { has: (name) => allowed.has(name) || own?.has(name) === true },
    tls: tls !== undefined,
    cors: filesCors,
    limiter: new AttemptLimiter(),
  });
}

/**
 * The upload options; undefined if uploads are disabled.
 * @throws UsageError if the options contradict each other or the limit is not a size.
 */
function uploadOptions(settings: Settings) {
  const { allowUpload, readOnly, allowOverwrite, uploadLimit, dropBox, dav } = settings;
  const limit = parseSize(uploadLimit, "--upload-limit");
  if (dropBox && !allowUpload) throw new UsageError("--drop-box needs --allow-upload");
  if (!allowUpload) return undefined;
  if (readOnly) throw new UsageError("--read-only and --allow-upload contradict each other");
  return {
    overwrite: allowOverwrite,
    limit,
    hasPassword: ownerPassword(settings) !== undefined,
    forDav: dav,
  };
}

/**
 * The WebDAV options; undefined if WebDAV is disabled.
 * @throws UsageError if the options contradict each other.
 */
function davOptions({ dav, allowDelete, allowUpload, noTrash }: Settings) {
  if (allowDelete && !allowUpload) throw new UsageError("--allow-delete needs --allow-upload");
  return dav ? { deletes: allowDelete, noTrash } : undefined;
}

/**
 * Stores the shares of a folder.
 * @param root The served folder; each folder has its own shares.
 */
function shareKeeper(root: string): Keeper {
  const digest = nodeModule("node:crypto").createHash("sha256").update(Deno.realPathSync(root)).digest("hex");
  const name = `shares-${digest.slice(0, 16)}.json`;
  return {
    read() {
      return attempt(() => Deno.readTextFileSync(stateFile(name))); // no shares have been stored yet
    },
    write: (text) => replaceFile(stateFile(name), text, 0o600),
    tryLock() {
      const file = Deno.openSync(stateFile(`${name}.lock`), { write: true, create: true, mode: 0o600 });
      if (file.tryLockSync(true)) return file; // closing the file unlocks it
      file.close();
    },
  };
}

// The thumbnail maker. Its thread starts with the first picture.

/** How long the thread stays alive without work, and the maximum time per picture, in milliseconds. */
const IDLE_MS = 10_000, LIMIT_MS = 15_000;
/** File names of pictures that have thumbnails. If making one fails, the file itself is shown. */
const TAKEN = /\.(?:jpe?g|png|bmp)$/i;

/** Creates the thumbnail maker. */
function thumbnailMaker(): ThumbnailMaker {
  const worker = new CallWorker<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer> | undefined>({
    url: new URL("./thumbnails/worker.ts", import.meta.url),
    idleMs: IDLE_MS,
    limitMs: LIMIT_MS,
  });
  return {
    takes: (name) => TAKEN.test(name),
    // A file that takes too long, or crashes the thread, has no thumbnail.
    make: (file) => worker.call(file, [file.buffer]).catch(() => undefined),
  };
}
