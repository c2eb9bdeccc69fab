/**
 * The documentation site's pages: the repository's documents, and the reference generated from the tables.
 */

import { attempt } from "../../core/errors.ts";
import { fromFileUrl, join } from "@std/path";
import { apiPages } from "../api_reference.ts";
import { DeadLinkError, siteLinks, type Sitemap } from "./links.ts";

export const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** A page: its path, such as `platforms/x11`, and its Markdown. */
export interface SitePage {
  path: string;
  text: string;
}

/** Documents outside of docs/, with the paths of their pages. */
const OTHERS = {
  "README.md": "start",
  "CHANGELOG.md": "changelog",
  "CONTRIBUTING.md": "contributing",
  "SECURITY.md": "reporting",
};
/** The reference in one file; the site has one page per group of calls. */
const REFERENCE = "docs/api.md";

/** Generates all pages except the home page. */
export async function sitePages(): Promise<SitePage[]> {
  const documents = new Map([...Object.entries(OTHERS), ...documentsBelow("docs")]);
  documents.delete(REFERENCE);
  const reference = apiPages().map(({ path, text }) => ({ path: `api/${path}`, text }));
  const sitemap: Sitemap = {
    pages: new Map([
      ...documents,
      ...reference.map(({ path }) => [`docs/${path}.md`, path] as const),
      [REFERENCE, "api/index"],
      [`${REFERENCE}#names-of-keys`, "api/keys"],
    ]),
    exists: (file) => attempt(() => Deno.statSync(join(ROOT, file))) !== undefined,
  };
  const read = [...documents].map(async ([file, path]) => {
    const text = await Deno.readTextFile(join(ROOT, file));
    return { path, text: siteLinks(text, file, sitemap) };
  });
  return [
    ...await Promise.all(read),
    ...reference.map(({ path, text }) => ({ path, text: siteLinks(text, REFERENCE, sitemap) })),
  ];
}

/** Returns a page's title: its first heading. */
export function titleOf({ path, text }: SitePage): string {
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (!title) throw new DeadLinkError(`the page ${path} has no heading`);
  return title.replaceAll("`", "");
}

function documentsBelow(folder: string): [file: string, path: string][] {
  return [...Deno.readDirSync(join(ROOT, folder))].flatMap(({ name, isDirectory }) => {
    const file = `${folder}/${name}`;
    if (isDirectory) return documentsBelow(file);
    return name.endsWith(".md") ? [[file, file.slice("docs/".length, -".md".length)]] : [];
  });
}
