/** Addresses by which a listener can be reached. */

import type { Listener } from "./listener.ts";
import { isLoopbackAddress } from "./host.ts";

/** Addresses that stand for all of a machine's. */
const ALL = ["0.0.0.0", "::"];

/** This machine's addresses that others can reach: no loopback, no link-local IPv6, which needs a zone. */
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

/** Whether anything but loopback is bound. */
export function isBoundBeyondLoopback({ addresses }: Pick<Listener, "addresses">): boolean {
  return addresses.some((address) => !isLoopbackAddress(address));
}

/**
 * The URLs of a listener, the one for this machine first.
 * @returns Without a final slash, such as `http://127.0.0.1:4000`.
 */
export function urlsOf({ scheme, addresses, port }: Listener): string[] {
  const all = addresses.some((address) => ALL.includes(address));
  const names = all ? ["127.0.0.1", ...ownAddresses()] : addresses.slice(0, 1);
  return names.map((name) => `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`);
}
