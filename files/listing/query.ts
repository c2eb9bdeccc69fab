/** The query of a folder's page: how the folder is shown. */

import { RequestError } from "../../http/request.ts";
import { LAYOUTS, SORTS, type View } from "./entry.ts";

/** A query that asks for a page which shows the file, rather than for the file. */
const SHOW = /^view(?:=(?:gallery)?)?(?:&(?:sort|order)=\w+)*$/;

/**
 * Whether the query of a file's path asks for a page that shows the file. Only the form that deskhand's own pages
 * use does: web applications have queries of their own.
 * @param query Without `?`.
 */
export function asksToShow(query: string): boolean {
  return SHOW.test(query);
}

/** A query that asks for a small picture; the value is the version of the file, for the caches of browsers. */
const THUMBNAIL = /^thumbnail(?:=\w{0,16})?$/;

/** Whether a query asks for the small picture of a file. */
export function asksForThumbnail(query: string): boolean {
  return THUMBNAIL.test(query);
}

/**
 * Reads how a folder is to be shown.
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
 * Reads a value of a query that allows only some.
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

/** Fields of a view that can stand in a query. */
export type QueryField = "sort" | "order" | "view" | "q" | "deep";

/**
 * The fields of a query for a view; default values are left out.
 * @param without Fields that the query takes from elsewhere.
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
 * The query that asks for a view, with `?`; empty for the usual view.
 * @param without As for {@linkcode fieldsOf}.
 */
export function queryOf(view: View, without?: readonly QueryField[]): string {
  const query = new URLSearchParams(fieldsOf(view, without)).toString();
  return query && `?${query}`;
}

/** The query of the page that shows a file, with `?`: its neighbours are in the view's order and layout. */
export function showQuery(view: View): string {
  const layout = view.layout === "gallery" ? "=gallery" : "";
  const order = queryOf(view, ["view", "q", "deep"]).replace("?", "&");
  return `?view${layout}${order}`;
}
