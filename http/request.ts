/** Requests as both servers see them: handlers, refusals, the target, proxy headers, and bodies. */

import { ExpectedError, STOPPING, UsageError } from "../core/errors.ts";
import { nodeModule } from "../core/path.ts";

/** A request's target, as sent. */
interface RequestTarget {
  /** Path, percent-encoded and not normalized; begins with `/` in all but unusual requests (`OPTIONS *`). */
  path: string;
  /** Query without `?`; empty if there is none. */
  query: string;
}

/** The parts of a URL. */
interface Parts {
  /** The scheme; missing, like the authority, in unusual requests: `*`, or CONNECT's target. */
  scheme: string | undefined;
  authority: string;
  target: RequestTarget;
}

/** RFC 3986 section 3, with an optional authority. */
const PARTS = /^(?:([a-z][a-z0-9+.-]*):\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/i;

/** The last URL parsed: several places read each request's URL, and clients often repeat one. */
let lastRead: { url: string; parts: Parts } | undefined;

function partsOf(url: string): Parts {
  if (lastRead?.url !== url) {
    const [, scheme, authority = "", path, query = ""] = PARTS.exec(url)!;
    lastRead = { url, parts: { scheme, authority, target: { path: path || "/", query } } };
  }
  return lastRead.parts;
}

/**
 * The authority that a request is for, according to its Host header and its URL.
 *
 * Over HTTP/1 the URL's authority is that of the Host header, unless the target was an absolute URL (RFC 9112
 * section 3.2.2), which must then match Host. Over HTTP/2 there is usually no Host, and the URL contains
 * `:authority` (RFC 9113 section 8.3.1).
 * @param tls Whether the request came over TLS.
 * @param host The Host header, if the caller has already read it.
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

/** The function from which Deno 2.9 calls a handler for HTTP/1, but not for HTTP/2. */
const HTTP1_CALLER = /\bnativeMapped \(ext:deno_http\//;

/**
 * Whether a request without Host came over HTTP/1, where Host is required and Deno substitutes `localhost` or
 * the listener's address in the URL. Deno.serve does not report a request's HTTP version
 * (https://github.com/denoland/deno/issues/10277). HTTP/2 has no Connection header (RFC 9113 section 8.2.2),
 * and Deno 2.9 calls the handler for HTTP/1 from a separate function. On a runtime without that function,
 * such a request is treated as one for `localhost`; browsers do not send any.
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
 * Splits a request's URL. `new URL` does not fit: it throws for an unusual Host, and normalizes `..`.
 * @param url `request.url` from Deno.serve: scheme, authority, then the target as sent.
 * @example
 * ```ts
 * targetOf("http://localhost:4000/../a?b=c"); // { path: "/../a", query: "b=c" }
 * ```
 */
export function targetOf(url: string): RequestTarget {
  return partsOf(url).target;
}

/**
 * Whether a reference points to the server of a URL. The scheme may differ, because a proxy may terminate
 * TLS.
 * @param reference A path, or a URL with an authority.
 * @example
 * isOnServer("https://desk.lan/a", "http://desk.lan/b"); // true
 */
export function isOnServer(reference: string, url: string): boolean {
  const { authority, scheme } = partsOf(reference);
  if (scheme === undefined) return reference.startsWith("/");
  return authority.toLowerCase() === partsOf(url).authority.toLowerCase();
}

/**
 * The header in which nginx, Caddy, HAProxy, Traefik and Apache name the caller, and any proxies before them.
 */
const FORWARDED_FOR = "x-forwarded-for";

/** Whether an address belongs to a trusted proxy. */
type IsTrusted = (address: string) => boolean;

/**
 * Parses the addresses of `--trust-proxy`.
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
 * Finds the caller of a request that came through trusted proxies. Each proxy appends the address of its
 * client, so the last address that is not a trusted proxy's is the caller's; addresses before it may be
 * forged.
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
 * Wraps a handler to report callers behind trusted proxies to it, for its log and its limits. The access
 * rules still see the proxy's headers, and require the token.
 */
export function withCallers(handler: Handler, isTrusted: IsTrusted): Handler {
  return (request, peer) => {
    const { remoteAddr, completed } = peer, forwarded = request.headers.get(FORWARDED_FOR);
    const caller = callerBehind(remoteAddr.hostname, forwarded, isTrusted);
    return handler(request, { remoteAddr, completed, caller });
  };
}

/** The address of a request's caller, used for the log and for limits. */
export function callerOf({ caller, remoteAddr }: Peer): string {
  return caller ?? remoteAddr.hostname;
}

/**
 * The client: its address, and a promise that settles when the response has been sent or the client has left.
 */
export interface Peer extends Deno.ServeHandlerInfo<Deno.NetAddr> {
  /** The caller's address reported by a trusted proxy; omitted without such a proxy. */
  caller?: string;
}

/**
 * Answers a request. Never throws and never rejects. A chunk of the response body is valid until the next one
 * is read; see {@linkcode ./stream.ts}.
 */
export type Handler = (request: Request, peer: Peer) => Promise<Response>;

/** Why a request is refused before it is handled. Each server formats it like its own errors. */
export interface Refusal {
  /** HTTP status, 400 to 499. */
  status: number;
  /** One line for the client, without any details about this machine. */
  message: string;
  /** Additional response headers (`WWW-Authenticate`, `Retry-After`). */
  headers?: Record<string, string>;
  /** Whether endpoints without secrets, which answer all callers alike, may ignore the refusal. */
  waivable?: boolean;
}

/**
 * Checks a request before it is handled.
 * @returns undefined if the request may go on.
 */
export type Guard = (request: Request, peer: Peer) => Refusal | undefined;

/** Thrown only by HTTP handlers. Code unrelated to HTTP throws another {@linkcode ExpectedError}. */
export class RequestError extends ExpectedError {
  override name = "RequestError";

  /**
   * @param status HTTP status, 400 to 599.
   * @param message What is wrong and what is allowed; sent to the client unchanged.
   * @param headers Additional response headers, such as `Allow` or `Retry-After`.
   */
  constructor(readonly status: number, message: string, readonly headers: Record<string, string> = {}) {
    super(message);
  }
}

// Bodies, whose client may leave, close its sending half or stop sending.

/** Maximum time without a byte of an upload, and for the whole of a small body, in milliseconds. */
const IDLE_MS = 60_000, SMALL_MS = 10_000;
/** Maximum time for both once the program is stopping, in milliseconds. */
export const LAST_BODY_MS = 750;

const stop = new AbortController();
/** The bodies that are being read. */
export const ARRIVING = {
  count: 0,
  /** Aborted when the program stops: the bodies then have {@linkcode LAST_BODY_MS}. */
  stop: stop.signal,
};

/** Aborts the signal of {@linkcode ARRIVING}. */
export function hurryBodies(): void {
  stop.abort();
}

/** The error for a body that has not arrived by the end of the program. */
export function cutOff(): RequestError {
  return new RequestError(503, STOPPING, { "retry-after": "1", connection: "close" });
}

/**
 * Yields a body's bytes as they arrive.
 * @param length The number of bytes that the client announced; undefined if none.
 * @param isSmall Whether all of it must arrive within 10 s, such as a form.
 * @throws RequestError 499 if the client leaves before the body is complete, 408 if nothing arrives for a
 * minute, or a small body arrives too slowly; 503 if the program stops and nothing arrives.
 */
export async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  length: number | undefined,
  isSmall = false,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  let at = 0, timer: ReturnType<typeof setTimeout> | undefined;
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const expect = () => {
    clearTimeout(timer);
    const what = isSmall ? "The body did not arrive within 10 s." : "The client sent nothing for a minute.";
    const isLast = ARRIVING.stop.aborted;
    const refusal = () =>
      late.reject(isLast ? cutOff() : new RequestError(408, what, { connection: "close" }));
    timer = setTimeout(refusal, isLast ? LAST_BODY_MS : isSmall ? SMALL_MS : IDLE_MS);
  };
  ARRIVING.count++;
  ARRIVING.stop.addEventListener("abort", expect);
  const read = () =>
    reader.read().catch(() => {
      // The client has closed its sending half: Deno (2.9.6) fails the read that would report the end of the
      // body.
      if (at === length) return { value: undefined, done: true as const };
      throw new RequestError(499, "The client disconnected before the body was complete.");
    });
  try {
    for (expect();; isSmall || expect()) {
      const { value, done } = await Promise.race([read(), late.promise]);
      if (done) return;
      at += value.length;
      yield value;
    }
  } finally {
    ARRIVING.count--;
    ARRIVING.stop.removeEventListener("abort", expect);
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
}

/** Yields the bytes of a small body. @throws RequestError as {@linkcode chunksOf}. */
export function smallBody({ body, headers }: Request): AsyncGenerator<Uint8Array> {
  const length = headers.get("content-length");
  return chunksOf(body, length === null ? undefined : Number(length), true);
}

/**
 * Reads a small body as text.
 * @param limit Maximum number of bytes.
 * @throws RequestError 413 if it is longer, and as {@linkcode chunksOf}; the errors of the decoder.
 */
export async function smallText(
  request: Request,
  limit: number,
  decoder = new TextDecoder(),
): Promise<string> {
  let text = "", size = 0;
  for await (const chunk of smallBody(request)) {
    size += chunk.length;
    if (size > limit) throw new RequestError(413, `The body is longer than ${limit} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
