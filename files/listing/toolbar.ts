/** Tools above the entries of a folder's page. */

import { escape } from "@std/html";
import { isLoopbackName, parseHost } from "../../http/host.ts";
import { qrSvg } from "../../http/qr.ts";
import { FORMATS } from "../archive/plan.ts";
import type { Contents } from "./entry.ts";
import { beginning, breadcrumb, ending, hiddenFields, shown } from "./html.ts";
import { queryOf } from "./query.ts";

/** The part of a folder that the tools know. */
type Shown = Pick<Contents, "names" | "view" | "takesFiles" | "isShared">;

/** The tools, from left to right: functions that write HTML. All tools work without scripts. */
const TOOLS: readonly ((shown: Shown) => string)[] = [search, layouts, archives, upload, share, qr];

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
  if (!takesFiles) return "";
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

/** A button and no link: `wget -r` would follow it. */
function qr(): string {
  return `<form><button name="qr">QR code</button></form>`;
}

// A page with the QR code of an address, for a phone's camera.

/**
 * Writes the page.
 * @param address The URL that the code holds.
 * @param names On the way from the root to the folder; for a file to the folder that it is in.
 * @param file The file's name; undefined for a folder.
 */
export async function qrPage(address: URL, names: readonly string[], file?: string): Promise<string> {
  const here = file === undefined ? "QR code" : `QR code of ${shown(file)}`;
  const svg = await codeOf(address.href);
  const title = file === undefined ? `QR code of ${shown(names.at(-1) ?? "files")}` : here;
  return beginning({
    kind: "qr",
    title,
    isUsual: false,
    header: `<h1>${title}</h1>\n${breadcrumb(names, "", here)}`,
  }) + `${svg ?? "<p>The address is too long for a QR code.</p>"}\n<p><a href="${escape(address.href)}">` +
    `${escape(address.href)}</a></p>\n${hint(address)}${ending("qr")}`;
}

async function codeOf(address: string): Promise<string | undefined> {
  try {
    return (await qrSvg(address)).replace("<svg", `<svg role="img" aria-label="QR code of this address"`);
  } catch {
    return undefined; // longer than a code can hold
  }
}

/** The hint for an address that a phone cannot reach. */
function hint({ host }: URL): string {
  const name = parseHost(host)?.name;
  if (name === undefined || !isLoopbackName(name)) return "";
  return `<p class="hint">Only this machine can open this address. Start deskhand with <code>--host 0.0.0.0</code>, ` +
    `and open this page by the address that it prints, for a code that works on a phone.</p>\n`;
}
