/** File shares over HTTP: the owner creates, lists and revokes them; anyone with a link downloads. */

import { escape } from "@std/html";
import { attempt, NotFoundError, StateError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import { isWithinFolder, SEPARATOR } from "../../core/path.ts";
import { callerOf, type Peer, RequestError, smallText, targetOf } from "../../http/request.ts";
import { AttemptLimiter, basicCredentials, secretComparer, SHARE_PATH } from "../../http/secret.ts";
import { assetsOf, beginning, ending, shown, shownCount } from "../listing/html.ts";
import { notFound } from "../file_errors.ts";
import { checkCaller } from "../guard.ts";
import { HTML, inlinePolicy, ownAnswer, redirect } from "../pages.ts";
import { pathNames, type Root } from "../resolve.ts";
import { dropPage } from "../upload/drop_page.ts";
import type { Uploads } from "../upload/uploads.ts";
import { type Keeper, type Share, ShareBook } from "./book.ts";

// An owner's request: the fields of a form, or of a JSON object.

/** Maximum size of a request body, in bytes. */
const BODY_LIMIT = 16 * 1024;
/** Maximum duration of a share: a year, in hours. */
const HOURS_LIMIT = 24 * 366;
const HOUR_MS = 3600_000;

/** A request to create or revoke a share. */
interface Asked {
  /** The path of a URL below the served folder. */
  path?: string;
  /** The absolute path of a file on this machine. */
  file?: string;
  ms: number;
  limit?: number;
  password?: string;
  /** Whether the link accepts uploads into a folder, and shows nothing. */
  collects: boolean;
  /** The share to revoke. */
  revoke?: string;
}

/**
 * Reads the body of a share request.
 * @throws RequestError 400 naming the field, 413 if the body is too long.
 */
async function askedOf(request: Request): Promise<Asked> {
  const text = await smallText(request, BODY_LIMIT);
  const fields = text.trimStart().startsWith("{") ? jsonFields(text) : new Map(new URLSearchParams(text));
  const field = (name: string) => fields.get(name) || undefined;
  return {
    path: field("path"),
    file: field("file"),
    ms: number("hours", field("hours") ?? "24", 1 / 3600, HOURS_LIMIT) * HOUR_MS,
    limit: field("count") === undefined ? undefined : whole("count", field("count")!, 1_000_000),
    password: field("password"),
    collects: field("collect") !== undefined && field("collect") !== "false",
    revoke: field("revoke"),
  };
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (value >= least && value <= most) return value;
  throw new RequestError(400, `${name} must be a number above 0 and at most ${most}.`);
}

function whole(name: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new RequestError(400, `${name} must be a whole number from 1 to ${most}.`);
}

function jsonFields(text: string): Map<string, string> {
  try {
    const value = parseJson(new TextEncoder().encode(text), "The body");
    return new Map(Object.entries(value as object).map(([name, value]) => [name, String(value ?? "")]));
  } catch {
    throw new RequestError(400, "The body must be a form or a JSON object.");
  }
}

// The owner's page: a form, the new share, and all open shares.

/** The page's content. */
interface SharePage {
  /** The path that the form shares; without it, there is no form. */
  path?: string;
  /** Whether the form offers an upload link; defaults to false. */
  takesFiles?: boolean;
  /** The new share with its links. */
  made?: { share: Share; urls: string[] };
  open: Share[];
}

/** Answers with the page. */
async function sharePage(
  { path, made, open, takesFiles = false }: SharePage,
  status = 200,
): Promise<Response> {
  const header = `<h1>Shares</h1>\n<nav aria-label="Path"><a href="./">Files</a></nav>`;
  const html = beginning({ kind: "share", title: "Shares", isUsual: false, header }) +
    (made ? madePart(made.share, made.urls) : "") + (path === undefined ? "" : form(path, takesFiles)) +
    list(open) +
    ending("share");
  return ownAnswer(new TextEncoder().encode(html), {
    name: "shares.html",
    type: HTML,
    status,
    headers: {
      "content-security-policy": await inlinePolicy(assetsOf("share")),
      "referrer-policy": "no-referrer",
    },
  });
}

function madePart(share: Share, urls: string[]): string {
  const links = urls.map((url) => `<li><a href="${escape(url)}">${escape(url)}</a></li>\n`).join("");
  return `<section aria-label="The new link">\n<p>This link is shown once. It ${terms(share)}.</p>\n` +
    `<ul class="links">\n${links}</ul>\n</section>\n`;
}

function form(path: string, takesFiles: boolean): string {
  return `<form method="post" action="./.share" class="share">
<input type="hidden" name="path" value="${escape(path)}">
<h2>Share ${shown(attempt(() => decodeURIComponent(path), path))}</h2>
<label>Hours <input name="hours" type="number" value="24" min="0.1" max="8784" step="any" required></label>
<label>Downloads <input name="count" type="number" min="1" placeholder="any number"></label>
<label>Password <input name="password" type="password" autocomplete="new-password" placeholder="none"></label>
${
    takesFiles
      ? `<label><input name="collect" type="checkbox"> for uploads into this folder, showing nothing</label>\n`
      : ""
  }<button>Make a link</button>
</form>
`;
}

function list(open: readonly Share[]): string {
  if (!open.length) return "<p>Nothing is shared.</p>\n";
  const rows = open.map((share) =>
    `<li><span>${shown(share.names.join("/") || "/")}</span> <small>${terms(share)}; ` +
    `${shownCount(share.uses, useOf(share))} so far</small>` +
    `<form method="post" action="./.share"><button name="revoke" value="${
      escape(share.id)
    }">Revoke</button></form></li>\n`
  );
  return `<h2>Open shares</h2>\n<ul class="shares">\n${rows.join("")}</ul>\n`;
}

function useOf({ collects }: Share): string {
  return collects ? "upload" : "download";
}

function terms(share: Share): string {
  const { ends, limit, hasPassword } = share;
  const end = `ends ${new Date(ends).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const count = limit === undefined ? "" : ` or after ${shownCount(limit, useOf(share))}`;
  return end + count + (hasPassword ? ", password required" : "");
}

export interface ShareOptions {
  /** Stores the shares across restarts. */
  keeper: Keeper;
  /** Whether `--files-auth` requires a password. */
  hasPassword: boolean;
  /** The server's addresses, without a final slash. */
  addresses: () => string[];
}

/** Maximum number of correct passwords remembered. */
const RIGHT_LIMIT = 1000;

/** Request headers that concern the share rather than the file. */
const OWN_HEADERS = ["authorization", "range", "if-range", "if-none-match", "if-modified-since"];

/** Answers requests below {@linkcode SHARE_PATH}. */
export class Shares {
  readonly book: ShareBook;
  readonly #limiter = new AttemptLimiter();
  /** Number of uploads in flight through each upload link, by share name. */
  readonly #underWay = new Map<string, number>();
  /** Comparers for passwords that were correct, by share: checking one again saves the 30 ms. */
  readonly #right = new Map<string, (given: string) => boolean>();

  /**
   * @param serve Answers a request for a file below the root.
   * @param uploads Accepts uploads; undefined if uploads are disabled.
   */
  constructor(
    readonly root: Root,
    readonly options: ShareOptions,
    readonly serve: (request: Request) => Promise<Response>,
    readonly uploads?: Uploads,
  ) {
    this.book = new ShareBook(options.keeper);
  }

  /** Whether a request is a download, which does not require the password of `--files-auth`. */
  isDownload({ url }: Request): boolean {
    return targetOf(url).path.startsWith(`${SHARE_PATH}/`);
  }

  /**
   * Answers a request.
   * @throws RequestError with the status of an error page; BusyError if there are too many shares.
   */
  async answer(request: Request, peer: Peer): Promise<Response> {
    if (this.isDownload(request)) return await this.#download(request, peer);
    // Allows the same callers as uploads: with the password, or from this machine.
    checkCaller(request, peer, this.options.hasPassword, { what: "share", done: "shared" });
    const { method } = request, isPage = /\btext\/html\b/i.test(request.headers.get("accept") ?? "");
    if (method === "POST") return await this.#asked(await askedOf(request), isPage);
    if (method !== "GET" && method !== "HEAD") {
      throw new RequestError(405, "Only GET, HEAD and POST are supported here.", {
        allow: "GET, HEAD, POST",
      });
    }
    const path = new URLSearchParams(targetOf(request.url).query).get("of") ?? undefined,
      open = this.book.list();
    return isPage
      ? await sharePage({ path, open, takesFiles: this.uploads !== undefined })
      : json(200, { shares: open.map(told) });
  }

  async #asked(
    { revoke, path, file, ms, limit, password, collects }: Asked,
    isPage: boolean,
  ): Promise<Response> {
    if (revoke !== undefined) {
      await this.#revoke(revoke);
      return isPage ? await sharePage({ open: this.book.list() }) : json(200, { ok: true });
    }
    const names = file === undefined ? this.#namesAt(path) : this.#namesOf(file);
    const { isDirectory } = (await this.root.find(this.root.path(names))).info;
    if (collects && !isDirectory) throw new RequestError(400, "An upload link needs a folder.");
    if (collects && !this.uploads) {
      throw new RequestError(403, "Uploads need deskhand's option --allow-upload.");
    }
    const { share, token } = await this.book.make({ names, ms, limit, password, collects }).catch(unkept);
    const name = collects ? "" : encodeURIComponent((names.at(-1) ?? "files") + (isDirectory ? ".zip" : ""));
    const urls = this.options.addresses().map((address) => `${address}${SHARE_PATH}/${token}/${name}`);
    if (isPage) return await sharePage({ made: { share, urls }, open: this.book.list() }, 201);
    return json(201, { ...told(share), urls });
  }

  async #revoke(id: string): Promise<void> {
    await this.book.revoke(id).catch(unkept).catch((error) => {
      throw error instanceof NotFoundError ? new RequestError(404, error.message) : error;
    });
  }

  /** @throws RequestError 400 without a path. */
  #namesAt(path: string | undefined): string[] {
    if (path === undefined) throw new RequestError(400, "path must name a file or folder.");
    const names = pathNames(path);
    if (names.at(-1) === "") names.pop();
    return names;
  }

  /** @throws RequestError 400 if the file is not below the served folder. */
  #namesOf(file: string): string[] {
    const { real } = this.root;
    if (!isWithinFolder(file, real)) throw new RequestError(400, "The file is not in the served folder.");
    return file.slice(real.length).split(SEPARATOR).filter(Boolean);
  }

  async #download(request: Request, peer: Peer): Promise<Response> {
    const { method, headers, url, signal } = request;
    const [token, ...rest] = targetOf(url).path.slice(SHARE_PATH.length + 1).split("/");
    const share = await this.book.find(token);
    if (!share && method === "PUT") throw notFound(); // the share may have accepted uploads
    const allowed = share?.collects ? ["GET", "HEAD", "PUT"] : ["GET", "HEAD"];
    if (!allowed.includes(method)) {
      const message = `Only ${allowed.slice(0, -1).join(", ")} and ${allowed.at(-1)} are answered here.`;
      throw new RequestError(405, message, { allow: allowed.join(", ") });
    }
    if (!share) throw notFound();
    if (share.hasPassword) await this.#checkPassword(share, headers, callerOf(peer));
    if (share.collects) return await this.#collect(share, request, peer, rest);
    const isFolder = (await this.root.find(this.root.path(share.names))).info.isDirectory;
    const inner = new Headers(headers);
    inner.delete("authorization");
    // A part of a file would be an uncounted download.
    if (share.limit !== undefined) { for (const name of OWN_HEADERS) inner.delete(name); }
    const path = share.names.map((name) => `/${encodeURIComponent(name)}`).join("");
    const target = `${new URL(url).origin}${path}${isFolder ? "/?archive=zip" : ""}`;
    const isCounted = method === "HEAD" || await this.book.count(share).catch(unkept);
    if (!isCounted) throw notFound();
    return await this.serve(new Request(target, { method, headers: inner, signal }));
  }

  /**
   * Shows the upload page, or accepts an upload.
   * @param rest The parts of the path after the token.
   */
  async #collect(share: Share, request: Request, peer: Peer, rest: readonly string[]): Promise<Response> {
    if (request.method !== "PUT") {
      if (!rest.length) return redirect(`./${targetOf(request.url).path.split("/").at(-1)}/`);
      if (rest.join("/") !== "") throw notFound();
      return await dropPage();
    }
    if (rest.length !== 1 || !this.uploads) throw notFound();
    const names = [...share.names, ...pathNames(`/${rest[0]}`)], underWay = this.#underWay.get(share.id) ?? 0;
    if (share.uses + underWay >= (share.limit ?? Infinity)) throw notFound();
    this.#underWay.set(share.id, underWay + 1);
    try {
      const answer = await this.uploads.answer(request, peer, { names });
      if (answer.status === 201) await this.book.count(share).catch(unkept);
      return answer;
    } finally {
      const left = this.#underWay.get(share.id)! - 1;
      if (left) this.#underWay.set(share.id, left);
      else this.#underWay.delete(share.id);
    }
  }

  /** @throws RequestError 401 or 429. */
  async #checkPassword(share: Share, headers: Headers, address: string): Promise<void> {
    const wait = this.#limiter.wait(address);
    if (wait !== undefined) {
      throw new RequestError(429, "Too many wrong passwords; try again later.", { "retry-after": `${wait}` });
    }
    const given = passwordOf(headers.get("authorization"));
    if (given !== undefined) {
      if (this.#right.get(share.id)?.(given)) return;
      // Counted before the check: otherwise many simultaneous guesses would all pass the limit.
      this.#limiter.failed(address);
      if (await this.book.isPassword(share, given)) {
        this.#limiter.forgive(address);
        if (this.#right.size >= RIGHT_LIMIT) this.#right.clear();
        this.#right.set(share.id, secretComparer(given));
        return;
      }
    }
    throw new RequestError(401, "This link needs its password; any user name works.", {
      "www-authenticate": 'Basic realm="shared file", charset="UTF-8"',
    });
  }
}

/** @throws RequestError 507 if a change to the shares cannot be stored, and thus does not apply; otherwise `error`. */
function unkept(error: unknown): never {
  throw error instanceof StateError ? new RequestError(507, error.message) : error;
}

function told({ names, ends, ...share }: Share) {
  return { ...share, path: `/${names.join("/")}`, ends: new Date(ends).toISOString() };
}

function json(status: number, value: unknown): Response {
  return ownAnswer(new TextEncoder().encode(`${JSON.stringify(value)}\n`), {
    name: "shares.json",
    type: "application/json",
    status,
  });
}

/** The password of Basic authentication, with any user name. */
function passwordOf(authorization: string | null): string | undefined {
  const credentials = basicCredentials(authorization);
  return credentials?.slice(credentials.indexOf(":") + 1);
}
