/** A file in a page: shown in place, with ways to the files before and behind it. */

import { escape } from "@std/html";
import type { Contents, Entry, Kind, ShownFile, View } from "./entry.ts";
import { beginning, breadcrumb, ending } from "./html.ts";
import { kindOf } from "./kind.ts";
import { queryOf, showQuery } from "./query.ts";
import { linkTo, shown, shownSize } from "./shown.ts";

/** Where a file stands among those that can be shown. */
interface Place {
  before?: string;
  after?: string;
  /** From 1; 0 if the file is not among them. */
  number: number;
  count: number;
}

/**
 * Writes the page.
 * @returns Its parts, in order.
 */
export function* viewerParts({ names, entries, view, file }: Contents): Generator<string> {
  const { name, kind, size } = file!, text = shown(name), link = linkTo(name);
  const folder = escape(queryOf(view));
  yield beginning({
    kind: "viewer",
    title: text,
    isUsual: false,
    header: `<h1>${text}</h1>\n${breadcrumb(names, folder, text)}\n<div class="tools">\n` +
      `${neighbours(placeOf(name, entries, view), view)}\n` +
      `<form action="${link}"><span class="counts">${shownSize(size)}</span><a href="${link}">Open</a>` +
      `<button name="download">Download</button></form>\n</div>`,
  });
  yield CONTENT[kind ?? "none"](file!, link) + ending("viewer");
}

/** Finds a file's place in one pass: a folder may have a million entries. */
function placeOf(name: string, entries: Iterable<Entry>, { layout }: View): Place {
  const place: Place = { number: 0, count: 0 };
  let last: string | undefined;
  for (const entry of entries) {
    if (entry.size === undefined || !(entry.name === name || isShown(kindOf(entry.name), layout))) continue;
    place.count++;
    if (entry.name === name) {
      place.number = place.count;
      place.before = last;
    } else if (place.number && place.count === place.number + 1) place.after = entry.name;
    last = entry.name;
  }
  return place;
}

/** A gallery leads from picture to picture. */
function isShown(kind: Kind | undefined, layout: View["layout"]): boolean {
  return layout === "gallery" ? kind === "picture" || kind === "film" : kind !== undefined;
}

function neighbours({ before, after, number, count }: Place, view: View): string {
  const way = (name: string | undefined, rel: string, title: string) =>
    name === undefined
      ? `<span class="end">${title}</span>`
      : `<a rel="${rel}" href="${linkTo(name)}${escape(showQuery(view))}">${title}</a>`;
  const place = number ? `${number.toLocaleString("en")} of ${count.toLocaleString("en")}` : "";
  return `<nav aria-label="Files">${way(before, "prev", "← Previous")}<span class="counts">${place}</span>` +
    `${way(after, "next", "Next →")}</nav>`;
}

const CONTENT: Record<Kind | "none", (file: ShownFile, link: string) => string> = {
  picture: ({ name }, link) =>
    `<a class="picture" href="${link}"><img src="${link}" alt="${shown(name)}"></a>\n`,
  film: (_, link) => `<video src="${link}" controls playsinline preload="metadata"></video>\n`,
  sound: (_, link) => `<audio src="${link}" controls preload="metadata"></audio>\n`,
  text: ({ text = "", size, isCut }, link) =>
    // A parser drops a line feed at the beginning of the element.
    `<pre tabindex="0">\n${escape(text)}</pre>\n` +
    (isCut
      ? `<p>This is the beginning of ${shownSize(size)}. <a href="${link}">Open the whole file</a></p>\n`
      : ""),
  none: () => `<p>A browser cannot show this file here. Download it to open it with another program.</p>\n`,
};
