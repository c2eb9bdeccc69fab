/** The guard of the control API: it joins facts, rules and settings. */

import { UsageError } from "../../../core/errors.ts";
import type { Guard } from "../../../http/handler.ts";
import { checkedHostName } from "../../../http/host.ts";
import { AttemptLimiter, secretComparer } from "../../../http/secret.ts";
import { factsOf } from "./facts.ts";
import type { Links } from "./links.ts";
import { type AccessConfig, decide, tokensOf } from "./rules.ts";

/** The settings of the guard. */
export interface GuardOptions {
  token: string;
  /** Tells whether every caller needs the token. */
  requireToken: boolean;
  /** The origins of `--allow-origin`. */
  allowOrigins: string[];
  /** The host names of `--allow-host`. */
  allowHosts: string[];
  tls: boolean;
  /** Links that let others in. */
  links: Links;
}

/**
 * Makes the guard of the control API.
 * @throws UsageError if an origin or a host name is malformed.
 */
export function createControlGuard(
  { token, requireToken, allowOrigins, allowHosts, tls, links }: GuardOptions,
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
    return links.admit(request, tokensOf(facts)) ?? decide(facts, config, limiter);
  };
}

function checkedOrigin(origin: string): string {
  if (origin === "*" || /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/i.test(origin)) return origin.toLowerCase();
  throw new UsageError(
    `--allow-origin takes an origin such as https://example.org, or *, not ${JSON.stringify(origin)}`,
  );
}
