/** The list of a folder: one row an entry, links that work for any name. It needs no script. */

import { type Contents, type Sort, SORTS, type View } from "./entry.ts";
import { hiddenFields } from "./fields.ts";
import { beginning, breadcrumb, ending, headingOf } from "./html.ts";
import { queryOf } from "./query.ts";
import { rowWriter } from "./row.ts";
import { toolbar } from "./toolbar.ts";
import { BOUNDS } from "./deep.ts";
import { shown, shownCount, shownSize } from "./shown.ts";

const TITLES: Record<Sort, string> = { name: "Name", size: "Size", time: "Modified" };
/** Rows of a block: a browser lays out only the blocks that are in sight. */
const BLOCK = 100;

/**
 * Writes the page.
 * @returns Its parts, in order.
 */
export function* listParts(contents: Contents): Generator<string> {
  const { names, entries, view } = contents;
  yield folderBeginning("list", contents);
  yield `<table>\n<thead><tr>${
    SORTS.map((sort) => column(sort, view)).join("")
  }<td></td></tr></thead>\n<tbody>\n`;
  const row = rowWriter(view);
  let rows = 0;
  if (names.length && !view.search) {
    yield `<tr class="folder"><td><a href="../">../</a></td><td></td><td></td><td></td></tr>\n`;
  }
  for (const entry of entries) {
    if (rows && rows % BLOCK === 0) yield "</tbody>\n<tbody>\n";
    yield row(entry);
    rows++;
  }
  yield `</tbody>\n</table>\n${rows ? "" : emptiness(view)}${ending("list", contents.takesFiles)}`;
}

/** The page of a folder up to its entries. */
export function folderBeginning(kind: "list" | "gallery", contents: Contents): string {
  const { names, view, takesFiles } = contents, heading = headingOf(names);
  return beginning({
    kind,
    title: heading,
    takesFiles,
    isUsual: queryOf(view) === "",
    header: `<h1>${heading}</h1>\n${breadcrumb(names)}\n${toolbar(contents)}\n${summary(contents)}`,
  });
}

/** The text of a page without entries. */
export function emptiness({ search }: View): string {
  return `<p>${search ? "Nothing was found." : "This folder is empty."}</p>\n`;
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
  return `<th scope="col"${state}><form>${hiddenFields(view, ["sort", "order"])}${reverse}` +
    `<button name="sort" value="${sort}">${TITLES[sort]}${arrow}</button></form></th>`;
}

/** The number of entries and their size, and a sentence for each reason why entries are missing. */
function summary({ totals, view: { search }, cut }: Contents): string {
  const { folders, files, bytes } = totals;
  const counts = [
    ...(folders ? [shownCount(folders, "folder")] : []),
    ...(files || !folders ? [shownCount(files, "file")] : []),
    ...(files ? [shownSize(bytes)] : []),
  ];
  const where = search?.deep ? " in this folder and below" : "";
  const what = search?.text ? ` found for “${shown(search.text)}”${where}` : where;
  const all = folders + files;
  const cuts = [
    ...(cut === "time"
      ? [`The search ended after ${BOUNDS.time / 1000} seconds, before all folders were read.`]
      : []),
    ...(all > BOUNDS.entries && search?.deep
      ? [`Only the first ${BOUNDS.entries.toLocaleString("en")} of ${all.toLocaleString("en")} are shown.`]
      : []),
  ];
  return `<p class="summary" role="status"><span class="counts">${counts.join(", ")}</span>${what}</p>` +
    cuts.map((sentence) => `\n<p class="cut">${sentence} To see others, search for more of the name.</p>`)
      .join("");
}
