/**
 * Parses the Host header with its own grammar. `new URL` does not fit: it accepts `a@127.0.0.1`, `127.1` and
 * full-width digits as names of this machine.
 */

import { UsageError } from "../core/errors.ts";

/** A Host header's value (RFC 9110 section 7.2). */
interface Host {
  /** A name in lower case without a final dot, or an address; IPv6 without brackets. */
  readonly name: string;
  /** The port; undefined if omitted. */
  readonly port: number | undefined;
}

/** A name of letters, digits, `-`, `_` and dots, or a bracketed IPv6 address; then perhaps a port, or `:`. */
const GRAMMAR = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?\.?))(?::(\d{0,5}))?$/i;

/** 127.0.0.0/8 as IPv4-mapped IPv6 addresses (RFC 4291 section 2.5.5.2), as in {@linkcode canonicalIPv6}. */
const MAPPED_LOOPBACK = /^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/;

/**
 * The last Host parsed, because clients repeat it. Together with the last URL (request.ts) and the last route
 * (traffic.ts), this cache saves a sixth of a request's time.
 */
let lastRead: { value: string; host: Host | undefined } | undefined;

/**
 * Parses a Host header.
 * @returns undefined if it is malformed.
 * @example
 * ```ts
 * parseHost("Example.COM.:80"); // { name: "example.com", port: 80 }
 * parseHost("127.1"); // undefined
 * ```
 */
export function parseHost(value: string): Host | undefined {
  if (lastRead?.value !== value) lastRead = { value, host: parse(value) };
  return lastRead.host;
}

function parse(value: string): Host | undefined {
  const match = GRAMMAR.exec(value);
  if (!match) return undefined;
  const [, ipv6, name, digits] = match;
  const port = digits ? Number(digits) : undefined;
  if (port !== undefined && port > 65535) return undefined;
  if (ipv6 !== undefined) {
    return canonicalIPv6(ipv6) === undefined ? undefined : { name: ipv6.toLowerCase(), port };
  }
  const bare = name.toLowerCase().replace(/\.$/, "");
  if (bare.includes("..")) return undefined;
  // A name that looks like an IPv4 address must be one, in the form that all parsers agree on.
  if (/^[\d.]+$|^0x[0-9a-f.]+$/.test(bare) && !isIPv4(bare)) return undefined;
  return { name: bare, port };
}

/**
 * Whether a socket address is this machine's loopback. A socket bound to `::` reports IPv4 peers as mapped
 * addresses.
 * @param address As in a peer's or a listener's address, without brackets.
 * @example
 * isLoopbackAddress("::ffff:127.0.0.1"); // true
 */
export function isLoopbackAddress(address: string): boolean {
  return isPlainLoopback(address) || MAPPED_LOOPBACK.test(canonicalIPv6(address) ?? "");
}

/**
 * Whether a Host refers to this machine on every network, without a name server: `localhost`, 127.0.0.0/8 or
 * `::1`.
 *
 * A mapped address (`::ffff:127.0.0.1`) does not count: browsers send requests to it without Origin, Referer
 * and Sec-Fetch headers, so that a web page would look like a script.
 * @param name As returned by {@linkcode parseHost}.
 * @example
 * isLoopbackName("localhost"); // true
 */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || isPlainLoopback(name);
}

function isPlainLoopback(address: string): boolean {
  if (address === "127.0.0.1" || address === "::1") return true;
  return isIPv4(address) ? address.startsWith("127.") : canonicalIPv6(address) === "::1";
}

/**
 * The addresses available to one caller: an IPv4 address, including mapped ones, or a 64-bit IPv6 network, in
 * which a machine chooses its addresses freely (RFC 4291 section 2.5.1, RFC 8981).
 * @param address As in a peer's address.
 * @returns A text that represents all of these addresses; the argument itself if it is not an address.
 * @example
 * networkOf("2001:db8::1"); // "2001:db8:0:0"
 */
export function networkOf(address: string): string {
  const canonical = canonicalIPv6(address);
  if (canonical === undefined || canonical.startsWith("::ffff:")) return address;
  const [head, tail] = canonical.split("::").map((half) => half === "" ? [] : half.split(":"));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array(zeros).fill("0"), ...tail ?? []].slice(0, 4).join(":");
}

/**
 * Formats an address or a name for a URL: IPv6 in brackets.
 * @example
 * urlHost("::1"); // "[::1]"
 */
export function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Whether a text is an IPv4 address on which all parsers agree: four numbers without leading zeros. */
function isIPv4(text: string): boolean {
  return /^[\d.]+$/.test(text) && URL.parse(`http://${text}`)?.hostname === text;
}

/** An IPv6 address in the form of RFC 5952; undefined if the text is not an IPv6 address. */
function canonicalIPv6(text: string): string | undefined {
  return /^[0-9a-f:.]+$/i.test(text) ? URL.parse(`http://[${text}]`)?.hostname.slice(1, -1) : undefined;
}

/**
 * Names of headers that proxies add. deskhand never trusts their values; their presence only lowers trust.
 */
export const PROXY_HEADER = /^(?:forwarded|x-forwarded-.*|x-real-ip|via|cf-connecting-ip)$/;

/**
 * Checks a host name given by the user.
 * @returns The name in the form in which hosts are compared: lower case, without a final dot.
 * @throws UsageError if it is malformed or has a port.
 * @example
 * checkedHostName("Desk.LAN."); // "desk.lan"
 */
export function checkedHostName(name: string): string {
  const host = parseHost(name);
  if (!host || host.port !== undefined) {
    throw new UsageError(
      `--allow-host takes a host name without a port, such as desk.lan, not ${JSON.stringify(name)}`,
    );
  }
  return host.name;
}
