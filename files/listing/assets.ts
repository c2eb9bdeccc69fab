/** Styles and scripts of the pages. They stand in the pages themselves: a folder has no address to spare for them. */

/** A folder's list or gallery, a file in a page, the QR code of an address. */
export type PageKind = "list" | "gallery" | "viewer" | "qr";

/** Styles and scripts of a page. */
interface Assets {
  /** Files in `page/`, without `.css`. */
  styles: readonly string[];
  /** Files in `page/`, without `.js`. Pages work without them. */
  scripts: readonly string[];
  /** Directives of the Content-Security-Policy beside those for styles and scripts. */
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
  qr: { styles: ["base", "qr"], scripts: [], directives: ["form-action 'none'"] },
};

/** Further styles and scripts of a folder that takes files. */
const UPLOAD: Assets = { styles: ["upload"], scripts: ["upload"], directives: ["connect-src 'self'"] };

const FOLDER = new URL("./page/", import.meta.url);
const texts = new Map<string, string>();

function textOf(file: string): string {
  const text = texts.get(file) ?? Deno.readTextFileSync(new URL(file, FOLDER));
  texts.set(file, text);
  return text;
}

/**
 * The texts of a page's styles and scripts, and its further directives.
 * @param takesFiles Whether files can be uploaded from the page.
 */
export function assetsOf(
  kind: PageKind,
  takesFiles = false,
): { styles: string[]; scripts: string[]; directives: readonly string[] } {
  const all = takesFiles ? [ASSETS[kind], UPLOAD] : [ASSETS[kind]];
  return {
    directives: all.flatMap(({ directives }) => directives),
    styles: all.flatMap(({ styles }) => styles).map((name) => textOf(`${name}.css`)),
    scripts: all.flatMap(({ scripts }) => scripts).map((name) => textOf(`${name}.js`)),
  };
}

/** The elements with a page's styles; for the parameters see {@linkcode assetsOf}. */
export function stylesOf(kind: PageKind, takesFiles?: boolean): string {
  return assetsOf(kind, takesFiles).styles.map((style) => `<style>${style}</style>\n`).join("");
}

/** The elements with a page's scripts; for the parameters see {@linkcode assetsOf}. */
export function scriptsOf(kind: PageKind, takesFiles?: boolean): string {
  return assetsOf(kind, takesFiles).scripts.map((script) => `<script type="module">${script}</script>\n`)
    .join("");
}
