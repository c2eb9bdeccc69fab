/** Common parts of the pages of folders and files: head, path, end. */

import { type Extra, type PageKind, scriptsOf, stylesOf } from "./assets.ts";
import { shown } from "./shown.ts";

/** The beginning of a page. */
export interface Beginning {
  kind: PageKind;
  /** The title in HTML. */
  title: string;
  /** Tells whether search engines may keep the page: they need each folder in one order only. */
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
 * @param names The names of the folder.
 * @param query The query of the links, with `?`.
 * @param file The file that the page shows, in HTML; the folder itself if left out.
 */
export function breadcrumb(names: readonly string[], query = "", file?: string): string {
  const folders = ["files", ...names], last = folders.length - 1;
  const steps = folders.map((name, i) => {
    const up = "../".repeat(last - i) || "./";
    const rel = file !== undefined && i === last ? ` rel="up"` : "";
    return i === last && file === undefined
      ? `<span aria-current="page">${shown(name)}</span>`
      : `<a href="${up}${query}"${rel}>${shown(name)}</a>`;
  });
  if (file !== undefined) steps.push(`<span aria-current="page">${file}</span>`);
  return `<nav aria-label="Path">${steps.join(" / ")}</nav>`;
}
