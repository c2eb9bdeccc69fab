/** Addresses by which a listener can be reached. */

import type { Listener } from "./listener.ts";
import { isLoopbackAddress, urlHost } from "./host.ts";

/**
 * Tells whether a socket bound to `::` takes IPv4 too: on Windows such a socket takes only IPv6 (Win32, IPV6_V6ONLY).
 */
const TAKES_BOTH = Deno.build.os !== "windows";

/** This machine's addresses that others can reach: no loopback, and no link-local IPv6, which needs a zone. */
export function ownAddresses(): string[] {
  return Deno.networkInterfaces()
    .map(({ address }) => address)
    .filter((address) => !isLoopbackAddress(address) && !/^fe80:/i.test(address));
}

/** Names and addresses by which other machines know this one, as a Host header has them. */
export function ownHosts(): string[] {
  const name = Deno.hostname().toLowerCase();
  return [...ownAddresses().map((address) => address.toLowerCase()), name, `${name}.local`];
}

/** Tells whether anything but loopback is bound. */
export function isBoundBeyondLoopback({ addresses }: Pick<Listener, "addresses">): boolean {
  return addresses.some((address) => !isLoopbackAddress(address));
}

/** The addresses by which a bound address can be reached, this machine's own first. */
function reachableAt(bound: string): string[] {
  const isIPv6 = (address: string) => address.includes(":");
  if (bound === "0.0.0.0") return ["127.0.0.1", ...ownAddresses().filter((address) => !isIPv6(address))];
  if (bound !== "::") return [bound];
  return TAKES_BOTH ? ["127.0.0.1", ...ownAddresses()] : ["::1", ...ownAddresses().filter(isIPv6)];
}

/**
 * The URLs of a listener, the URL for this machine first.
 * @returns Without a final slash, such as `http://127.0.0.1:4000`.
 */
export function urlsOf({ scheme, addresses, port }: Listener): string[] {
  return reachableAt(addresses[0]).map((address) => `${scheme}://${urlHost(address)}:${port}`);
}

/**
 * The URL of a listener to open on a phone in the same network.
 * @returns Without a final slash; undefined if only this machine can reach the listener. Of several addresses it is the
 *   first IPv4 one: the system lists networks before the bridges of containers, and phones have IPv4 nearly everywhere.
 */
export function phoneUrlOf({ scheme, addresses, port }: Pick<Listener, "scheme" | "addresses" | "port">) {
  const beyond = reachableAt(addresses[0]).filter((address) => !isLoopbackAddress(address));
  const address = beyond.find((address) => !address.includes(":")) ?? beyond[0];
  return address === undefined ? undefined : `${scheme}://${urlHost(address)}:${port}`;
}
