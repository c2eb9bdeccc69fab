/** What a request asks for, taken from its URL without trusting the URL to be one. */

/** A request's target, as it was sent. */
export interface Target {
  /** Path, percent-encoded and not normalised; begins with `/` in all but odd requests (`OPTIONS *`). */
  path: string;
  /** Query without `?`; empty if there is none. */
  query: string;
}

/**
 * The authority in a request's URL. Over HTTP/2, which only TLS negotiates, it is what was sent in place of a Host
 * header; elsewhere Deno invents it where a Host is missing.
 */
export function authorityOf(url: string): string | undefined {
  return /^https:\/\/([^/?#]*)/.exec(url)?.[1];
}

/**
 * Splits a request's URL. `new URL` is no help here: a strange Host makes it throw, and it normalises `..`.
 * @param url `request.url` as Deno.serve gives it: scheme, authority, then the target as it was sent.
 */
export function targetOf(url: string): Target {
  const authority = url.indexOf("://");
  const slash = authority < 0 ? 0 : url.indexOf("/", authority + 3);
  const hash = url.indexOf("#");
  const target = slash < 0 ? "/" : url.slice(slash, hash < 0 ? undefined : hash);
  const mark = target.indexOf("?");
  return mark < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}
