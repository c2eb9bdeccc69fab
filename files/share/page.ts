/** The owner's page of shares: a form, the new share, and all open shares. */

import { escape } from "@std/html";
import { assetsOf } from "../listing/assets.ts";
import { beginning, ending } from "../listing/html.ts";
import { shown, shownCount } from "../listing/shown.ts";
import { HTML, inlinePolicy, ownAnswer } from "../pages.ts";
import type { Share } from "./book.ts";

/** Content of the page. */
export interface SharePage {
  /** The path that the form shares; without it there is no form. */
  path?: string;
  /** Links of the share that was made. */
  made?: { share: Share; urls: string[] };
  open: Share[];
}

/** Answers with the page. */
export async function sharePage({ path, made, open }: SharePage, status = 200): Promise<Response> {
  const header = `<h1>Shares</h1>\n<nav aria-label="Path"><a href="./">files</a></nav>`;
  const html = beginning({ kind: "share", title: "Shares", isUsual: false, header }) +
    (made ? madePart(made.share, made.urls) : "") + (path === undefined ? "" : form(path)) + list(open) +
    ending("share");
  return ownAnswer(new TextEncoder().encode(html), {
    name: "shares.html",
    type: HTML,
    status,
    headers: {
      "content-security-policy": await inlinePolicy(assetsOf("share")),
      "referrer-policy": "no-referrer",
    },
  });
}

function madePart(share: Share, urls: string[]): string {
  const links = urls.map((url) => `<li><a href="${escape(url)}">${escape(url)}</a></li>\n`).join("");
  return `<section aria-label="The new link">\n<p>This link is shown once. It ${terms(share)}.</p>\n` +
    `<ul class="links">\n${links}</ul>\n</section>\n`;
}

function form(path: string): string {
  return `<form method="post" action="./.share" class="share">
<input type="hidden" name="path" value="${escape(path)}">
<h2>Share ${shown(decoded(path))}</h2>
<label>Hours <input name="hours" type="number" value="24" min="0.1" max="8784" step="any" required></label>
<label>Downloads <input name="count" type="number" min="1" placeholder="any number"></label>
<label>Password <input name="password" type="password" autocomplete="new-password" placeholder="none"></label>
<button>Make a link</button>
</form>
`;
}

function list(open: readonly Share[]): string {
  if (!open.length) return "<p>Nothing is shared.</p>\n";
  const rows = open.map((share) =>
    `<li><span>${shown(share.names.join("/") || "/")}</span> <small>${terms(share)}; ` +
    `${shownCount(share.uses, "download")} so far</small>` +
    `<form method="post" action="./.share"><button name="revoke" value="${
      escape(share.id)
    }">Revoke</button></form></li>\n`
  );
  return `<h2>Open shares</h2>\n<ul class="shares">\n${rows.join("")}</ul>\n`;
}

function terms({ ends, limit, hasPassword }: Share): string {
  const end = `ends ${new Date(ends).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const count = limit === undefined ? "" : `, after ${shownCount(limit, "download")} at the latest`;
  return end + count + (hasPassword ? ", asks for its password" : "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
