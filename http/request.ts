/** Requests as both servers see them: handlers, refusals, the target, and the headers of proxies. */

import { ExpectedError, UsageError } from "../core/errors.ts";
import { nodeModule } from "../core/path.ts";

/** A request's target, as it was sent. */
interface RequestTarget {
  /** Path, percent-encoded and not normalised; begins with `/` in all but odd requests (`OPTIONS *`). */
  path: string;
  /** Query without `?`; empty if there is none. */
  query: string;
}

/** The parts of a URL. */
interface Parts {
  /** The scheme; left out with the authority in odd requests: `*`, or CONNECT's target. */
  scheme: string | undefined;
  authority: string;
  target: RequestTarget;
}

/** RFC 3986 section 3, with the authority optional. */
const PARTS = /^(?:([a-z][a-z0-9+.-]*):\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/i;

/** The last URL read: several places read the URL of each request, and clients often repeat a URL. */
let lastRead: { url: string; parts: Parts } | undefined;

function partsOf(url: string): Parts {
  if (lastRead?.url !== url) {
    const [, scheme, authority = "", path, query = ""] = PARTS.exec(url)!;
    lastRead = { url, parts: { scheme, authority, target: { path: path || "/", query } } };
  }
  return lastRead.parts;
}

/**
 * The authority that a request is for, by its Host header and its URL.
 *
 * Over HTTP/1 the URL's authority is the Host header's, unless the target was a whole URL (RFC 9112 section 3.2.2),
 * which must then agree with Host. Over HTTP/2 there is usually no Host, and the URL holds `:authority` (RFC 9113
 * section 8.3.1).
 * @param tls Whether the request came over TLS.
 * @param host The Host header, if the caller has read it already.
 * @returns undefined if the request has no authority, or if Host and the URL differ.
 */
export function authorityOf(
  request: Request,
  tls: boolean,
  host = request.headers.get("host") ?? undefined,
): string | undefined {
  if (host === undefined && isHttp1(request)) return undefined;
  const { scheme, authority } = partsOf(request.url);
  if (scheme === undefined) return host;
  if (scheme !== (tls ? "https" : "http")) return undefined;
  if (host === undefined || host === authority) return authority;
  return host.toLowerCase() === authority.toLowerCase() ? host : undefined;
}

/** The call by which Deno 2.9 calls a handler for HTTP/1, but not for HTTP/2. */
const HTTP1_CALLER = /\bnativeMapped \(ext:deno_http\//;

/**
 * Whether a request without Host came over HTTP/1, where Host is required and Deno puts `localhost` or the
 * listener's address into the URL in its place. Deno.serve does not say which version a request has
 * (https://github.com/denoland/deno/issues/10277). HTTP/2 has no Connection header (RFC 9113 section 8.2.2), and Deno
 * 2.9 calls the handler for HTTP/1 from a function of its own. On a runtime without that function such a request is
 * answered as one for `localhost`; browsers send none.
 */
function isHttp1(request: Request): boolean {
  if (request.headers.has("connection")) return true;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Infinity;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return HTTP1_CALLER.test(stack ?? "");
}

/**
 * Splits a request's URL. `new URL` does not fit: it throws for a strange Host, and normalises `..`.
 * @param url `request.url` as Deno.serve gives it: scheme, authority, then the target as it was sent.
 * @example
 * ```ts
 * targetOf("http://localhost:4000/../a?b=c"); // { path: "/../a", query: "b=c" }
 * ```
 */
export function targetOf(url: string): RequestTarget {
  return partsOf(url).target;
}

/**
 * Whether a reference is on the server of a URL. The scheme may differ: a proxy may take TLS off.
 * @param reference A path, or a URL with an authority.
 * @example
 * isOnServer("https://desk.lan/a", "http://desk.lan/b"); // true
 */
export function isOnServer(reference: string, url: string): boolean {
  const { authority, scheme } = partsOf(reference);
  if (scheme === undefined) return reference.startsWith("/");
  return authority.toLowerCase() === partsOf(url).authority.toLowerCase();
}

/** The header by which nginx, Caddy, HAProxy, Traefik and Apache name the caller, and the proxies before them. */
const FORWARDED_FOR = "x-forwarded-for";

/** Whether an address is one of a trusted proxy. */
type IsTrusted = (address: string) => boolean;

/**
 * Reads the addresses of `--trust-proxy`.
 * @param addresses Each is an IPv4 or IPv6 address, or a network such as `10.0.0.0/8`.
 * @throws UsageError if one is neither.
 */
export function trustedProxies(addresses: readonly string[]): IsTrusted {
  const { BlockList, isIP } = nodeModule("node:net"), trusted = new BlockList();
  for (const text of addresses) {
    const [address, bits, ...more] = text.split("/"), family = isIP(address) === 6 ? "ipv6" : "ipv4";
    const most = family === "ipv6" ? 128 : 32;
    const isNetwork = bits !== undefined;
    if (!isIP(address) || more.length || isNetwork && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)) {
      throw new UsageError(
        `--trust-proxy takes an address such as 127.0.0.1 or a network such as 10.0.0.0/8, not ${
          JSON.stringify(text)
        }`,
      );
    }
    if (isNetwork) trusted.addSubnet(address, Number(bits), family);
    else trusted.addAddress(address, family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 6 ? "ipv6" : "ipv4");
  };
}

/**
 * Finds the caller of a request that came through trusted proxies: each proxy adds the address that it was called from
 * at the end, so that the last address that is no trusted proxy's is the caller's. Addresses before it may be invented.
 * @param peer The address that the connection came from.
 * @param forwarded The value of X-Forwarded-For; null without the header.
 * @returns The caller's address; `peer` if it is not a trusted proxy, or its header names no address.
 * @example
 * callerBehind("127.0.0.1", "1.2.3.4, 192.0.2.7", (address) => address === "127.0.0.1"); // "192.0.2.7"
 */
export function callerBehind(peer: string, forwarded: string | null, isTrusted: IsTrusted): string {
  if (forwarded === null || !isTrusted(peer)) return peer;
  const { isIP } = nodeModule("node:net");
  let caller = peer;
  for (const item of forwarded.split(",").toReversed()) {
    const address = item.trim();
    if (!isIP(address)) return caller;
    caller = address;
    if (!isTrusted(address)) return caller;
  }
  return caller;
}

/**
 * Makes a handler that names the callers behind trusted proxies to another handler, for its log and its limits. The
 * rules of access still see the proxy's headers, and ask for the token.
 */
export function withCallers(handler: Handler, isTrusted: IsTrusted): Handler {
  return (request, peer) => {
    const { remoteAddr, completed } = peer, forwarded = request.headers.get(FORWARDED_FOR);
    const caller = callerBehind(remoteAddr.hostname, forwarded, isTrusted);
    return handler(request, { remoteAddr, completed, caller });
  };
}

/** The address of a request's caller, as the log shows it and limits count it. */
export function callerOf({ caller, remoteAddr }: Peer): string {
  return caller ?? remoteAddr.hostname;
}

/** The client: its address, and a promise that settles when the answer has been sent or the client has gone. */
export interface Peer extends Deno.ServeHandlerInfo<Deno.NetAddr> {
  /** The address that a trusted proxy names as its caller's; left out without such a proxy. */
  caller?: string;
}

/**
 * Answers a request. Never throws and never rejects. A chunk of the answer's body is valid until the next one is read;
 * see {@linkcode ./stream.ts}.
 */
export type Handler = (request: Request, peer: Peer) => Promise<Response>;

/** The reason why a request is refused before it is handled. Each server gives it the form of its own errors. */
export interface Refusal {
  /** HTTP status, 400 to 499. */
  status: number;
  /** One line for the client, without any detail of this machine. */
  message: string;
  /** Further headers of the answer (`WWW-Authenticate`, `Retry-After`). */
  headers?: Record<string, string>;
  /** Whether endpoints without secrets, which answer every caller alike, may be answered despite the refusal. */
  waivable?: boolean;
}

/**
 * Decides on a request before it is handled.
 * @returns undefined if the request may go on.
 */
export type Guard = (request: Request, peer: Peer) => Refusal | undefined;

/** Thrown by HTTP handlers only. Code that is not about HTTP throws another {@linkcode ExpectedError}. */
export class RequestError extends ExpectedError {
  override name = "RequestError";

  /**
   * @param status HTTP status, 400 to 599.
   * @param message What was wrong and what is allowed; sent to the client unchanged.
   * @param headers Further headers of the answer, such as `Allow` or `Retry-After`.
   */
  constructor(readonly status: number, message: string, readonly headers: Record<string, string> = {}) {
    super(message);
  }
}
