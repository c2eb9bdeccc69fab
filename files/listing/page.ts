/** The page of a listing: no script, one style, links that work for any name. */

import { type Contents, type Sort, SORTS, type View } from "./entry.ts";
import { rowWriter, shown } from "./row.ts";
import { STYLE } from "./style.ts";

const TITLES: Record<Sort, string> = { name: "Name", size: "Size", time: "Modified" };
/** Rows of a block: a browser lays out only the blocks that are in sight. */
const BLOCK = 100;

/**
 * Writes the page.
 * @returns Its parts, in order.
 */
export function* pageParts({ names, entries, view }: Contents): Generator<string> {
  yield head(names, view);
  const row = rowWriter();
  let rows = 0;
  if (names.length) yield `<tr class="folder"><td><a href="../">../</a></td><td></td><td></td></tr>\n`;
  for (const entry of entries) {
    if (rows && rows % BLOCK === 0) yield "</tbody>\n<tbody>\n";
    yield row(entry);
    rows++;
  }
  yield `</tbody>\n</table>\n${rows ? "" : "<p>This folder is empty.</p>\n"}</main>\n</body>\n</html>\n`;
}

function head(names: readonly string[], view: View): string {
  const heading = `Directory listing: ${shown("/" + names.map((name) => `${name}/`).join(""))}`;
  // Search engines need the folder in one order only.
  const isUsual = view.sort === SORTS[0] && !view.descending;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isUsual ? "" : `<meta name="robots" content="noindex">\n`}<title>${heading}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${heading}</h1>
${breadcrumb(names)}
</header>
<main>
<table>
<thead><tr>${SORTS.map((sort) => column(sort, view)).join("")}</tr></thead>
<tbody>
`;
}

/** The path to this folder: a link to each folder above it. */
function breadcrumb(names: readonly string[]): string {
  const steps = ["files", ...names].map((name, i, all) => {
    const depth = all.length - 1 - i;
    const text = shown(name);
    return depth
      ? `<a href="${"../".repeat(depth)}">${text}</a>`
      : `<span aria-current="page">${text}</span>`;
  });
  return `<nav aria-label="Path">${steps.join(" / ")}</nav>`;
}

/**
 * A column's heading, which sorts by the column. It is a button and no link, because wget 1.21 ignores `rel=nofollow`:
 * `wget -r` would fetch each folder in six orders.
 */
function column(sort: Sort, view: View): string {
  const current = view.sort === sort;
  const reverse = current && !view.descending ? `<input type="hidden" name="order" value="desc">` : "";
  const arrow = current ? (view.descending ? " ↓" : " ↑") : "";
  const state = current ? ` aria-sort="${view.descending ? "descending" : "ascending"}"` : "";
  return `<th scope="col"${state}><form>${reverse}<button name="sort" value="${sort}">${
    TITLES[sort]
  }${arrow}` +
    `</button></form></th>`;
}
