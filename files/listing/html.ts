/** Shared parts of folder and file pages: head, path, toolbar, end. */

import { escape } from "@std/html";
import { printable } from "../../core/printable.ts";
import { withSharedInside } from "../../http/page_scripts.ts";
import { FORMATS } from "../archive/plan.ts";
import type { Contents, View } from "./entry.ts";
import { fieldsOf, type QueryField } from "./query.ts";

// Styles and scripts of the pages. They are inline, because any URL below a folder may belong to a file.

/** A folder's list or gallery, a file in a page, the shares, and the page for those who may only upload. */
export type PageKind = "list" | "gallery" | "viewer" | "share" | "drop";

/** Styles and scripts of a page. */
interface Assets {
  /** Files in `page/`, without `.css`. */
  styles: readonly string[];
  /** Files in `page/`, without `.js`. Pages work without them. */
  scripts: readonly string[];
  /** Content-Security-Policy directives besides those for styles and scripts. */
  directives: readonly string[];
}

/** Tools are forms. */
const FORMS = "form-action 'self'";
/** Pictures and videos in the folder. */
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

/** Additional styles and scripts of pages, besides those of their kind. */
const EXTRAS = {
  /** For a folder that accepts uploads. */
  upload: { styles: ["upload"], scripts: ["upload"], directives: ["connect-src 'self'"] },
  /** For a page that shows Markdown. */
  rendered: { styles: ["rendered"], scripts: [], directives: ["img-src 'self'"] },
} as const satisfies Record<string, Assets>;
/** An addition to a page. */
export type Extra = keyof typeof EXTRAS;

const FOLDER = new URL("./page/", import.meta.url);
const texts = new Map<string, string>();

function textOf(file: string): string {
  const text = texts.get(file) ?? withSharedInside(Deno.readTextFileSync(new URL(file, FOLDER)));
  texts.set(file, text);
  return text;
}

/**
 * The contents of a page's styles and scripts, and its other directives.
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

/** The style elements of a page; for the parameters see {@linkcode assetsOf}. */
function stylesOf(kind: PageKind, extras?: readonly Extra[]): string {
  return assetsOf(kind, extras).styles.map((style) => `<style>${style}</style>\n`).join("");
}

/** The script elements of a page; for the parameters see {@linkcode assetsOf}. */
function scriptsOf(kind: PageKind, extras?: readonly Extra[]): string {
  return assetsOf(kind, extras).scripts.map((script) => `<script type="module">${script}</script>\n`)
    .join("");
}

// Names, sizes and numbers as page text, and links to entries.

/** Size units; each is 1024 times the previous one. */
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A name as page text, in which no character hides or reorders others. */
export function shown(name: string): string {
  return escape(printable(name, Infinity));
}

/**
 * A reference to an entry, relative to its folder, that needs no escaping between double quotes. It does not
 * begin with `./`, because Kodi, httpdirfs and fsspec skip such entries. A colon in a name is encoded, so
 * none begins with a scheme.
 * @param name As in {@linkcode Entry}.
 * @example
 * linkTo("a b/#1.txt"); // "a%20b/%231.txt"
 */
export function linkTo(name: string): string {
  return encodeURIComponent(name).replaceAll("%2F", "/").replaceAll("'", "%27"); // fsspec ends a link there
}

