/**
 * Decides whether a caller may use the control API: a pure function of the request's facts.
 *
 * Any web page may read the API's answers (`Access-Control-Allow-Origin: *`). Only these rules protect a
 * person's screen and mouse from web pages, DNS rebinding and other machines on the network. docs/security.md
 * explains them.
 */

import { attempt, UsageError } from "../../../core/errors.ts";
import {
  authorityOf,
  callerOf,
  type Guard,
  type Peer,
  type Refusal,
  targetOf,
} from "../../../http/request.ts";
import {
  checkedHostName,
  isLoopbackAddress,
  isLoopbackName,
  parseHost,
  PROXY_HEADER,
} from "../../../http/host.ts";
import { AttemptLimiter, basicCredentials, secretComparer } from "../../../http/secret.ts";
import type { Links } from "./links.ts";

/** The settings that the rules depend on. */
export interface AccessConfig {
  scheme: "http" | "https";
  /** Whether a token is the main token, compared in constant time, or that of an open link. */
  isToken(token: string): boolean;
  /** Whether every caller needs the token. */
  requireToken: boolean;
  /** Origins of pages that need no token; `*` allows every page. */
  allowOrigins: ReadonlySet<string>;
  /** Allowed host names other than loopback ones, in lower case without a trailing dot. */
  allowHosts: ReadonlySet<string>;
}

/** Subprotocol in which a page passes its token as base64url, since it cannot set headers on a WebSocket. */
export const TOKEN_PROTOCOL = "deskhand.token.";
/** The path of the Model Context Protocol. */
export const MCP_PATH = "/mcp";

const ASK_FOR_TOKEN = { "www-authenticate": "Bearer" };

/**
 * Decides on a request.
 * @param limiter Counts wrong tokens.
 * @returns undefined if the request may continue. A refusal is `waivable` if only a token is missing.
 */
export function decide(facts: Facts, config: AccessConfig, limiter: AttemptLimiter): Refusal | undefined {
  const host = facts.host === undefined ? undefined : parseHost(facts.host);
  if (!host) return { status: 400, message: "the request needs one well-formed Host header" };
  if (facts.method === "OPTIONS") return undefined;

  if (/(?:^|&)token=/.test(facts.query)) {
    return unauthorized(
      "a token in the address would end up in histories and logs: send it as Authorization: Bearer",
    );
  }
  const tokens = tokensOf(facts);
  if (tokens.length) {
    if (tokens.every((token) => config.isToken(token))) return undefined;
    const wait = limiter.failed(facts.peer);
    return wait === undefined ? unauthorized("the token is wrong") : {
      status: 429,
      message: `too many wrong tokens; try again in ${wait} s`,
      headers: { "retry-after": String(wait) },
    };
  }

  // MCP's HTTP transport specification requires this status.
  if (facts.path === MCP_PATH && facts.origin !== undefined && !isKnownOrigin(facts.origin, facts, config)) {
    return {
      status: 403,
      message: "a page of another origin needs the token: send Authorization: Bearer <token>",
    };
  }
  const why = needsToken(facts, config);
  if (why) return { ...unauthorized(`${why}: send Authorization: Bearer <token>`), waivable: true };
  if (!isLoopbackName(host.name) && !config.allowHosts.has(host.name)) {
    return {
      status: 403,
      message:
        "without a token, only requests to localhost are allowed; to allow another host name, start deskhand with --allow-host NAME",
      waivable: true,
    };
  }
  if (!isOwnPage(facts, config)) {
    return {
      ...unauthorized("a web page needs the token: send Authorization: Bearer <token>"),
      waivable: true,
    };
  }
  return undefined;
}

function unauthorized(message: string): Refusal {
  return { status: 401, message, headers: ASK_FOR_TOKEN };
}

/** Reads all tokens of a request. A malformed token counts as a wrong token. */
function tokensOf({ authorization, protocols }: Facts): string[] {
  const tokens: string[] = [];
  if (authorization !== undefined) tokens.push(/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? "");
  for (const protocol of protocols?.split(",") ?? []) {
    const name = protocol.trim();
    if (name.startsWith(TOKEN_PROTOCOL)) tokens.push(fromBase64Url(name.slice(TOKEN_PROTOCOL.length)));
  }
  return tokens;
}

function fromBase64Url(text: string): string {
  return attempt(() => atob(text.replaceAll("-", "+").replaceAll("_", "/")), "");
}

function needsToken({ peer, proxied }: Facts, { requireToken }: AccessConfig): string | undefined {
  if (requireToken) return "every caller needs the token";
  if (!isLoopbackAddress(peer)) return "callers from other machines need the token";
  if (proxied) return "callers behind a proxy need the token";
  return undefined;
}

