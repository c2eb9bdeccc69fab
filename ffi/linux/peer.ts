/**
 * The other end of a TCP connection of this process. The system reports the state of the connection at any time; a
 * library that reads from it notices the end only when it reads.
 */

import { type Libc, openLibc } from "./libc.ts";

/** Families of addresses (bits/socket.h). */
const AF_INET = 2, AF_INET6 = 10;
/** The size of struct sockaddr_in6 (netinet/in.h), the larger one. */
const ADDRESS_SIZE = 28;
/** The number of descriptors that are checked; the system always gives the lowest free number. */
const DESCRIPTORS = 65_536;
/** Descriptors that one call of poll(2) looks at. */
const BATCH = 256;
/** Events of poll(2): the other side sends no more, an error such as a reset, both directions closed, no descriptor. */
const POLLRDHUP = 0x2000, POLLERR = 8, POLLHUP = 16, POLLNVAL = 32;

/** One end of a connection. */
export interface TcpAddress {
  /** An address of IPv4 or IPv6, as a number. */
  hostname: string;
  port: number;
}

/**
 * Tells whether the other side of a connection has closed it, or at least its sending half: before it sends
 * something, a system cannot tell these apart (TCP, RFC 9293 section 3.6).
 * @param localPort This process's port.
 * @param remote The other side.
 * @returns undefined if this process has no such connection.
 */
export function hasPeerClosed(localPort: number, remote: TcpAddress): boolean | undefined {
  const c = openLibc(), address = canonical(remote.hostname);
  const name = new DataView(new ArrayBuffer(ADDRESS_SIZE));
  const isNamed = (get: typeof c.getpeername, fd: number, port: number) =>
    get(fd, new Uint8Array(name.buffer), Uint32Array.of(ADDRESS_SIZE)) === 0 && name.getUint16(2) === port;
  for (let first = 0; first < DESCRIPTORS; first += BATCH) {
    for (const { fd, events } of polled(c, first)) {
      if (!isNamed(c.getsockname, fd, localPort) || !isNamed(c.getpeername, fd, remote.port)) continue;
      if (addressIn(name) === address) return (events & (POLLRDHUP | POLLERR | POLLHUP)) !== 0;
    }
  }
}

/** The open descriptors of a batch, with the events that poll(2) reports for each without waiting. */
function polled(c: Libc, first: number): { fd: number; events: number }[] {
  const asked = new DataView(new ArrayBuffer(8 * BATCH)); // struct pollfd: fd, events, revents
  for (let i = 0; i < BATCH; i++) {
    asked.setInt32(8 * i, first + i, true);
    asked.setInt16(8 * i + 4, POLLRDHUP, true);
  }
  c.poll(new Uint8Array(asked.buffer), BigInt(BATCH), 0);
  return Array.from({ length: BATCH }, (_, i) => ({ fd: first + i, events: asked.getInt16(8 * i + 6, true) }))
    .filter(({ events }) => !(events & POLLNVAL));
}

/** The address in a struct sockaddr_in or sockaddr_in6; undefined for another kind of address. */
function addressIn(name: DataView): string | undefined {
  const family = name.getUint16(0, true);
  if (family === AF_INET) {
    return canonical(Array.from({ length: 4 }, (_, i) => name.getUint8(4 + i)).join("."));
  }
  if (family !== AF_INET6) return undefined;
  return canonical(Array.from({ length: 8 }, (_, i) => name.getUint16(8 + 2 * i).toString(16)).join(":"));
}

/**
 * An address in its one spelling as IPv6; IPv4 addresses are mapped, as sockets of both families report them (RFC
 * 4291 2.5.5.2).
 */
function canonical(address: string): string {
  const [number] = address.split("%"); // without the zone of a link-local address
  return new URL(`http://[${number.includes(":") ? number : `::ffff:${number}`}]`).hostname;
}
