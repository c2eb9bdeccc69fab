/** Tools above the entries of a folder's page. */

import { escape } from "@std/html";
import { FORMATS } from "../archive/plan.ts";
import type { Contents } from "./entry.ts";
import { hiddenFields } from "./html.ts";
import { queryOf } from "./query.ts";

/** The part of a folder that the tools know. */
type Shown = Pick<Contents, "names" | "view" | "takesFiles" | "isShared">;

/** The tools, from left to right: functions that write HTML. All tools work without scripts. */
const TOOLS: readonly ((shown: Shown) => string)[] = [search, layouts, archives, upload, share];

/** The tools of a folder's page. */
export function toolbar(shown: Shown): string {
  return `<div class="tools">\n${TOOLS.map((tool) => tool(shown)).filter(Boolean).join("\n")}\n</div>`;
}

function search({ view }: Shown): string {
  const { text = "", deep = false } = view.search ?? {};
  const all = view.search ? `<a href="./${escape(queryOf(view, ["q", "deep"]))}">All entries</a>` : "";
  return `<form role="search">${hiddenFields(view, ["q", "deep"])}` +
    `<input type="search" name="q" value="${
      escape(text)
    }" placeholder="Find" aria-label="Find in this folder" ` +
    `autocomplete="off" autocapitalize="none" spellcheck="false">` +
    `<label><input type="checkbox" name="deep"${deep ? " checked" : ""}>in folders below</label>` +
    `<button>Find</button>${all}</form>`;
}

/** The button to the other layout. A gallery shows matches of a search in subfolders, too. */
function layouts({ view }: Shown): string {
  const [layout, title] = view.layout === "gallery" ? ["list", "List"] : ["gallery", "Gallery"];
  return `<form>${
    hiddenFields(view, ["view"])
  }<button name="view" value="${layout}">${title}</button></form>`;
}

/** The folder as one file. Buttons and no links: `wget -r` would follow them. */
function archives(): string {
  const buttons = Object.keys(FORMATS).map((format) =>
    `<button name="archive" value="${format}">Download ${format}</button>`
  );
  return `<form>${buttons.join("")}</form>`;
}

/** The upload tool, which is hidden until its script runs, since uploads need the script. */
function upload({ takesFiles }: Shown): string {
  return takesFiles ? uploadForm() : "";
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
    `<button name="of" value="${escape(path)}">Share</button></form>`;
}