/**
 * Whether the request comes from no web page, from the API's own page, or from a page of an allowed origin.
 */
function isOwnPage(facts: Facts, config: AccessConfig): boolean {
  const { origin, referer, fetchSite, fetchMode, method } = facts;
  const known = (other: string) => isKnownOrigin(other, facts, config);
  if (origin !== undefined && !known(origin)) return false;
  if (referer !== undefined && !known(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(referer)?.[0] ?? referer)) {
    return false;
  }
  if (fetchSite === undefined || fetchSite === "same-origin") return true;
  if (origin !== undefined && isAllowed(origin, config)) return true;
  // `same-site` is another port on this machine, and thus another program.
  return fetchSite === "none" && fetchMode === "navigate" && (method === "GET" || method === "HEAD");
}

/** Whether an origin is the API's own or allowed. */
function isKnownOrigin(origin: string, { host }: Facts, config: AccessConfig): boolean {
  return origin.toLowerCase() === originOf(config.scheme, host!) || isAllowed(origin, config);
}

function isAllowed(origin: string, { allowOrigins }: AccessConfig): boolean {
  return allowOrigins.has("*") || allowOrigins.has(origin.toLowerCase());
}

/** This API's origin as a browser writes it: without the scheme's default port. */
function originOf(scheme: "http" | "https", host: string): string {
  const usual = scheme === "https" ? /:443$/ : /:80$/;
  return `${scheme}://${host.toLowerCase().replace(usual, "")}`;
}

// The request facts that the access rules depend on.

export interface Facts {
  method: string;
  /** The caller's address: that of the connection, or the one reported by a trusted proxy. */
  peer: string;
  /** The requested authority; undefined if the request has none, or two that differ. */
  host: string | undefined;
  origin: string | undefined;
  referer: string | undefined;
  fetchSite: string | undefined;
  fetchMode: string | undefined;
  authorization: string | undefined;
  /** Subprotocols offered in a WebSocket handshake. */
  protocols: string | undefined;
  /** Whether a header shows that a proxy forwarded the request. */
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
 * @param tls Whether the request came over TLS.
 */
export function factsOf(request: Request, peer: Peer, tls: boolean): Facts {
  const { path, query } = targetOf(request.url);
  const facts: Facts = {
    method: request.method,
    peer: callerOf(peer),
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

// The guard of the control API, which combines facts, rules and settings.

interface GuardOptions {
  token: string;
  /** Whether every caller needs the token. */
  requireToken: boolean;
  /** The origins of `--allow-origin`. */
  allowOrigins: string[];
  /** The host names of `--allow-host`. */
  allowHosts: string[];
  tls: boolean;
  /** Links that let guests in. */
  links: Links;
  /**
   * Also accepts the token as the password of Basic authentication, with any user name, for clients that can
   * send no other.
   */
  takesBasic?: boolean;
}

/**
 * Makes the guard of the control API.
 * @throws UsageError if an origin or a host name is malformed.
 */
export function createControlGuard(
  { token, requireToken, allowOrigins, allowHosts, tls, links, takesBasic = false }: GuardOptions,
): Guard {
  const isMain = secretComparer(token);
  const config: AccessConfig = {
    scheme: tls ? "https" : "http",
    isToken: (token) => isMain(token) || links.isOpen(token),
    requireToken,
    allowOrigins: new Set(allowOrigins.map(checkedOrigin)),
    allowHosts: new Set(allowHosts.map(checkedHostName)),
  };
  const limiter = new AttemptLimiter();
  return (request, peer) => {
    const facts = factsOf(request, peer, tls);
    if (takesBasic) facts.authorization = bearerOf(facts.authorization);
    return links.admit(request, tokensOf(facts)) ?? decide(facts, config, limiter);
  };
}

/** Converts Basic credentials (RFC 7617) to Bearer ones; leaves others unchanged. */
function bearerOf(authorization: string | undefined): string | undefined {
  const credentials = basicCredentials(authorization);
  if (credentials === undefined) return authorization;
  return `Bearer ${/^[^:]*:(.*)$/s.exec(credentials)?.[1] ?? ""}`; // an empty token counts as wrong
}

function checkedOrigin(origin: string): string {
  if (origin === "*" || /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/i.test(origin)) return origin.toLowerCase();
  throw new UsageError(
    `--allow-origin takes an origin such as https://example.org, or *, not ${JSON.stringify(origin)}`,
  );
}