/** A size in bytes with at most three digits, and its unit. */
export function shownSize(bytes: number): string {
  let unit = 0;
  while (bytes >= 1000 && unit < UNITS.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${unit && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${UNITS[unit]}`;
}

/** A count with its noun. */
export function shownCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

interface Beginning {
  kind: PageKind;
  title: string;
  /** Whether search engines may index the page: they need each folder in only one order. */
  isUsual: boolean;
  /** The part above the content, in HTML. */
  header: string;
  /** Additions to the page, besides those of its kind. */
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

/** The page after its content. */
export function ending(kind: PageKind, extras?: readonly Extra[]): string {
  return `</main>\n${scriptsOf(kind, extras)}</body>\n</html>\n`;
}

/** The heading and title of a folder's pages. */
export function headingOf(names: readonly string[]): string {
  return `Directory listing: ${shown("/" + names.map((name) => `${name}/`).join(""))}`;
}

/**
 * The path of a page: a link to each folder above it.
 * @param folders The served folder's own name, and the names from there.
 * @param query The query of the links, with `?`.
 * @param file The file shown in the page, in HTML; omitted for the folder itself.
 */
export function breadcrumb(folders: readonly string[], query = "", file?: string): string {
  const last = folders.length - 1;
  // fsspec recognizes only `../` as a non-entry, and would walk up forever; it does not read `Href`.
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

// Views as hidden form fields, so that a form preserves the settings that it does not change.

/**
 * A view as hidden form fields.
 * @param without Fields that the form contains itself, or omits.
 */
export function hiddenFields(view: View, without: readonly QueryField[]): string {
  return fieldsOf(view, without)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`).join("");
}

// Additions to a page, besides those of its kind.

/** The additions to a folder's or a file's page. */
export function extrasOf(
  { file, takesFiles, readme }: Pick<Contents, "file" | "takesFiles" | "readme">,
): Extra[] {
  if (file) {
    return file.rendered ? ["rendered"] : [];
  }
  return [...takesFiles ? ["upload" as const] : [], ...readme ? ["rendered" as const] : []];
}

/** The data of the toolbar. */
type Shown = Pick<Contents, "names" | "view" | "takesFiles" | "isShared">;

/** The tools, from left to right: functions that write HTML. All of them work without scripts. */
const TOOLS: readonly ((shown: Shown) => string)[] = [search, layouts, archives, upload, share];

/** The tools of a folder's page. */
export function toolbar(shown: Shown): string {
  return `<div class="tools">\n${TOOLS.map((tool) => tool(shown)).filter(Boolean).join("\n")}\n</div>`;
}

/** Icons, as paths of 24 by 24 units. */
const ICONS = {
  below: "M4 6h5M4 6v12h6M4 12h6M13 9h7v6h-7zM13 18h7",
  list: "M4 6h16M4 12h16M4 18h16",
  gallery: "M4 4h6.5v6.5H4zM13.5 4H20v6.5h-6.5zM4 13.5h6.5V20H4zM13.5 13.5H20V20h-6.5z",
  download: "M12 4v11M7.5 10.8L12 15.3l4.5-4.5M5 19.5h14",
  upload: "M12 15.5V4.5M7.5 8.8L12 4.3l4.5 4.5M5 19.5h14",
  share:
    "M10 14a4 4 0 0 1 0-5.6l3-3a4 4 0 0 1 5.6 5.6l-1.4 1.4M14 10a4 4 0 0 1 0 5.6l-3 3A4 4 0 0 1 5.4 13l1.4-1.4",
};

/** A tool's icon and label; a narrow window shows only the icon. */
function face(icon: keyof typeof ICONS, word: string): string {
  return `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>` +
    `<span class="word">${word}</span>`;
}

/** A menu, which opens without a script. */
function menu(icon: keyof typeof ICONS, word: string, entries: string, attributes = ""): string {
  return `<details name="tools"${attributes}><summary title="${word}">${
    face(icon, word)
  }</summary>${entries}</details>`;
}

/** The search field, submitted with Enter. */
function search({ view }: Shown): string {
  const { text = "", deep = false } = view.search ?? {};
  return `<form role="search">${hiddenFields(view, ["q", "deep"])}` +
    `<input type="search" name="q" value="${
      escape(text)
    }" placeholder="Find" aria-label="Find in this folder" enterkeyhint="search" ` +
    `autocomplete="off" autocapitalize="none" spellcheck="false">` +
    `<label title="Find in folders below, too"><input type="checkbox" name="deep"${deep ? " checked" : ""}>${
      face("below", "in folders below")
    }</label></form>`;
}

/** The button that switches the layout. A gallery also shows matches in subfolders. */
function layouts({ view }: Shown): string {
  const [layout, title] = view.layout === "gallery"
    ? ["list", "List"] as const
    : ["gallery", "Gallery"] as const;
  return `<form>${hiddenFields(view, ["view"])}<button name="view" value="${layout}" title="${title}">${
    face(layout, title)
  }</button></form>`;
}

/** The folder as one file. Buttons rather than links, because `wget -r` would follow links. */
function archives(): string {
  const buttons = Object.keys(FORMATS).map((format) =>
    `<button name="archive" value="${format}">Download ${format}</button>`
  );
  return menu("download", "Download", `<form>${buttons.join("")}</form>`);
}

/** The upload tool, hidden until its script runs, because uploads require the script. */
function upload({ takesFiles }: Shown): string {
  return takesFiles ? menu("upload", "Upload", uploadForm(), " hidden") : "";
}

/** The form shown by the upload script. */
export function uploadForm(): string {
  return `<form class="upload" hidden><label>Upload files<input type="file" multiple></label>` +
    `<label>Upload a folder<input type="file" webkitdirectory></label></form>`;
}

function share({ names, isShared }: Shown): string {
  return isShared ? shareForm(names) : "";
}

/**
 * The button to the page that shares a folder, or a file in it.
 * @param names The names from the root to the folder.
 */
export function shareForm(names: readonly string[], file?: string): string {
  const path = "/" + [...names, ...file === undefined ? [] : [file]].map(encodeURIComponent).join("/");
  return `<form action="${"../".repeat(names.length) || "./"}.share">` +
    `<button name="of" value="${escape(path)}" title="Share">${face("share", "Share")}</button></form>`;
}
