/** What a request asks for, taken from its URL without trusting the URL to be one. */

/** A request's target, as it was sent. */
export interface Target {
  /** Path, percent-encoded and not normalised; begins with `/` in all but odd requests (`OPTIONS *`). */
  path: string;
  /** Query without `?`; empty if there is none. */
  query: string;
}

/**
 * Splits a request's URL. `new URL` is no help here: a strange Host makes it throw, and it normalises `..`.
 * @param url `request.url` as Deno.serve gives it: scheme, authority, then the target as it was sent.
 */
export function targetOf(url: string): Target {
  const authority = url.indexOf("://");
  const slash = authority < 0 ? 0 : url.indexOf("/", authority + 3);
  const target = slash < 0 ? "/" : url.slice(slash);
  const mark = target.indexOf("?");
  return mark < 0
    ? { path: withoutFragment(target), query: "" }
    : { path: target.slice(0, mark), query: withoutFragment(target.slice(mark + 1)) };
}

function withoutFragment(text: string): string {
  const hash = text.indexOf("#");
  return hash < 0 ? text : text.slice(0, hash);
}
