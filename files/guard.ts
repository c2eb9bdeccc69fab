/** The file server's guard: which host names it accepts, an optional password, and who may change something. */

import { attempt } from "../core/errors.ts";
import { authorityOf, callerOf, type Guard, type Peer, type Refusal, RequestError } from "../http/request.ts";
import { isLoopbackAddress, isLoopbackName, parseHost, PROXY_HEADER } from "../http/host.ts";
import { type AttemptLimiter, basicCredentials, secretComparer } from "../http/secret.ts";
import { isThere, isWithinFolder, join } from "../core/path.ts";

interface FilesGuardOptions {
  /** `USER:PASSWORD` entries, one of which is required; empty if no password is required. */
  passwords?: readonly string[];
  /** The realm, by which browsers distinguish passwords. */
  realm?: string;
  /** Allowed host names and addresses besides loopback ones, as returned by `parseHost`. */
  hosts: Pick<ReadonlySet<string>, "has">;
  tls: boolean;
  /** Whether web pages of all origins may read the responses. */
  cors: boolean;
  /** Counts wrong passwords. */
  limiter: AttemptLimiter;
}

/** Creates the guard, which requires one of the passwords and accepts only the allowed hosts. */
export function createFilesGuard(options: FilesGuardOptions): Guard {
  const { passwords = [], realm = "files", hosts, tls, cors, limiter } = options;
  const comparers = passwords.map(secretComparer);
  // All are compared, so that timing reveals nothing.
  const isRight = (given: string) => comparers.filter((compare) => compare(given)).length > 0;
  return (request, peer): Refusal | undefined => {
    const authority = authorityOf(request, tls);
    const host = authority === undefined ? undefined : parseHost(authority);
    if (!host) return { status: 400, message: "The request needs one well-formed Host header." };
    if (!isLoopbackName(host.name) && !hosts.has(host.name)) {
      return {
        status: 403,
        message:
          "This server does not answer to that host name. To allow it, start deskhand with --allow-host NAME.",
      };
    }
    const isPreflight = cors && request.method === "OPTIONS"; // a browser sends no password with it
    if (!comparers.length || isPreflight) return undefined;
    const given = basicCredentials(request.headers.get("authorization"));
    const address = callerOf(peer);
    // Limits guessing: after too many wrong passwords no further password is compared, not even the right
    // one.
    const wait = given === undefined ? undefined : limiter.wait(address);
    if (wait !== undefined) {
      return {
        status: 429,
        message: "Too many wrong passwords; try again later.",
        headers: { "retry-after": String(wait) },
      };
    }
    if (given !== undefined) {
      if (isRight(given)) return undefined;
      limiter.failed(address);
    }
    return {
      status: 401,
      message: given === undefined
        ? "A user name and password are needed."
        : "The user name or password is not the one needed here.",
      headers: { "www-authenticate": `Basic realm="${realm}", charset="UTF-8"` },
    };
  };
}

// Callers who may change something.

const UPLOADS = { what: "upload", done: "taken" };

/**
 * Refuses uploads from web pages of other origins, and, if no password is required, uploads from other
 * machines.
 * @param hasPassword Whether the request came with a correct password of `--files-auth`.
 * @param what What the caller wants to do, for the message.
 * @throws RequestError 403.
 */
export function checkCaller(
  { headers, url }: Request,
  peer: Peer,
  hasPassword: boolean,
  { what, done }: { what: string; done: string } = UPLOADS,
): void {
  const authority = /^(https?:\/\/)([^/?#]*)/i.exec(url);
  if (!isOwnPage(headers, authority?.[0] ?? "")) {
    throw new RequestError(403, `Web pages from other origins may not ${what} files.`);
  }
  if (hasPassword) return;
  const host = parseHost(authority?.[2] ?? "");
  const isLocal = isLoopbackAddress(callerOf(peer)) && host && isLoopbackName(host.name);
  if (!isLocal || [...headers.keys()].some((name) => PROXY_HEADER.test(name))) {
    throw new RequestError(
      403,
      `Files can be ${done} only from this machine, unless --upload-auth or --files-auth is set.`,
    );
  }
}

/** @param own The origin of the request's own address. */
function isOwnPage(headers: Headers, own: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const origin = headers.get("origin"); // browsers send one with each PUT
  return origin === null || origin.toLowerCase() === own.toLowerCase();
}

// Warns about folders that contain more than their owner may want to share.

/** File and folder names that often contain secrets. */
const TELLING = [".ssh", ".gnupg", ".env", ".git"];

/**
 * Why a folder should perhaps be served with `--no-hidden`.
 * @param root The folder's real path.
 * @param home The user's home folder; undefined if there is none.
 * @returns One line; undefined if there is no reason.
 */
export function exposureNotice(root: string, home: string | undefined): string | undefined {
  const found = TELLING.filter((name) => isThere(join(root, name)));
  const reasons = [
    ...(home !== undefined && holds(root, home) ? ["the home folder"] : []),
    ...found,
  ];
  if (!reasons.length) return undefined;
  return `the served folder contains ${reasons.join(", ")}: dot files are served, too; ` +
    "--no-hidden hides them";
}

/**
 * Why a page in the folder may look broken.
 * @param root The folder's real path.
 * @returns One line; undefined if there is no reason.
 */
export function sandboxNotice(root: string): string | undefined {
  if (!["index.html", "index.htm"].some((name) => isThere(join(root, name)))) return undefined;
  return "the folder has an index.html: without --trust-html, pages cannot load styles or scripts from it; " +
    "--index shows the page instead of the listing";
}

/** Whether the first folder equals the second, or contains it. */
function holds(root: string, home: string): boolean {
  return attempt(() => isWithinFolder(Deno.realPathSync(home), root), false);
}
