/** Common parts of the pages of folders and files: head, path, end. */

import { escape } from "@std/html";
import { printable } from "../../core/printable.ts";
import { withSharedInside } from "../../http/page_scripts.ts";
import type { Contents, View } from "./entry.ts";
import { fieldsOf, type QueryField } from "./query.ts";

// Styles and scripts of the pages. They stand inside the pages, since every address below a folder may be a
// file's.

/** A folder's list or gallery, a file in a page, the shares, and the page of those who upload and see nothing. */
export type PageKind = "list" | "gallery" | "viewer" | "share" | "drop";

/** Styles and scripts of a page. */
interface Assets {
  /** Files in `page/`, without `.css`. */
  styles: readonly string[];
  /** Files in `page/`, without `.js`. Pages work without them. */
  scripts: readonly string[];
  /** Directives of the Content-Security-Policy other than those for styles and scripts. */
  directives: readonly string[];
}

/** Tools are forms. */
const FORMS = "form-action 'self'";
/** Pictures and films of the folder. */
const MEDIA = ["img-src 'self'", "media-src 'self'"];

const ASSETS: Record<PageKind, Assets> = {
  list: { styles: ["base", "folder", "list"], scripts: ["locale", "tools"], directives: [FORMS] },
  gallery: {
    styles: ["base", "folder", "gallery"],
    scripts: ["locale", "tools", "gallery"],
    directives: [FORMS, ...MEDIA],
  },
  viewer: {
    styles: ["base", "viewer"],
    scripts: ["locale", "viewer"],
    directives: [FORMS, ...MEDIA, "object-src 'self'", "frame-src 'self'"],
  },
  share: { styles: ["base", "share"], scripts: [], directives: [FORMS] },
  drop: { styles: ["base"], scripts: [], directives: [FORMS] },
};

/** Further styles and scripts of pages that have more than their kind. */
const EXTRAS = {
  /** For a folder that takes files. */
  upload: { styles: ["upload"], scripts: ["upload"], directives: ["connect-src 'self'"] },
  /** For a page that shows Markdown. */
  rendered: { styles: ["rendered"], scripts: [], directives: ["img-src 'self'"] },
} as const satisfies Record<string, Assets>;
/** An addition that some pages have. */
export type Extra = keyof typeof EXTRAS;

const FOLDER = new URL("./page/", import.meta.url);
const texts = new Map<string, string>();

function textOf(file: string): string {
  const text = texts.get(file) ?? withSharedInside(Deno.readTextFileSync(new URL(file, FOLDER)));
  texts.set(file, text);
  return text;
}

/**
 * The texts of a page's styles and scripts, and its further directives.
 * @param extras The page's assets in addition to those of its kind.
 */
export function assetsOf(
  kind: PageKind,
  extras: readonly Extra[] = [],
): { styles: string[]; scripts: string[]; directives: readonly string[] } {
  const all: Assets[] = [ASSETS[kind], ...extras.map((extra) => EXTRAS[extra])];
  return {
    directives: [...new Set(all.flatMap(({ directives }) => directives))],
    styles: all.flatMap(({ styles }) => styles).map((name) => textOf(`${name}.css`)),
    scripts: all.flatMap(({ scripts }) => scripts).map((name) => textOf(`${name}.js`)),
  };
}

/** The elements with a page's styles; for the parameters see {@linkcode assetsOf}. */
function stylesOf(kind: PageKind, extras?: readonly Extra[]): string {
  return assetsOf(kind, extras).styles.map((style) => `<style>${style}</style>\n`).join("");
}

/** The elements with a page's scripts; for the parameters see {@linkcode assetsOf}. */
function scriptsOf(kind: PageKind, extras?: readonly Extra[]): string {
  return assetsOf(kind, extras).scripts.map((script) => `<script type="module">${script}</script>\n`)
    .join("");
}

// Names, sizes and numbers as text of a page, and links to entries.

/** Units of sizes; each is 1024 times the unit before. */
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A name as text of a page, in which no character hides or reorders other characters. */
export function shown(name: string): string {
  return escape(printable(name, Infinity));
}

/**
 * A reference to an entry, relative to its folder, that needs no escape between double quotes. It has no `./` in front:
 * Kodi, httpdirfs and fsspec leave such entries out. A colon in a name is encoded, so none begins with a scheme.
 * @param name As {@linkcode Entry} has it.
 * @example
 * linkTo("a b/#1.txt") // "a%20b/%231.txt"
 */
export function linkTo(name: string): string {
  return encodeURIComponent(name).replaceAll("%2F", "/").replaceAll("'", "%27"); // fsspec ends a link there
}

/** A size in bytes with three digits at most, and its unit. */
export function shownSize(bytes: number): string {
  let unit = 0;
  while (bytes >= 1000 && unit < UNITS.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${unit && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${UNITS[unit]}`;
}

/** A number of things, with the word for them. */
export function shownCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** The beginning of a page. */
interface Beginning {
  kind: PageKind;
  /** The title in HTML. */
  title: string;
  /** Whether search engines may keep the page: they need each folder in one order only. */
  isUsual: boolean;
  /** The part above the content, in HTML. */
  header: string;
  /** Optional parts of the page, in addition to those of its kind. */
  extras?: readonly Extra[];
}

/** The page up to its content. */
export function beginning({ kind, title, isUsual, header, extras }: Beginning): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isUsual ? "" : `<meta name="robots" content="noindex">\n`}<title>${title}</title>
${stylesOf(kind, extras)}</head>
<body class="${kind}">
<header>
${header}
</header>
<main>
`;
}

/** The page behind its content. */
export function ending(kind: PageKind, extras?: readonly Extra[]): string {
  return `</main>\n${scriptsOf(kind, extras)}</body>\n</html>\n`;
}

/** The heading of a folder's pages, and their title. */
export function headingOf(names: readonly string[]): string {
  return `Directory listing: ${shown("/" + names.map((name) => `${name}/`).join(""))}`;
}

/**
 * The path to a page: a link to each folder above it.
 * @param folders The served folder's own name, and the names on the way from there.
 * @param query The query of the links, with `?`.
 * @param file The file that the page shows, in HTML; the folder itself if left out.
 */
export function breadcrumb(folders: readonly string[], query = "", file?: string): string {
  const last = folders.length - 1;
  // fsspec knows `../` alone as no entry, and would walk up for ever; it reads no `Href`.
  const steps = folders.map((name, i) => {
    const up = "../".repeat(last - i) || "./";
    const rel = file !== undefined && i === last ? ` rel="up"` : "";
    return i === last && file === undefined
      ? `<span aria-current="page">${shown(name)}</span>`
      : `<a ${last - i > 1 ? "Href" : "href"}="${up}${query}"${rel}>${shown(name)}</a>`;
  });
  if (file !== undefined) steps.push(`<span aria-current="page">${file}</span>`);
  return `<nav aria-label="Path">${steps.join(" / ")}</nav>`;
}

// Views as hidden fields of forms, so that a form keeps the settings that it does not change.

/**
 * The fields of a view as hidden ones of a form.
 * @param without Fields that the form has itself, or leaves out.
 */
export function hiddenFields(view: View, without: readonly QueryField[]): string {
  return fieldsOf(view, without)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`).join("");
}

// Optional parts of a page, in addition to those of its kind.

/** The extras of a folder's or a file's page. */
export function extrasOf(
  { file, takesFiles, readme }: Pick<Contents, "file" | "takesFiles" | "readme">,
): Extra[] {
  if (file) {
    return file.rendered ? ["rendered"] : [];
  }
  return [...takesFiles ? ["upload" as const] : [], ...readme ? ["rendered" as const] : []];
}
