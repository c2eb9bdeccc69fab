/** Shares of files over HTTP: the owner makes, lists and revokes them; anyone with a link downloads. */

import { NotFoundError } from "../../core/errors.ts";
import { SEPARATOR } from "../../core/path.ts";
import type { Peer } from "../../http/handler.ts";
import { AttemptLimiter } from "../../http/limiter.ts";
import { RequestError } from "../../http/request_error.ts";
import { SHARE_PATH } from "../../http/share_path.ts";
import { targetOf } from "../../http/target.ts";
import { notFound } from "../file_errors.ts";
import { ownAnswer } from "../pages.ts";
import { pathNames } from "../paths.ts";
import type { Root } from "../resolve.ts";
import { checkCaller } from "../upload/caller.ts";
import { type Asked, askedOf } from "./asked.ts";
import { type Keeper, type Share, ShareBook } from "./book.ts";
import { sharePage } from "./page.ts";

/** The options of shares. */
export interface ShareOptions {
  /** Keeps the shares over a new start. */
  keeper: Keeper;
  /** Tells whether `--files-auth` demands a password. */
  hasPassword: boolean;
  /** Addresses of this server, without a final slash. */
  addresses: () => string[];
}

/** Headers of a request that are the share's matter and not the file's. */
const OWN_HEADERS = ["authorization", "range", "if-range", "if-none-match", "if-modified-since"];

/** Answers requests below {@linkcode SHARE_PATH}. */
export class Shares {
  readonly book: ShareBook;
  readonly #limiter = new AttemptLimiter();

  /** @param serve Answers a request for a file below the root. */
  constructor(
    readonly root: Root,
    readonly options: ShareOptions,
    readonly serve: (request: Request) => Promise<Response>,
  ) {
    this.book = new ShareBook(options.keeper);
  }

  /** Tells whether a request is a download, which asks for no password of `--files-auth`. */
  isDownload({ url }: Request): boolean {
    return targetOf(url).path.startsWith(`${SHARE_PATH}/`);
  }

  /**
   * Answers a request.
   * @throws RequestError with the status of an error page; BusyError if there are too many shares.
   */
  async answer(request: Request, peer: Peer): Promise<Response> {
    if (this.isDownload(request)) return await this.#download(request, peer);
    // Allows the callers that may upload: with the password, or from this machine.
    checkCaller(request, peer, this.options.hasPassword, { what: "share", done: "shared" });
    const { method } = request, isPage = /\btext\/html\b/i.test(request.headers.get("accept") ?? "");
    if (method === "POST") return await this.#asked(await askedOf(request), isPage);
    if (method !== "GET" && method !== "HEAD") {
      throw new RequestError(405, "Only GET, HEAD and POST are answered here.", { allow: "GET, HEAD, POST" });
    }
    const path = new URLSearchParams(targetOf(request.url).query).get("of") ?? undefined,
      open = this.book.list();
    return isPage ? await sharePage({ path, open }) : json(200, { shares: open.map(told) });
  }

  async #asked({ revoke, path, file, ms, limit, password }: Asked, isPage: boolean): Promise<Response> {
    if (revoke !== undefined) {
      this.#revoke(revoke);
      return isPage ? await sharePage({ open: this.book.list() }) : json(200, { ok: true });
    }
    const names = file === undefined ? this.#namesAt(path) : this.#namesOf(file);
    const { share, token } = await this.book.make({ names, ms, limit, password });
    const { isDirectory } = this.root.resolve(this.root.path(names)).info;
    const name = encodeURIComponent((names.at(-1) ?? "files") + (isDirectory ? ".zip" : ""));
    const urls = this.options.addresses().map((address) => `${address}${SHARE_PATH}/${token}/${name}`);
    if (isPage) return await sharePage({ made: { share, urls }, open: this.book.list() }, 201);
    return json(201, { ...told(share), urls });
  }

  #revoke(id: string): void {
    try {
      this.book.revoke(id);
    } catch (error) {
      throw error instanceof NotFoundError ? new RequestError(404, error.message) : error;
    }
  }

  /** @throws RequestError 400 without a path, 404 if nothing is served there. */
  #namesAt(path: string | undefined): string[] {
    if (path === undefined) throw new RequestError(400, "path must be that of a file or folder.");
    const names = pathNames(path);
    if (names.at(-1) === "") names.pop();
    this.root.resolve(this.root.path(names));
    return names;
  }

  /** @throws RequestError 400 if the file is not below the served folder, 404 if it is not served. */
  #namesOf(file: string): string[] {
    const prefix = this.root.real.endsWith(SEPARATOR) ? this.root.real : this.root.real + SEPARATOR;
    if (file !== this.root.real && !file.startsWith(prefix)) {
      throw new RequestError(400, "The file is not in the folder that is served.");
    }
    this.root.resolve(file);
    return file.slice(prefix.length).split(SEPARATOR).filter(Boolean);
  }

  async #download(request: Request, peer: Peer): Promise<Response> {
    const { method, headers, url, signal } = request;
    if (method !== "GET" && method !== "HEAD") {
      throw new RequestError(405, "Only GET and HEAD are answered here.", { allow: "GET, HEAD" });
    }
    const token = targetOf(url).path.slice(SHARE_PATH.length + 1).split("/")[0];
    const share = await this.book.find(token);
    if (!share) throw notFound();
    if (share.hasPassword) await this.#checkPassword(share, headers, peer.remoteAddr.hostname);
    const isFolder = this.root.resolve(this.root.path(share.names)).info.isDirectory;
    const inner = new Headers(headers);
    inner.delete("authorization");
    // A part of a file would be a download that is not counted.
    if (share.limit !== undefined) { for (const name of OWN_HEADERS) inner.delete(name); }
    const path = share.names.map((name) => `/${encodeURIComponent(name)}`).join("");
    const target = `${new URL(url).origin}${path}${isFolder ? "/?archive=zip" : ""}`;
    if (method === "GET" && !this.book.count(share)) throw notFound();
    return await this.serve(new Request(target, { method, headers: inner, signal }));
  }

  /** @throws RequestError 401 or 429. */
  async #checkPassword(share: Share, headers: Headers, address: string): Promise<void> {
    const wait = this.#limiter.wait(address);
    if (wait !== undefined) {
      throw new RequestError(429, "Too many wrong passwords; try again later.", { "retry-after": `${wait}` });
    }
    const given = passwordOf(headers.get("authorization"));
    if (given !== undefined) {
      if (await this.book.isPassword(share, given)) return;
      this.#limiter.failed(address);
    }
    throw new RequestError(401, "This link asks for its password; the user name does not matter.", {
      "www-authenticate": 'Basic realm="shared file", charset="UTF-8"',
    });
  }
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

/** The password of Basic authentication, whatever the user's name is. */
function passwordOf(authorization: string | null): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return undefined;
  try {
    const text = new TextDecoder().decode(
      Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)),
    );
    return text.slice(text.indexOf(":") + 1);
  } catch {
    return "";
  }
}
