/** The page of a drop box, which accepts files and shows none. */

import { type Peer, type Refusal, RequestError, targetOf } from "../../http/request.ts";
import { assetsOf, beginning, ending, uploadForm } from "../listing/html.ts";
import { HTML, inlinePolicy, ownAnswer } from "../pages.ts";
import { pathNames } from "../resolve.ts";
import type { Uploads } from "./uploads.ts";

/**
 * Answers a caller who may only upload.
 * @param owner The refusal for everything that only the owner may do.
 * @throws RequestError with that refusal.
 */
export async function dropAnswer(
  request: Request,
  peer: Peer,
  uploads: Uploads,
  { status, message, headers }: Refusal,
): Promise<Response> {
  const { method, url } = request, { path, query } = targetOf(url);
  const names = pathNames(path), isName = names.length === 1 && names[0] !== "";
  if (method === "PUT" && isName) return await uploads.answer(request, peer, { names });
  if ((method === "GET" || method === "HEAD") && path === "/" && query === "") {
    return await dropPage("./?owner");
  }
  throw new RequestError(status, message, headers);
}

/**
 * Returns the page.
 * @param owner The URL under which the owner sees the files, if any.
 */
export async function dropPage(owner?: string): Promise<Response> {
  const header = `<h1>Files for the owner of this page</h1>\n<div class="tools">${uploadForm()}</div>`;
  const html = beginning({ kind: "drop", title: "Upload", isUsual: false, header, extras: ["upload"] }) +
    "<p>Choose files, or drop them on the page. You do not see what is there, and others do not see your files.</p>\n" +
    "<noscript><p>The upload needs a script, which this browser does not run.</p></noscript>\n" +
    (owner === undefined ? "" : `<p><a href="${owner}" rel="nofollow">The owner's view</a></p>\n`) +
    ending("drop", ["upload"]);
  return ownAnswer(new TextEncoder().encode(html), {
    name: "upload.html",
    type: HTML,
    headers: {
      "content-security-policy": await inlinePolicy(assetsOf("drop", ["upload"])),
      "referrer-policy": "no-referrer",
    },
  });
}
