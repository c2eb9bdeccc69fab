/** Targets of requests. A URL may be malformed, so that `new URL` does not read it. */

/** A request's target, as it was sent. */
export interface RequestTarget {
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
