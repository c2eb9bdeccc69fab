/** The query of a folder's page: how the folder is shown. */

import { RequestError } from "../../http/request.ts";
import { LAYOUTS, SORTS, type View } from "./entry.ts";

/** A query that asks for a page showing the file, rather than the file. */
const SHOW = /^view(?:=(?:gallery)?)?(?:&(?:sort|order)=\w+)*$/;

/**
 * Whether the query in a file's URL asks for a page that shows the file. Only the form used by deskhand's own
 * pages counts, because web applications have their own queries.
 * @param query Without `?`.
 */
export function asksToShow(query: string): boolean {
  return SHOW.test(query);
}

/** A query that asks for a thumbnail; the value is the file's version, for browser caches. */
const THUMBNAIL = /^thumbnail(?:=\w{0,16})?$/;

/** Whether a query asks for a file's thumbnail. */
export function asksForThumbnail(query: string): boolean {
  return THUMBNAIL.test(query);
}

/** Whether a folder's query asks for its listing in JSON, which no index.html replaces. */
export function asksForJson(query: string): boolean {
  return new URLSearchParams(query).get("format") === "json";
}

/**
 * Reads how to show a folder.
 * @throws RequestError 400 if the query asks for an unknown order or layout.
 */
export function viewOf(asked: URLSearchParams): View {
  const view: View = {
    sort: choice(asked, "sort", SORTS),
    descending: choice(asked, "order", ["asc", "desc"]) === "desc",
  };
  if (choice(asked, "view", ["", ...LAYOUTS]) === "gallery") view.layout = "gallery";
  const text = (asked.get("q") ?? "").trim(), deep = asked.has("deep");
  if (text !== "" || deep) view.search = { text, deep };
  return view;
}

/**
 * Reads a query value that must be one of a few.
 * @param allowed The allowed values; the first is the default.
 * @throws RequestError 400 for another value.
 */
export function choice<const T extends string>(
  asked: URLSearchParams,
  name: string,
  allowed: readonly T[],
): T {
  const value = asked.get(name) ?? allowed[0];
  if ((allowed as readonly string[]).includes(value)) return value as T;
  throw new RequestError(400, `${name} must be one of ${allowed.filter(Boolean).join(", ")}.`);
}

/** The query fields of a view. */
export type QueryField = "sort" | "order" | "view" | "q" | "deep";

/**
 * The query fields of a view; default values are omitted.
 * @param without Fields that the query has from elsewhere.
 */
export function fieldsOf(
  { sort, descending, layout, search }: View,
  without: readonly QueryField[] = [],
): [QueryField, string][] {
  const all: [QueryField, string | undefined][] = [
    ["sort", sort === SORTS[0] ? undefined : sort],
    ["order", descending ? "desc" : undefined],
    ["view", layout === "gallery" ? layout : undefined],
    ["q", search?.text || undefined],
    ["deep", search?.deep ? "on" : undefined],
  ];
  return all.filter((field): field is [QueryField, string] =>
    field[1] !== undefined && !without.includes(field[0])
  );
}

/**
 * The query that asks for a view, with `?`; empty for the default view.
 * @param without As for {@linkcode fieldsOf}.
 */
export function queryOf(view: View, without?: readonly QueryField[]): string {
  const query = new URLSearchParams(fieldsOf(view, without)).toString();
  return query && `?${query}`;
}

/** The query of the page that shows a file, with `?`: its neighbours follow the view's order and layout. */
export function showQuery(view: View): string {
  const layout = view.layout === "gallery" ? "=gallery" : "";
  const order = queryOf(view, ["view", "q", "deep"]).replace("?", "&");
  return `?view${layout}${order}`;
}
