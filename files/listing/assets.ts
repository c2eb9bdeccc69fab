/** Styles and scripts of the pages. They stand inside the pages, since every address below a folder may be a file's. */

import { withSharedInside } from "../../http/page_scripts.ts";

/** A folder's list or gallery, a file in a page, the QR code of an address, the shares. */
export type PageKind = "list" | "gallery" | "viewer" | "qr" | "share";

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
  list: { styles: ["base", "folder", "list"], scripts: ["locale", "filter"], directives: [FORMS] },
  gallery: {
    styles: ["base", "folder", "gallery"],
    scripts: ["locale", "filter", "gallery"],
    directives: [FORMS, ...MEDIA],
  },
  viewer: { styles: ["base", "viewer"], scripts: ["locale", "viewer"], directives: [FORMS, ...MEDIA] },
  share: { styles: ["base", "share"], scripts: [], directives: [FORMS] },
  qr: { styles: ["base", "qr"], scripts: [], directives: ["form-action 'none'"] },
};

/** Further styles and scripts of pages that have more than their kind. */
const EXTRAS = {
  /** For a folder that takes files. */
  upload: { styles: ["upload"], scripts: ["upload"], directives: ["connect-src 'self'"] },
  /** For a page that shows a text, as prose or as code in colours. */
  rendered: { styles: ["rendered"], scripts: [], directives: ["img-src 'self'"] },
  /** For a file in a folder of music. */
  player: { styles: ["player"], scripts: ["player"], directives: [] },
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
export function stylesOf(kind: PageKind, extras?: readonly Extra[]): string {
  return assetsOf(kind, extras).styles.map((style) => `<style>${style}</style>\n`).join("");
}

/** The elements with a page's scripts; for the parameters see {@linkcode assetsOf}. */
export function scriptsOf(kind: PageKind, extras?: readonly Extra[]): string {
  return assetsOf(kind, extras).scripts.map((script) => `<script type="module">${script}</script>\n`)
    .join("");
}
