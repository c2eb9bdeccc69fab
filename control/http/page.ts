/** The page that controls the desktop, and the WebSocket of its live picture. */

import { StateError } from "../../core/errors.ts";
import { sharedScript, withSharedBeside } from "../../http/page_scripts.ts";
import { RequestError } from "../../http/request.ts";
import { flag, objectSchema, optional, parseQuery, text } from "../schema/schema.ts";
import { TOKEN_PROTOCOL } from "./access/rules.ts";
import type { Endpoint } from "./endpoint.ts";
import { QUALITY } from "./live/protocol.ts";
import { jsonText, publicText } from "./responses.ts";

// Upgrades requests to WebSockets.

/** The subprotocol that a page requests in addition to the one carrying its token. */
const PROTOCOL = "deskhand";

/** Headers of a WebSocket handshake (RFC 6455 section 4.2.1). */
const HANDSHAKE: [header: string, form: RegExp][] = [
  ["upgrade", /(?:^|,)\s*websocket\s*(?:,|$)/i],
  ["connection", /(?:^|,)\s*upgrade\s*(?:,|$)/i],
  ["sec-websocket-version", /^13$/],
  ["sec-websocket-key", /./],
];

/**
 * Upgrades a request.
 * @returns The socket, which is still opening, and the response that opens it.
 * @throws RequestError 426 if the request is not an RFC 6455 handshake.
 */
function upgrade(request: Request): Deno.WebSocketUpgrade {
  const missing = missingPart(request);
  if (missing) {
    throw new RequestError(426, `this endpoint is a WebSocket (version 13): the request lacks ${missing}`, {
      upgrade: "websocket",
      "sec-websocket-version": "13",
    });
  }
  const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  const isKnown = offered.includes(PROTOCOL) &&
    offered.every((name) => name === PROTOCOL || name.startsWith(TOKEN_PROTOCOL));
  return Deno.upgradeWebSocket(request, isKnown ? { protocol: PROTOCOL } : {});
}

/** The header missing for a handshake. The runtime checks too, but reports an internal error. */
function missingPart({ method, headers }: Request): string | undefined {
  if (method !== "GET") return "the method GET";
  const missing = HANDSHAKE.find(([name, form]) => !form.test(headers.get(name) ?? ""));
  return missing && `a valid ${missing[0]}`;
}

const ASSETS = new URL("../page/", import.meta.url);

/** Content-Security-Policy of the page: only its own scripts and styles, and no other hosts. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const MEDIA_TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** The page, and the files that it loads. */
const FILES = [
  "page.html",
  "page.css",
  "bar.css",
  "popovers.css",
  "stage.css",
  "panels.css",
  "page.js",
  "inflate.js",
  "live.js",
  "picture.js",
  "tiles.js",
  "pointer.js",
  "key_bar.js",
  "key_names.js",
  "keyboard.js",
  "agents.js",
  "api.js",
  "clipboard_keys.js",
  "displays.js",
  "folding.js",
  "log.js",
  "recorder.js",
  "share.js",
  "sound.js",
  "sound_buffer.js",
  "sound_worker.js",
  "sound_worklet.js",
  "status.js",
  "text_field.js",
  "touch.js",
  "trackpad.js",
  "view.js",
  "icon.svg",
  "icons.svg",
];

/** Scripts shared with the file server's pages. */
const SHARED = ["resumed_upload.js"];

const contents = new Map<string, Uint8Array<ArrayBuffer>>();

function content(file: string): Uint8Array<ArrayBuffer> {
  const known = contents.get(file) ?? (SHARED.includes(file) ? sharedScript(file) : ownFile(file));
  contents.set(file, known);
  return known;
}

function ownFile(file: string): Uint8Array<ArrayBuffer> {
  const bytes = Deno.readFileSync(new URL(file, ASSETS));
  return file.endsWith(".js")
    ? new TextEncoder().encode(withSharedBeside(new TextDecoder().decode(bytes)))
    : bytes;
}

/** The page's files, which are the same for every caller and hold no secret. */
export const PAGE_ENDPOINTS: readonly Endpoint[] = [...FILES, ...SHARED].map((file): Endpoint => {
  const [name, extension] = file.split("."), type = MEDIA_TYPES[extension];
  const isPage = extension === "html";
  return {
    method: "GET",
    path: isPage ? "/" : `/${file}`,
    id: isPage ? "page" : `page${name[0].toUpperCase()}${name.slice(1)}${extension.toUpperCase()}`,
    summary: "A page to control the desktop",
    effect: "read",
    public: true,
    part: !isPage,
    answer: { [type.split(";")[0]]: { type: "string" } },
    handle: ({ request }) => publicText(request, content(file), type, { "content-security-policy": POLICY }),
  };
});

const LIVE_QUERY = { quality: optional(QUALITY) };

export const LIVE_ENDPOINT: Endpoint = {
  method: "GET",
  path: "/api/live",
  id: "live",
  summary: "The live picture and input, over a WebSocket",
  effect: "read",
  query: LIVE_QUERY,
  answer: {},
  statuses: { 426: "The endpoint is a WebSocket" },
  handle: ({ services: { live }, request, query, link, peer }) =>
    Promise.try(() => {
      const { quality } = parseQuery(LIVE_QUERY, query);
      live.checkRoom(link);
      const { socket, response } = upgrade(request);
      live.add(socket, link, quality, peer.completed);
      return response;
    }),
};

// Sound endpoints: whether there is sound, and the WebSocket that sends it.

const STATE: Endpoint = {
  method: "GET",
  path: "/api/sound",
  id: "sound",
  summary: "Check whether the desktop can be heard; if not, the answer says why",
  effect: "read",
  answer: {
    "application/json": objectSchema({
      offered: flag("Whether there is sound"),
      reason: optional(text("The reason why there is no sound")),
    }),
  },
  async handle({ services: { sound } }) {
    const { missing: reason } = await sound.state();
    return jsonText(JSON.stringify({ offered: reason === undefined, reason }));
  },
};

const LISTEN: Endpoint = {
  method: "GET",
  path: "/api/listen",
  id: "listen",
  summary: "The desktop's sound, over a WebSocket",
  effect: "read",
  answer: {},
  statuses: {
    409: "This desktop's sound is not available; the message says why",
    426: "The endpoint is a WebSocket",
  },
  handle: ({ services: { sound }, request, link, peer }) =>
    Promise.try(() => {
      if (sound.refusal !== undefined) throw new StateError(sound.refusal);
      sound.checkRoom(link);
      const { socket, response } = upgrade(request);
      sound.add(socket, link, peer.completed);
      return response;
    }),
};

export const SOUND_ENDPOINTS: readonly Endpoint[] = [STATE, LISTEN];
