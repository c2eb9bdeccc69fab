/** Converts links in the repository's documents to those on the site. */

/** Where files that are not pages are shown. */
const REPOSITORY = "https://github.com/deskhand/deskhand/blob/main/";
/** A link or picture in Markdown, or in HTML within it. */
const TARGET = /(\]\(|\b(?:src|href)=")([^)"\s]+)/g;

/** A link to a file that is not in the repository. */
export class DeadLinkError extends Error {
  override name = "DeadLinkError";
}

/** The repository's files on the site. */
export interface Sitemap {
  /** Pages by file: `docs/files.md` is `files`. */
  pages: ReadonlyMap<string, string>;
  /** Whether a file exists in the repository. */
  exists(file: string): boolean;
}

/**
 * Rewrites the links of a document: to pages of the site, to its pictures, or to the repository's files.
 * @param file The document's path in the repository, such as `docs/files.md`.
 * @throws DeadLinkError if a linked file is missing.
 */
export function siteLinks(text: string, file: string, sitemap: Sitemap): string {
  let isFenced = false;
  return text.split("\n").map((line) => {
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    if (isFenced || /^ {4}/.test(line)) return line;
    return line.replace(TARGET, (_, before, target) => before + siteLink(target, file, sitemap));
  }).join("\n");
}

function siteLink(target: string, file: string, { pages, exists }: Sitemap): string {
  if (/^[a-z]+:|^#/.test(target)) return target;
  const { pathname, hash } = new URL(target, `file:///${file}`), linked = pathname.slice(1);
  const page = pages.get(linked + hash) ?? pages.get(linked);
  if (page) return `/${page}.md${pages.has(linked + hash) ? "" : hash}`;
  if (!exists(linked)) throw new DeadLinkError(`${file} links to ${target}, which is not there`);
  return linked.startsWith("docs/images/") ? linked.replace("docs", "") : REPOSITORY + linked + hash;
}
