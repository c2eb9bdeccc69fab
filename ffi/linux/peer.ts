/**
 * The other ends of this process's TCP connections. The system reports a connection's state at any time,
 * while a library that reads from it notices the end only when it reads.
 */

import { delay } from "@std/async/delay";
import { numbersIn } from "../../core/proc.ts";
import { type Libc, openLibc } from "./libc.ts";

/** Address families (bits/socket.h). */
const AF_INET = 2, AF_INET6 = 10;
/** The size of struct sockaddr_in6 (netinet/in.h), the larger one. */
const ADDRESS_SIZE = 28;
/** Number of file descriptors checked before other requests get a turn. */
const BATCH = 256;
/** Minimum time between two passes through all descriptors, in milliseconds. */
const PASS_MS = 250;
/** Events of poll(2): the other side sends no more, an error (reset), both directions closed. */
const POLLRDHUP = 0x2000, POLLERR = 8, POLLHUP = 16;

/** One end of a connection. */
interface TcpAddress {
  /** An IPv4 or IPv6 address, as a number. */
  hostname: string;
  port: number;
}

/**
 * The connections to a port of this process. Each connection's file descriptor is remembered, and one pass
 * through all descriptors finds those of all clients being checked, so that the cost does not grow with
 * clients times descriptors.
 */
export class Peers {
  readonly #c: Libc = openLibc();
  readonly #name = new DataView(new ArrayBuffer(ADDRESS_SIZE));
  readonly #nameBytes = new Uint8Array(this.#name.buffer);
  readonly #size = Uint32Array.of(ADDRESS_SIZE);
  /** Descriptors by the other side's address, as of the last pass. */
  #known = new Map<string, number>();
  /** Whether the last pass found a socket of the port, at least the one that listens. */
  #seesPort = false;
  /** The next pass, which has not begun yet. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  /** @param localPort This process's port. */
  constructor(readonly localPort: number) {}

  /**
   * Whether the other side of a connection has closed it, or at least its sending half: before sending
   * something, a system cannot distinguish these (TCP, RFC 9293 section 3.6).
   * @param remote The other side. A connection that this process no longer has was reset.
   * @returns undefined if the system shows no socket of the port.
   */
  async hasClosed(remote: TcpAddress): Promise<boolean | undefined> {
    const key = keyOf(remote);
    const seen = this.#look(key);
    if (seen !== undefined) return seen;
    await this.#pass();
    return this.#look(key) ?? (this.#seesPort || undefined);
  }

  /**
   * Checks a remembered connection; undefined if it is unknown, or if its descriptor is now another one's.
   */
  #look(key: string): boolean | undefined {
    const fd = this.#known.get(key);
    if (fd === undefined) return undefined;
    if (this.#remoteOf(fd) !== key) {
      this.#known.delete(key);
      return undefined;
    }
    const polled = Int32Array.of(fd, POLLRDHUP); // struct pollfd: int fd, short events, short revents
    this.#c.poll(polled, 1n, 0);
    return (polled[1] >> 16 & (POLLRDHUP | POLLERR | POLLHUP)) !== 0;
  }

  /** Waits for a pass that begins after this call; all callers share it. */
  #pass(): Promise<void> {
    return this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      const pass = this.#findAll();
      this.#last = pass.catch(() => {}).then(() => delay(PASS_MS, { persistent: false }));
      return pass;
    });
  }

  /** Polls nothing: poll(2) on a file of a FUSE share that hangs would block this thread. */
  async #findAll(): Promise<void> {
    const found = new Map<string, number>();
    let seesPort = false;
    for (const [i, fd] of numbersIn("self/fd").entries()) {
      if (i % BATCH === BATCH - 1) await delay(0);
      if (!this.#isOfPort(fd)) continue;
      seesPort = true;
      const key = this.#remoteOf(fd);
      if (key !== undefined) found.set(key, fd);
    }
    [this.#known, this.#seesPort] = [found, seesPort];
  }

  /**
   * The key of a connection's other side; undefined for a descriptor that is not a connection to the port.
   */
  #remoteOf(fd: number): string | undefined {
    if (!this.#isOfPort(fd) || !this.#isNamed(this.#c.getpeername, fd)) return undefined;
    return `${addressIn(this.#name)} ${this.#name.getUint16(2)}`;
  }

  #isOfPort(fd: number): boolean {
    return this.#isNamed(this.#c.getsockname, fd) && this.#name.getUint16(2) === this.localPort;
  }

  #isNamed(get: Libc["getpeername"], fd: number): boolean {
    this.#size[0] = ADDRESS_SIZE;
    if (get(fd, this.#nameBytes, this.#size) !== 0) return false;
    const family = this.#name.getUint16(0, true);
    return family === AF_INET || family === AF_INET6;
  }
}

/**
 * The address in a struct sockaddr_in or sockaddr_in6, as eight IPv6 groups; IPv4 addresses are mapped, as
 * reported by dual-stack sockets (RFC 4291 2.5.5.2).
 */
function addressIn(name: DataView): string {
  const group = (at: number) => name.getUint16(at).toString(16);
  if (name.getUint16(0, true) === AF_INET) return `0:0:0:0:0:ffff:${group(4)}:${group(6)}`;
  return [0, 2, 4, 6, 8, 10, 12, 14].map((at) => group(8 + at)).join(":");
}

/** A connection's key: the other side's address in the form of {@linkcode addressIn}, and its port. */
function keyOf({ hostname, port }: TcpAddress): string {
  const [number] = hostname.split("%"); // without a link-local address's zone
  const { hostname: spelled } = new URL(`http://[${number.includes(":") ? number : `::ffff:${number}`}]`);
  const [left, right] = spelled.slice(1, -1).split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = new Array(8 - left.length - (right?.length ?? 0)).fill("0");
  return `${[...left, ...zeros, ...right ?? []].join(":")} ${port}`;
}
