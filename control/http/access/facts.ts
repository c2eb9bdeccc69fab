/** The facts of a request that the access rules depend on. */

import type { Peer } from "../../../http/handler.ts";
import { PROXY_HEADER } from "../../../http/host.ts";
import { authorityOf, targetOf } from "../../../http/target.ts";

/** The facts of a request. */
export interface Facts {
  method: string;
  /** The other end's address, as the socket has it. */
  peer: string;
  /** The authority that the request is for; undefined if the request has none, or two that differ. */
  host: string | undefined;
  origin: string | undefined;
  referer: string | undefined;
  fetchSite: string | undefined;
  fetchMode: string | undefined;
  authorization: string | undefined;
  /** Subprotocols that a WebSocket's handshake offers. */
  protocols: string | undefined;
  /** Tells whether a header says that a proxy forwarded the request. */
  proxied: boolean;
  path: string;
  /** The query of the address without `?`. */
  query: string;
}

const FIELDS = new Map<string, Exclude<keyof Facts, "method" | "peer" | "proxied" | "query">>([
  ["host", "host"],
  ["origin", "origin"],
  ["referer", "referer"],
  ["sec-fetch-site", "fetchSite"],
  ["sec-fetch-mode", "fetchMode"],
  ["authorization", "authorization"],
  ["sec-websocket-protocol", "protocols"],
]);

/**
 * Gathers the facts of a request.
 * @param tls Whether it came over TLS.
 */
export function factsOf(request: Request, peer: Peer, tls: boolean): Facts {
  const { path, query } = targetOf(request.url);
  const facts: Facts = {
    method: request.method,
    peer: peer.remoteAddr.hostname,
    host: undefined,
    origin: undefined,
    referer: undefined,
    fetchSite: undefined,
    fetchMode: undefined,
    authorization: undefined,
    protocols: undefined,
    proxied: false,
    path,
    query,
  };
  request.headers.forEach((value, name) => {
    const field = FIELDS.get(name);
    if (field) facts[field] = value;
    else if (PROXY_HEADER.test(name)) facts.proxied = true;
  });
  facts.host = authorityOf(request, tls, facts.host);
  return facts;
}
