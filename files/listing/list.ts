/** A folder's list: one row per entry, with links that work for any name. It needs no script. */

import { escape } from "@std/html";
import { BOUNDS } from "./read.ts";
import { type Contents, type Entry, iconOf, kindOf, type Sort, SORTS, type View } from "./entry.ts";
import {
  beginning,
  breadcrumb,
  ending,
  extrasOf,
  headingOf,
  hiddenFields,
  linkTo,
  shown,
  shownCount,
  shownSize,
  toolbar,
} from "./html.ts";
import { queryOf, showQuery } from "./query.ts";

const TITLES: Record<Sort, string> = { name: "Name", size: "Size", time: "Modified" };
/** Rows per block: a browser lays out only visible blocks. */
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

/** A folder's page up to its entries. */
function folderBeginning(kind: "list" | "gallery", contents: Contents): string {
  const { top, names, view } = contents, heading = headingOf(names);
  return beginning({
    kind,
    title: heading,
    extras: extrasOf(contents),
    isUsual: queryOf(view) === "",
    header: `${breadcrumb([top, ...names])}\n<h1>${heading}</h1>\n${toolbar(contents)}\n${summary(contents)}`,
  });
}

/** The folder's readme, below its entries. */
function readmePart({ readme }: Contents): string {
  if (!readme) return "";
  return `<article class="prose" aria-label="${shown(readme.name)}">\n${readme.html}</article>\n`;
}

/** The text of a page without entries. */
function emptiness({ search }: View): string {
  return `<p>${search ? "Nothing was found." : "This folder is empty."}</p>\n`;
}

/**
 * A column heading, which sorts by the column. It is a button rather than a link, because wget 1.21 ignores
 * `rel=nofollow`: `wget -r` would fetch each folder in six orders.
 */
function column(sort: Sort, view: View): string {
  const current = view.sort === sort;
  const reverse = current && !view.descending ? `<input type="hidden" name="order" value="desc">` : "";
  const arrow = current ? (view.descending ? " ↓" : " ↑") : "";
  const state = current ? ` aria-sort="${view.descending ? "descending" : "ascending"}"` : "";
  return `<th scope="col"${state}><form>${hiddenFields(view, ["sort", "order"])}${reverse}` +
    `<button name="sort" value="${sort}">${TITLES[sort]}${arrow}</button></form></th>`;
}

/** The number and total size of entries, and a sentence for each reason why entries are missing. */
function summary({ totals, view, cut, nameless = 0 }: Contents): string {
  const { folders, files, bytes } = totals, { search } = view;
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
    ...(cut === "number" && !search?.deep
      ? [`Only ${all.toLocaleString("en")} entries of this folder are shown.`]
      : []),
    ...(all > BOUNDS.entries && search?.deep
      ? [`Only the first ${BOUNDS.entries.toLocaleString("en")} of ${all.toLocaleString("en")} are shown.`]
      : []),
  ];
  const back = search
    ? `<a class="all" href="./${escape(queryOf(view, ["q", "deep"]))}">All entries</a>`
    : "";
  return `<p class="summary" role="status"><span class="counts">${
    counts.join(", ")
  }</span>${what}</p>${back}` +
    cuts.map((sentence) => `\n<p class="cut">${sentence} To see others, search for more of the name.</p>`)
      .join("") +
    (nameless ? `\n<p class="cut">${namelessSentence(nameless)}</p>` : "");
}

function namelessSentence(count: number): string {
  const [are, them] = count === 1 ? ["is", "it"] : ["are", "them"];
  return `${shownCount(count, "entry has a name", "entries have names")} that ${are} not Unicode: ` +
    `deskhand neither shows nor archives ${them}.`;
}

/** Names that need no escaping, in HTML or in a URL. */
const PLAIN = /^[\w./-]+$/;
const DAY_MS = 24 * 3600_000;

/**
 * Returns a function that writes rows. It escapes only names that need it, and caches dates, because most
 * times in a folder fall on few days: escaping each name and calling toISOString for each time takes 1 s more
 * for 1,000,000 entries.
 *
 * A file's buttons are a form rather than links, because `wget -r` would fetch each file three times.
 * @param view The view; its order is also the order of neighbours on a file's own page.
 */
