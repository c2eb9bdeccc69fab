/**
 * The Host header, read by a grammar of its own. `new URL` is no help: it takes `a@127.0.0.1`, `127.1` and
 * full-width digits for names of this machine.
 */

import { BlockList, isIPv4, isIPv6 } from "node:net";

/** A Host header's value (RFC 9110 section 7.2). */
export interface Host {
  /** Name in lower case without a final dot, or an address; IPv6 without brackets. */
  readonly name: string;
  /** undefined where none is given. */
  readonly port: number | undefined;
}

/** A name of letters, digits, hyphens, underscores and dots, or an IPv6 address in brackets; then a port. */
const GRAMMAR = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?\.?))(?::(\d{1,5}))?$/i;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Clients send the same Host again and again: what was read last is kept. */
let lastRead: { value: string; host: Host | undefined } | undefined;

/**
 * Reads a Host header.
 * @returns undefined if it is malformed.
 */
export function parseHost(value: string): Host | undefined {
  if (lastRead?.value !== value) lastRead = { value, host: parse(value) };
  return lastRead.host;
}

function parse(value: string): Host | undefined {
  const match = GRAMMAR.exec(value);
  if (!match) return undefined;
  const [, ipv6, name, digits] = match;
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && port > 65535) return undefined;
  if (ipv6 !== undefined) return isIPv6(ipv6) ? { name: ipv6.toLowerCase(), port } : undefined;
  const bare = name.toLowerCase().replace(/\.$/, "");
  if (bare.includes("..")) return undefined;
  // What looks like an IPv4 address must be one, in the one form that everybody reads alike.
  if (/^[\d.]+$|^0x[0-9a-f.]+$/.test(bare) && !isIPv4(bare)) return undefined;
  return { name: bare, port };
}

/**
 * Whether an address is this machine's loopback, also as IPv6 that stands for IPv4.
 * @param address As in a peer's address or a Host without brackets.
 */
export function isLoopbackAddress(address: string): boolean {
  if (address === "127.0.0.1" || address === "::1") return true;
  if (isIPv4(address)) return LOOPBACK.check(address, "ipv4");
  return isIPv6(address) && LOOPBACK.check(address, "ipv6");
}

/** Whether a Host names this machine whatever any name server says: `localhost`, or a loopback address. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || isLoopbackAddress(name);
}
