/** Tools above the entries of a folder's page. */

import { escape } from "@std/html";
import { FORMATS } from "../archive/plan.ts";
import type { Contents } from "./entry.ts";
import { hiddenFields } from "./html.ts";

/** The part of a folder that the tools know. */
type Shown = Pick<Contents, "names" | "view" | "takesFiles" | "isShared">;

/** The tools, from left to right: functions that write HTML. All tools work without scripts. */
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

/** A tool's icon and word, of which a small window shows the icon alone. */
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

/** The search, which Enter starts. */
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

/** The button to the other layout. A gallery shows matches of a search in subfolders, too. */
function layouts({ view }: Shown): string {
  const [layout, title] = view.layout === "gallery"
    ? ["list", "List"] as const
    : ["gallery", "Gallery"] as const;
  return `<form>${hiddenFields(view, ["view"])}<button name="view" value="${layout}" title="${title}">${
    face(layout, title)
  }</button></form>`;
}

/** The folder as one file. Buttons and no links: `wget -r` would follow them. */
function archives(): string {
  const buttons = Object.keys(FORMATS).map((format) =>
    `<button name="archive" value="${format}">Download ${format}</button>`
  );
  return menu("download", "Download", `<form>${buttons.join("")}</form>`);
}

/** The upload tool, which is hidden until its script runs, since uploads need the script. */
function upload({ takesFiles }: Shown): string {
  return takesFiles ? menu("upload", "Upload", uploadForm(), " hidden") : "";
}

/** The form that the script of uploads shows. */
export function uploadForm(): string {
  return `<form class="upload" hidden><label>Upload files<input type="file" multiple></label>` +
    `<label>Upload a folder<input type="file" webkitdirectory></label></form>`;
}

function share({ names, isShared }: Shown): string {
  return isShared ? shareForm(names) : "";
}

/**
 * The way to the page that shares a folder, or a file in it.
 * @param names On the way from the root to the folder.
 */
export function shareForm(names: readonly string[], file?: string): string {
  const path = "/" + [...names, ...file === undefined ? [] : [file]].map(encodeURIComponent).join("/");
  return `<form action="${"../".repeat(names.length) || "./"}.share">` +
    `<button name="of" value="${escape(path)}" title="Share">${face("share", "Share")}</button></form>`;
}
