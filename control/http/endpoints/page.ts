/** The page to control the desktop from, and its live picture. */

import { headersOf } from "../responses.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";

const ASSETS = new URL("../../page/", import.meta.url);

/** No script and no style but the page's own files, and nothing from any other host. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The files of the page: path, file and media type. */
const FILES: [path: string, file: string, type: string][] = [
  ["/", "page.html", "text/html; charset=utf-8"],
  ...["page.css"].map((file): [string, string, string] => [`/${file}`, file, "text/css; charset=utf-8"]),
  ...["page.js", "live.js", "pointer.js", "keyboard.js", "api.js", "log.js", "recorder.js"].map(
    (file): [string, string, string] => [`/${file}`, file, "text/javascript; charset=utf-8"],
  ),
  ["/icon.svg", "icon.svg", "image/svg+xml"],
];

const contents = new Map<string, Uint8Array<ArrayBuffer>>();

function content(file: string): Uint8Array<ArrayBuffer> {
  const known = contents.get(file) ?? Deno.readFileSync(new URL(file, ASSETS));
  contents.set(file, known);
  return known;
}

/** See the module's comment. The files are the same for everybody and hold no secret. */
export const PAGE_ENDPOINTS: Endpoint[] = [
  ...FILES.map(([path, file, type]) =>
    endpoint({
      method: "GET",
      path,
      summary: "A page to control the desktop from",
      readOnly: true,
      public: true,
      part: path !== "/",
      answer: { [type.split(";")[0]]: { type: "string" } },
      handle: () =>
        new Response(content(file), { headers: headersOf(type, { "content-security-policy": POLICY }) }),
    })
  ),
  endpoint({
    method: "GET",
    path: "/api/live",
    summary: "The live picture and input, over a WebSocket",
    readOnly: true,
    answer: {},
    statuses: { 426: "It is a WebSocket" },
    handle: ({ services, request }) => services.live.answer(request),
  }),
];
