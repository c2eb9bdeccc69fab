/** The gallery of a folder: its pictures and films at full size; the browser loads only visible ones. */

import { escape } from "@std/html";
import type { Contents, Entry, View } from "./entry.ts";
import { extrasOf } from "./extras.ts";
import { ending } from "./html.ts";
import { kindOf } from "./kind.ts";
import { emptiness, folderBeginning } from "./list.ts";
import { queryOf, showQuery } from "./query.ts";
import { linkTo, shown, shownCount } from "./shown.ts";

/** The size in bytes from which pictures have thumbnails; smaller files are shown directly. */
const THUMBNAIL_FROM = 32 * 1024;
/** Tiles of a block: a browser lays out only the blocks that are in sight. */
const BLOCK = 60;

/**
 * Writes the page: folders, then tiles, then the number of files that are neither pictures nor films.
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
    if (tiles % BLOCK === 0) yield `${tiles ? "</ul>\n" : ""}<ul class="tiles">\n`;
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

/** Makes a writer of tiles, which lead to the page of the file. */
function tileWriter(view: View, hasThumbnails: boolean): (entry: Entry) => string | undefined {
  const query = escape(showQuery(view));
  return ({ name, size, modified }) => {
    const kind = kindOf(name), link = linkTo(name);
    const small = hasThumbnails && size! > THUMBNAIL_FROM ? `?thumbnail=${(modified ?? 0).toString(36)}` : "";
    if (kind !== "picture" && kind !== "film") return undefined;
    // The time `#t=` makes browsers show a film's first picture instead of nothing.
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
