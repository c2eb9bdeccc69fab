/**
 * The other ends of this process's TCP connections. The system reports a connection's state at any time,
 * while a library that reads from it notices the end only when it reads.
 */

import { delay } from "@std/async/delay";
import { type Libc, openLibc } from "./libc.ts";

/** Address families (bits/socket.h). */
const AF_INET = 2, AF_INET6 = 10;
/** The size of struct sockaddr_in6 (netinet/in.h), the larger one. */
const ADDRESS_SIZE = 28;
/** Number of file descriptors checked; the system always assigns the lowest free number. */
const DESCRIPTORS = 65_536;
/** Number of descriptors in one poll(2) call, and checked before other requests get a turn. */
const BATCH = 256;
/** Minimum time between two passes through all descriptors, in milliseconds. */
const PASS_MS = 250;
/**
 * Events of poll(2): the other side sends no more, an error (reset), both directions closed, no descriptor.
 */
const POLLRDHUP = 0x2000, POLLERR = 8, POLLHUP = 16, POLLNVAL = 32;

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
  readonly #asked = pollTable();
  readonly #askedBytes = new Uint8Array(this.#asked.buffer);
  readonly #events = new Int16Array(BATCH);
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
    const [events] = this.#poll(fd, 1);
    if (!(events & POLLNVAL) && this.#remoteOf(fd) === key) {
      return (events & (POLLRDHUP | POLLERR | POLLHUP)) !== 0;
    }
    this.#known.delete(key);
    return undefined;
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

  async #findAll(): Promise<void> {
    const found = new Map<string, number>();
    let seesPort = false;
    for (let first = 0; first < DESCRIPTORS; first += BATCH) {
      const events = this.#poll(first, BATCH);
      let open = 0;
      for (let i = 0; i < BATCH; i++) {
        if (events[i] & POLLNVAL) continue;
        open++;
        if (!this.#isOfPort(first + i)) continue;
        seesPort = true;
        const key = this.#remoteOf(first + i);
        if (key !== undefined) found.set(key, first + i);
      }
      if (open > BATCH / 4 || first % (32 * BATCH) === 0) await delay(0);
    }
    [this.#known, this.#seesPort] = [found, seesPort];
  }

  /** Polls consecutive descriptors without waiting; the returned events are valid until the next call. */
  #poll(first: number, count: number): Int16Array {
    for (let i = 0; i < count; i++) this.#asked.setInt32(8 * i, first + i, true);
    this.#c.poll(this.#askedBytes, BigInt(count), 0);
    for (let i = 0; i < count; i++) this.#events[i] = this.#asked.getInt16(8 * i + 6, true);
    return this.#events;
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

/** Creates the table of consecutive descriptors for poll(2): struct pollfd has fd, events, revents. */
function pollTable(): DataView<ArrayBuffer> {
  const table = new DataView(new ArrayBuffer(8 * BATCH));
  for (let i = 0; i < BATCH; i++) table.setInt16(8 * i + 4, POLLRDHUP, true);
  return table;
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
