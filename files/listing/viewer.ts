/** A file in a page: shown in place, with links to the previous and next file. */

import { attempt } from "../../core/errors.ts";
import { escape } from "@std/html";
import { readAtOnce } from "../read.ts";
import type { Renderer } from "../render/renderer.ts";
import type { Resolved, Root } from "../resolve.ts";
import { type Contents, type Entry, type Kind, kindOf, type ShownFile, type View } from "./entry.ts";
import { beginning, breadcrumb, ending, extrasOf, linkTo, shareForm, shown, shownSize } from "./html.ts";
import { queryOf, showQuery } from "./query.ts";

/** A file's position among the viewable files of its folder. */
interface FilePlace {
  before?: string;
  after?: string;
  /** The file's position, from 1; 0 if it is not among them. */
  number: number;
  count: number;
}

/**
 * Writes the page.
 * @returns Its parts, in order.
 */
export function* viewerParts({ top, names, entries, view, file, isShared }: Contents): Generator<string> {
  const { name, kind, size } = file!, text = shown(name), link = linkTo(name);
  const folder = escape(queryOf(view)), extras = extrasOf({ file });
  const place = placeOf(name, entries, view);
  yield beginning({
    kind: "viewer",
    title: text,
    isUsual: false,
    extras,
    header: `<h1>${text}</h1>\n${breadcrumb([top, ...names], folder, text)}\n<div class="tools">\n` +
      `${neighbours(place, view)}\n` +
      `<form action="${link}"><span class="counts">${shownSize(size)}</span><a href="${link}">Open</a>` +
      `<button name="download">Download</button></form>\n${isShared ? shareForm(names, name) : ""}</div>`,
  });
  yield CONTENT[kind ?? "none"](file!, link) + ending("viewer", extras);
}

