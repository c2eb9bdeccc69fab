/** The page of a listing: no script, one style, links that work for any name. */

import { escape } from "@std/html";
import { type Entry, type Sort, SORTS, type View } from "./entry.ts";

/** The one style of the page. */
export const STYLE = `
:root{color-scheme:light dark;--line:#e3e3e8;--soft:#6b6b76;--link:#0b57d0;--hover:#f4f6fa;--page:#fff;--text:#1b1b1f}
@media(prefers-color-scheme:dark){:root{--line:#303038;--soft:#9a9aa6;--link:#8ab4f8;--hover:#22242b;--page:#17181c;--text:#e6e6ea}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;margin:0 auto;max-width:60rem;padding:1.5rem 1.25rem 4rem;background:var(--page);color:var(--text)}
h1{font-size:1.15rem;font-weight:600;margin:0 0 .25rem;overflow-wrap:anywhere}
nav{color:var(--soft);font-size:.9rem;margin:0 0 1.25rem;overflow-wrap:anywhere}
a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
table{border-collapse:collapse;width:100%}
th{font-weight:500;font-size:.85rem;text-align:left;color:var(--soft);border-bottom:1px solid var(--line);padding:.35rem .6rem}
th a{color:inherit}
td{border-bottom:1px solid var(--line);padding:0 .6rem}
tr:hover td{background:var(--hover)}
td:first-child,th:first-child{width:100%}
td a{display:block;padding:.5rem 0;overflow-wrap:anywhere}
td+td,th+th{white-space:nowrap;text-align:right}
td+td{color:var(--soft);font-variant-numeric:tabular-nums;font-size:.9rem}
.folder a{font-weight:600}
p{color:var(--soft)}
@media(max-width:36rem){body{padding:1rem .75rem 3rem}td+td{font-size:.72rem}td,th{padding-left:.25rem;padding-right:.25rem}td a{padding:.65rem 0}}
`;
const TITLES: Record<Sort, string> = { name: "Name", size: "Size", time: "Modified (UTC)" };
/** Names that stand for themselves in HTML and in a URL. */
const PLAIN = /^[\w.-]+$/;
const MINUTES_A_DAY = 24 * 60;
const TWO_DIGITS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, "0"));
const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

/**
 * Writes the page.
 * @param names Names on the way to the folder.
 * @param entries In order.
 * @returns HTML.
 */
export function writePage(names: readonly string[], entries: readonly Entry[], view: View): string {
  const path = "/" + names.map((name) => `${name}/`).join("");
  const time = timeWriter();
  return [
    head(path, names, view, entries.length),
    ...entries.map((entry) => row(entry, time)),
    "</tbody>\n</table>\n</main>\n</body>\n</html>\n",
  ].join("");
}

function head(path: string, names: readonly string[], view: View, count: number): string {
  const heading = `Directory listing: ${escape(path)}`;
  const up = names.length ? `<tr class="folder"><td><a href="../">../</a></td><td></td><td></td></tr>\n` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${heading}</h1>
${breadcrumb(names)}
</header>
<main>
${count ? "" : "<p>This folder is empty.</p>\n"}<table>
<thead><tr>${SORTS.map((sort) => column(sort, view)).join("")}</tr></thead>
<tbody>
${up}`;
}

/** The way down to this folder; each step is a link up. */
function breadcrumb(names: readonly string[]): string {
  const steps = ["files", ...names].map((name, i, all) => {
    const depth = all.length - 1 - i;
    const text = escape(name);
    return depth
      ? `<a href="${"../".repeat(depth)}">${text}</a>`
      : `<span aria-current="page">${text}</span>`;
  });
  return `<nav aria-label="Path">${steps.join(" / ")}</nav>`;
}

function column(sort: Sort, view: View): string {
  const current = view.sort === sort;
  const next = current && !view.descending ? "desc" : "asc";
  const arrow = current ? (view.descending ? " ↓" : " ↑") : "";
  const state = current ? ` aria-sort="${view.descending ? "descending" : "ascending"}"` : "";
  return `<th scope="col"${state}><a href="?sort=${sort}&amp;order=${next}">${TITLES[sort]}${arrow}</a></th>`;
}

function row({ name, folder, size, modified }: Entry, time: (time: Date) => string): string {
  const slash = folder ? "/" : "";
  // "./" keeps a colon in a name from reading as a scheme. Most names need no escaping, which takes a third of the time.
  const [href, text] = PLAIN.test(name)
    ? [name + slash, name + slash]
    : [escape(`${encodeURIComponent(name.toWellFormed())}${slash}`), escape(name + slash)];
  return `<tr${folder ? ' class="folder"' : ""}><td><a href="./${href}">${text}</a></td>` +
    `<td>${size === undefined ? "" : bytes(size)}</td><td>${modified ? time(modified) : ""}</td></tr>\n`;
}

/** A size as people read it: three digits at most, powers of 1024. */
function bytes(size: number): string {
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit && size < 10 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}

/**
 * Writes times as `YYYY-MM-DD HH:MM`, in UTC. Days are written once, since most times in a folder are of few: that takes
 * a quarter of the time that toISOString takes.
 */
function timeWriter(): (time: Date) => string {
  const days = new Map<number, string>();
  return (time) => {
    const minutes = Math.floor(time.getTime() / 60_000);
    const day = Math.floor(minutes / MINUTES_A_DAY);
    let written = days.get(day);
    if (written === undefined) days.set(day, written = time.toISOString().split("T")[0]);
    const minute = minutes - day * MINUTES_A_DAY;
    return `${written} ${TWO_DIGITS[Math.floor(minute / 60)]}:${TWO_DIGITS[minute % 60]}`;
  };
}
