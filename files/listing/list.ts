/** The list of a folder: one row an entry, links that work for any name. It needs no script. */

import { BOUNDS } from "./deep.ts";
import { type Contents, type Entry, type Sort, SORTS, type View } from "./entry.ts";
import { extrasOf } from "./extras.ts";
import { hiddenFields } from "./fields.ts";
import { beginning, breadcrumb, ending, headingOf } from "./html.ts";
import { kindOf } from "./kind.ts";
import { queryOf } from "./query.ts";
import { linkTo, shown, shownCount, shownSize } from "./shown.ts";
import { toolbar } from "./toolbar.ts";

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
  yield `</tbody>\n</table>\n${rows ? "" : emptiness(view)}${readmePart(contents)}${
    ending("list", extrasOf(contents))
  }`;
}

/** The page of a folder up to its entries. */
export function folderBeginning(kind: "list" | "gallery", contents: Contents): string {
  const { names, view } = contents, heading = headingOf(names);
  return beginning({
    kind,
    title: heading,
    extras: extrasOf(contents),
    isUsual: queryOf(view) === "",
    header: `<h1>${heading}</h1>\n${breadcrumb(names)}\n${toolbar(contents)}\n${summary(contents)}`,
  });
}

/** The folder's description below its entries. */
function readmePart({ readme }: Contents): string {
  if (!readme) return "";
  return `<article class="prose" aria-label="${shown(readme.name)}">\n${readme.html}</article>\n`;
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

/** Names that need no escape, in HTML or in a URL. */
const PLAIN = /^[\w./-]+$/;
const DAY_MS = 24 * 3600_000;

/**
 * Makes a writer of rows. The writer escapes only names that need it, and caches the days, since most times of a
 * folder are of few days: to escape each name and to call toISOString for each time takes 1 s more for 1,000,000
 * entries.
 *
 * A file's buttons are a form and no links, because `wget -r` would fetch each file three times.
 * @param view The view; its order is also the order of neighbours on a file's own page.
 */
export function rowWriter(view: View): (entry: Entry) => string {
  const days = new Map<number, string>();
  const order = hiddenFields(view, ["view", "q", "deep"]);
  const look = `<button name="view">View</button>`, save = `<button name="download">Download</button>`;

  /** A time as `YYYY-MM-DD HH:MM UTC`. */
  function minute(time: number): string {
    const day = Math.floor(time / DAY_MS), minutes = Math.floor((time - day * DAY_MS) / 60_000);
    let date = days.get(day);
    if (date === undefined) days.set(day, date = new Date(day * DAY_MS).toISOString().split("T")[0]);
    return `${date} ${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)} UTC`;
  }

  return ({ name, size, modified }) => {
    const [href, text] = PLAIN.test(name) ? [`./${name}`, name] : [linkTo(name), shown(name)];
    const time = modified === null ? "" : minute(modified);
    if (size === undefined) {
      return `<tr class="folder"><td><a href="${href}/">${text}/</a></td><td></td><td>${time}</td><td></td></tr>\n`;
    }
    const buttons = kindOf(name) ? look + order + save : save;
    return `<tr><td><a href="${href}">${text}</a></td><td>${shownSize(size)}</td><td>${time}</td>` +
      `<td><form action="${href}">${buttons}</form></td></tr>\n`;
  };
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}
