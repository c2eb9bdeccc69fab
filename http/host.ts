/**
 * The Host header, read by a grammar of its own. `new URL` is no help: it takes `a@127.0.0.1`, `127.1` and
 * full-width digits for names of this machine.
 */

/** A Host header's value (RFC 9110 section 7.2). */
export interface Host {
  /** Name in lower case without a final dot, or an address; IPv6 without brackets. */
  readonly name: string;
  /** undefined where none is given. */
  readonly port: number | undefined;
}

/** A name of letters, digits, hyphens, underscores and dots, or an IPv6 address in brackets; then a port, which may be empty. */
const GRAMMAR = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?\.?))(?::(\d{0,5}))?$/i;

/** Loopback IPv6 addresses as {@linkcode canonicalIPv6} writes them: `::1`, and those of 127.0.0.0/8 mapped. */
const LOOPBACK_IPV6 = /^(?:::1|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})$/;

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
  const port = digits ? Number(digits) : undefined;
  if (port !== undefined && port > 65535) return undefined;
  if (ipv6 !== undefined) {
    return canonicalIPv6(ipv6) === undefined ? undefined : { name: ipv6.toLowerCase(), port };
  }
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
  if (isIPv4(address)) return address.startsWith("127.");
  return LOOPBACK_IPV6.test(canonicalIPv6(address) ?? "");
}

/**
 * What one caller has of addresses: an IPv4 address, also where IPv6 stands for it, or an IPv6 network of 64 bits, whose
 * addresses a machine picks as it likes (RFC 4291 section 2.5.1, RFC 8981).
 * @param address As in a peer's address; what is no address is given back.
 */
export function networkOf(address: string): string {
  const canonical = canonicalIPv6(address);
  if (canonical === undefined || canonical.startsWith("::ffff:")) return address;
  const [head, tail] = canonical.split("::").map((half) => half === "" ? [] : half.split(":"));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array(zeros).fill("0"), ...tail ?? []].slice(0, 4).join(":");
}

/** Whether a text is an IPv4 address in the one form that everybody reads alike: four numbers, none with a zero before. */
function isIPv4(text: string): boolean {
  return /^[\d.]+$/.test(text) && URL.parse(`http://${text}`)?.hostname === text;
}

/** An IPv6 address in the one form that RFC 5952 gives it; undefined if it is none. */
function canonicalIPv6(text: string): string | undefined {
  return /^[0-9a-f:.]+$/i.test(text) ? URL.parse(`http://[${text}]`)?.hostname.slice(1, -1) : undefined;
}

/** Whether a Host names this machine whatever any name server says: `localhost`, or a loopback address. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || isLoopbackAddress(name);
}
