/** What a request asks for, taken from its URL without trusting the URL to be one. */

/** A request's target, as it was sent. */
export interface Target {
  /** Path, percent-encoded and not normalised; begins with `/` in all but odd requests (`OPTIONS *`). */
  path: string;
  /** Query without `?`; empty if there is none. */
  query: string;
}

/** How a URL with an authority begins (RFC 3986 section 3). */
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Where a URL's authority begins; 0 if it has none. The usual ones first: every request comes here twice. */
function authorityStart(url: string): number {
  if (url.startsWith("http://")) return 7;
  if (url.startsWith("https://")) return 8;
  return SCHEME.exec(url)?.[0].length ?? 0;
}

/** Where it ends: where a path, a query or a fragment begins (RFC 3986 section 3.2). */
function authorityEnd(url: string, start: number): number {
  let end = start;
  while (end < url.length && !isEnd(url.charCodeAt(end))) end++;
  return end;
}

function isEnd(code: number): boolean {
  return code === 0x2f || code === 0x3f || code === 0x23; // / ? #
}

/**
 * The authority that a request is for, by its Host header and its URL.
 *
 * Over HTTP/1.1 a URL is what Host says, or else the target was a whole URL (RFC 9112 section 3.2.2), which then must
 * say the same as Host. Over HTTP/2 there is no Host, and the URL holds what was sent in its place. Where neither was
 * sent Deno invents an authority, which over TLS looks like one that was: of versions it tells nothing.
 * @param host The Host header; undefined if there is none.
 * @param tls Whether the request came over TLS, which alone negotiates HTTP/2.
 * @returns undefined if there is none, or if the two differ.
 */
export function authorityOf(url: string, host: string | undefined, tls: boolean): string | undefined {
  const start = authorityStart(url);
  if (start === 0) return host; // `*`, or CONNECT's target
  if (!url.startsWith(tls ? "https://" : "http://")) return undefined;
  const authority = url.slice(start, authorityEnd(url, start));
  if (host === undefined) return tls ? authority : undefined;
  return authority === host || authority.toLowerCase() === host.toLowerCase() ? host : undefined;
}

/**
 * Splits a request's URL. `new URL` is no help here: a strange Host makes it throw, and it normalises `..`.
 * @param url `request.url` as Deno.serve gives it: scheme, authority, then the target as it was sent.
 */
export function targetOf(url: string): Target {
  const start = authorityStart(url), end = start && authorityEnd(url, start);
  const hash = url.indexOf("#", end);
  const target = url.slice(end, hash < 0 ? undefined : hash);
  const mark = target.indexOf("?");
  return mark < 0
    ? { path: target || "/", query: "" }
    : { path: target.slice(0, mark) || "/", query: target.slice(mark + 1) };
}