/** Finds a file's position in one pass: a folder may have a million entries. */
function placeOf(name: string, entries: Iterable<Entry>, { layout }: View): FilePlace {
  const place: FilePlace = { number: 0, count: 0 };
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

/** Whether a file is viewable: in a gallery only pictures and videos are. */
function isShown(kind: Kind | undefined, layout: View["layout"]): boolean {
  return layout === "gallery" ? kind === "picture" || kind === "film" : kind !== undefined;
}

function neighbours({ before, after, number, count }: FilePlace, view: View): string {
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
  pdf: ({ name }, link) =>
    `<object data="${link}" type="application/pdf" aria-label="${shown(name)}">` +
    `<p>This browser cannot show PDF files in a page. <a href="${link}">Open the PDF</a></p></object>\n`,
  table: textContent,
  text: textContent,
  none: () => `<p>A browser cannot show this file here. Download it to open it with another program.</p>\n`,
};

function textContent({ text = "", size, isCut, rendered }: ShownFile, link: string): string {
  // HTML parsers drop a line feed at the beginning of the element.
  const content = rendered
    ? `<article class="prose">\n${rendered}</article>\n`
    : `<pre tabindex="0">\n${escape(text)}</pre>\n`;
  const end = isCut
    ? `<p>This is the beginning of ${shownSize(size)}. <a href="${link}">Open the whole file</a></p>\n`
    : "";
  return content + end;
}

// A file's page.

/** Maximum number of text bytes shown in a page. */
export const TEXT_LIMIT = 512 * 1024;
/** UTF-16 byte order marks at the beginning of a file (Unicode section 23.8). */
const UTF_16: Record<string, string> = { fffe: "utf-16le", feff: "utf-16be" };

/**
 * Reads the content for a file's page: the beginning of a text. A file whose name does not determine its type
 * is text if it is valid UTF-8 without NUL.
 * @param name The last name in the path.
 * @throws RequestError 404 if the file is gone; FileChangedError if it changed during the read.
 */
export async function shownFile(
  root: Root,
  file: Resolved,
  name: string,
  renderer: Renderer,
): Promise<ShownFile> {
  const kind = kindOf(name), { size } = file.info;
  if (kind !== undefined && kind !== "text" && kind !== "table") return { name, kind, size };
  const open = await root.open(file);
  const length = Math.min(open.info.size, TEXT_LIMIT), isCut = open.info.size > length;
  const bytes = await readAtOnce(
    open,
    length ? [{ start: 0, end: length - 1 }] : [],
    true,
    (call) => root.reach(file.real, call),
  );
  const text = textIn(bytes, isCut, kind !== undefined);
  if (text === undefined) return { name, kind: undefined, size };
  const rendered = kind === "table"
    ? await tableOf(text, isCut)
    : isRendered(name, text)
    ? await renderer.rendered(text)
    : undefined;
  return { name, kind: "text", size, text, isCut, rendered };
}

/**
 * Field separators (RFC 4180, and those of spreadsheets): the most frequent one in the first line is used.
 */
const SEPARATORS = [",", ";", "\t", "|"];
/** Maximum number of table rows, and of cells per row, shown in a page. */
const TABLE_LIMITS = { rows: 2000, cells: 100 };

/**
 * Writes the table of a CSV file.
 * @param isCut Whether the last line may be incomplete.
 * @returns undefined if the text is not a table.
 */
async function tableOf(text: string, isCut: boolean): Promise<string | undefined> {
  const { parse } = await import("@std/csv/parse");
  const whole = text.replace(/^\ufeff/, "").slice(0, isCut ? text.lastIndexOf("\n") + 1 : undefined);
  const [line] = whole.split("\n", 1), count = (separator: string) => line.split(separator).length;
  const separator = SEPARATORS.toSorted((a, b) => count(b) - count(a))[0];
  const rows: string[][] | undefined = attempt(() => parse(whole, { separator, lazyQuotes: true })); // undefined for an unterminated quote
  if (!rows?.length) return undefined;
  const row = (cells: string[], tag: string) =>
    `<tr>${
      cells.slice(0, TABLE_LIMITS.cells).map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join("")
    }</tr>\n`;
  const [head, ...body] = rows.slice(0, TABLE_LIMITS.rows);
  const rest = rows.length > TABLE_LIMITS.rows
    ? `<p>The first ${TABLE_LIMITS.rows.toLocaleString("en")} of ${
      rows.length.toLocaleString("en")
    } rows.</p>\n`
    : "";
  return `<div class="wide" tabindex="0"><table>\n<thead>${row(head, "th")}</thead>\n<tbody>\n` +
    `${body.map((cells) => row(cells, "td")).join("")}</tbody></table></div>\n${rest}`;
}

/**
 * Decodes a text.
 * @param isCut Whether the last character may be incomplete.
 * @param isText Whether bytes that are not UTF-8 are in another code page, or mean that the file is not text.
 */
function textIn(bytes: Uint8Array, isCut: boolean, isText: boolean): string | undefined {
  const encoding = UTF_16[bytes.subarray(0, 2).toHex()] ?? "utf-8";
  if (!isText && encoding === "utf-8" && bytes.includes(0)) return undefined;
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return isText ? decoderOf(bytes).decode(bytes, { stream: isCut }) : undefined;
  }
}

/**
 * A decoder for text that is not UTF-8: for the code page named in HTML or XML, or that of Western Europe.
 */
function decoderOf(bytes: Uint8Array): TextDecoder {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const named = /(?:charset|encoding)\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1];
  return attempt(() => new TextDecoder(named ?? "windows-1252")) ?? new TextDecoder("windows-1252");
}

/** Maximum length of rendered text, in UTF-16 code units. */
const LONGEST = 256 * 1024;

/** Whether a text is rendered: Markdown, by file name, that is short enough. */
function isRendered(name: string, text: string): boolean {
  return text.length <= LONGEST && /\.(?:md|markdown)$/i.test(name);
}
