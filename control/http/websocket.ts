/** Upgrades requests to WebSockets. */

import { RequestError } from "../../http/request_error.ts";
import { TOKEN_PROTOCOL } from "./access/rules.ts";

/** The subprotocol that a page requests in addition to the one with its token. */
const PROTOCOL = "deskhand";

/** Headers of a request for a WebSocket (RFC 6455 section 4.2.1). */
const HANDSHAKE: [header: string, form: RegExp][] = [
  ["upgrade", /(?:^|,)\s*websocket\s*(?:,|$)/i],
  ["connection", /(?:^|,)\s*upgrade\s*(?:,|$)/i],
  ["sec-websocket-version", /^13$/],
  ["sec-websocket-key", /./],
];

/**
 * Upgrades a request.
 * @returns The socket, which is still opening, and the response that opens it.
 * @throws RequestError 426 if the request is no handshake of RFC 6455.
 */
export function upgrade(request: Request): Deno.WebSocketUpgrade {
  const missing = missingPart(request);
  if (missing) {
    throw new RequestError(426, `this is a WebSocket of version 13: the request lacks ${missing}`, {
      upgrade: "websocket",
      "sec-websocket-version": "13",
    });
  }
  const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  const isKnown = offered.includes(PROTOCOL) &&
    offered.every((name) => name === PROTOCOL || name.startsWith(TOKEN_PROTOCOL));
  return Deno.upgradeWebSocket(request, isKnown ? { protocol: PROTOCOL } : {});
}

/** The header that a request lacks for a handshake. The runtime checks too, but reports an internal error. */
function missingPart({ method, headers }: Request): string | undefined {
  if (method !== "GET") return "the method GET";
  const missing = HANDSHAKE.find(([name, form]) => !form.test(headers.get(name) ?? ""));
  return missing && `a right ${missing[0]}`;
}