function rowWriter(view: View): (entry: Entry) => string {
  const days = new Map<number, string>();
  const order = hiddenFields(view, ["view", "q", "deep"]);
  const look = `<button name="view">View</button>`, save = `<button name="download">Download</button>`;

  /** Formats a time as `YYYY-MM-DD HH:MM UTC`. */
  function minute(time: number): string {
    const day = Math.floor(time / DAY_MS), minutes = Math.floor((time - day * DAY_MS) / 60_000);
    let date = days.get(day);
    if (date === undefined) days.set(day, date = new Date(day * DAY_MS).toISOString().split("T")[0]);
    return `${date} ${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)} UTC`;
  }

  return (entry) => {
    const { name, size, modified } = entry;
    const [href, text] = PLAIN.test(name) ? [name, name] : [linkTo(name), shown(name)];
    const time = modified === null ? "" : minute(modified);
    if (size === undefined) {
      return `<tr class="folder"><td><a href="${href}/">${text}/</a></td><td></td><td>${time}</td><td></td></tr>\n`;
    }
    const buttons = kindOf(name) ? look + order + save : save;
    return `<tr class="${iconOf(entry)}"><td><a href="${href}">${text}</a></td><td>${
      shownSize(size)
    }</td><td>${time}</td>` +
      `<td><form action="${href}">${buttons}</form></td></tr>\n`;
  };
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

// A folder's gallery: its pictures and videos; the browser loads only visible ones.

/** Minimum size of pictures shown as thumbnails, in bytes; smaller files are shown directly. */
const THUMBNAIL_FROM = 32 * 1024;
/** Tiles per block: a browser lays out only visible blocks. */
const TILES_BLOCK = 60;

/**
 * Writes the page: folders, then tiles, then the number of files that are neither pictures nor videos.
 * @returns Its parts, in order.
 */
export function* galleryParts(contents: Contents): Generator<string> {
  const { names, entries, view } = contents;
  const tile = tileWriter(view, contents.hasThumbnails ?? false);
  const parents = names.length && !view.search ? 1 : 0;
  let folders = parents, tiles = 0, others = 0;
  yield folderBeginning("gallery", contents);
  if (parents) yield* folder("..", 0, view);
  for (const entry of entries) {
    if (entry.size === undefined) {
      yield* folder(entry.name, folders++, view);
      continue;
    }
    const html = tile(entry);
    if (html === undefined) {
      others++;
      continue;
    }
    if (tiles === 0 && folders) yield "</ul>\n";
    if (tiles % TILES_BLOCK === 0) yield `${tiles ? "</ul>\n" : ""}<ul class="tiles">\n`;
    tiles++;
    yield html;
  }
  yield (folders || tiles ? "</ul>\n" : "") + rest(view, folders - parents + tiles, others) +
    ending("gallery", extrasOf(contents));
}

function* folder(name: string, before: number, view: View): Generator<string> {
  if (before === 0) yield `<ul class="folders">\n`;
  yield `<li><a href="${linkTo(name)}/${escape(queryOf(view, ["q", "deep"]))}">${shown(name)}/</a></li>\n`;
}

/** Returns a function that writes tiles, which link to the file's page. */
function tileWriter(view: View, hasThumbnails: boolean): (entry: Entry) => string | undefined {
  const query = escape(showQuery(view));
  return ({ name, size, modified }) => {
    const kind = kindOf(name), link = linkTo(name);
    const small = hasThumbnails && size! > THUMBNAIL_FROM ? `?thumbnail=${(modified ?? 0).toString(36)}` : "";
    if (kind !== "picture" && kind !== "film") return undefined;
    // The time `#t=` makes browsers show a video's first frame instead of nothing.
    const media = kind === "picture"
      ? `<img src="${link}${small}" alt="" loading="lazy" decoding="async">`
      : `<video src="${link}#t=0.1" preload="none" muted playsinline tabindex="-1"></video>`;
    return `<li><a href="${link}${query}">${media}<span>${shown(name)}</span></a></li>\n`;
  };
}

function rest(view: View, shownEntries: number, others: number): string {
  if (!others) return shownEntries ? "" : emptiness(view);
  const list = escape(queryOf(view, ["view"]));
  const what = shownCount(
    others,
    shownEntries ? "other file" : "file",
    shownEntries ? "other files" : "files",
  );
  return `<p><a href="./${list}">${what}</a>, neither pictures nor films</p>\n`;
}
