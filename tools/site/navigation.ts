/** The site's navigation: the sidebar of all pages, and the bar at the top. */

import { SECTIONS, TOP } from "./outline.ts";
import { type SitePage, titleOf } from "./pages.ts";

/** Titles of pages whose headings are unclear next to others. */
const TITLES: Record<string, string> = { start: "First steps", "api/index": "All calls" };

interface SidebarLink {
  text: string;
  link: string;
}

/** A sidebar section, in VitePress's format. */
interface SidebarSection {
  text: string;
  collapsed?: boolean;
  items: SidebarLink[];
}

/** Sorts all pages into the outline's sections, dropping sections without pages. */
export function sidebar(pages: readonly SitePage[]): SidebarSection[] {
  const left = new Map(pages.map((page) => [page.path, page]));
  const take = (path: string) => {
    const page = left.get(path);
    left.delete(path);
    return page ? [page] : [];
  };
  const named = SECTIONS.map((section) => section.pages.flatMap(take));
  return SECTIONS.flatMap(({ title, folder, collapsed }, index) => {
    const others = folder === undefined ? [] : [...left.keys()].filter((path) => folderOf(path) === folder);
    const items = [...named[index], ...others.sort().flatMap(take)];
    if (!items.length) return [];
    return [{
      text: title,
      ...collapsed === undefined ? {} : { collapsed },
      items: items.map((page) => ({ text: TITLES[page.path] ?? titleOf(page), link: linkTo(page.path) })),
    }];
  });
}

/** The links in the top bar. */
export function topBar(): SidebarLink[] {
  return TOP.map(([text, path]) => ({ text, link: linkTo(path) }));
}

function linkTo(path: string): string {
  return `/${path.replace(/\bindex$/, "")}`;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
