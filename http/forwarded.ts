/** Callers behind a proxy: the address of `--trust-proxy` decides whose X-Forwarded-For is believed. */

import { UsageError } from "../core/errors.ts";
import { nodeModule } from "../core/path.ts";
import type { Handler, Peer } from "./handler.ts";

/** The header by which nginx, Caddy, HAProxy, Traefik and Apache name the caller, and the proxies before them. */
const FORWARDED_FOR = "x-forwarded-for";

/** Whether an address is one of a trusted proxy. */
type IsTrusted = (address: string) => boolean;

/**
 * Reads the addresses of `--trust-proxy`.
 * @param addresses Each is an IPv4 or IPv6 address, or a network such as `10.0.0.0/8`.
 * @throws UsageError if one is neither.
 */
export function trustedProxies(addresses: readonly string[]): IsTrusted {
  const { BlockList, isIP } = nodeModule("node:net"), trusted = new BlockList();
  for (const text of addresses) {
    const [address, bits, ...more] = text.split("/"), family = isIP(address) === 6 ? "ipv6" : "ipv4";
    const most = family === "ipv6" ? 128 : 32;
    const isNetwork = bits !== undefined;
    if (!isIP(address) || more.length || isNetwork && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)) {
      throw new UsageError(
        `--trust-proxy takes an address such as 127.0.0.1 or a network such as 10.0.0.0/8, not ${
          JSON.stringify(text)
        }`,
      );
    }
    if (isNetwork) trusted.addSubnet(address, Number(bits), family);
    else trusted.addAddress(address, family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 6 ? "ipv6" : "ipv4");
  };
}

/**
 * Finds the caller of a request that came through trusted proxies: each proxy adds the address that it was called from
 * at the end, so that the last address that is no trusted proxy's is the caller's. Addresses before it may be invented.
 * @param peer The address that the connection came from.
 * @param forwarded The value of X-Forwarded-For; null without the header.
 * @returns The caller's address; `peer` if it is not a trusted proxy, or its header names no address.
 * @example
 * callerBehind("127.0.0.1", "1.2.3.4, 192.0.2.7", (address) => address === "127.0.0.1"); // "192.0.2.7"
 */
export function callerBehind(peer: string, forwarded: string | null, isTrusted: IsTrusted): string {
  if (forwarded === null || !isTrusted(peer)) return peer;
  const { isIP } = nodeModule("node:net");
  let caller = peer;
  for (const item of forwarded.split(",").toReversed()) {
    const address = item.trim();
    if (!isIP(address)) return caller;
    caller = address;
    if (!isTrusted(address)) return caller;
  }
  return caller;
}

/**
 * Makes a handler that names the callers behind trusted proxies to another handler, for its log and its limits. The
 * rules of access still see the proxy's headers, and ask for the token.
 */
export function withCallers(handler: Handler, isTrusted: IsTrusted): Handler {
  return (request, peer) => {
    const { remoteAddr, completed } = peer, forwarded = request.headers.get(FORWARDED_FOR);
    const caller = callerBehind(remoteAddr.hostname, forwarded, isTrusted);
    return handler(request, { remoteAddr, completed, caller });
  };
}

/** The address of a request's caller, as the log shows it and limits count it. */
export function callerOf({ caller, remoteAddr }: Peer): string {
  return caller ?? remoteAddr.hostname;
}
