/**
 * A Unix socket whose bytes come with file descriptors (unix(7), cmsg(3)), and whose waits are all bounded.
 */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { isGone, type Libc, POLLIN, POLLOUT } from "./libc.ts";

const AF_UNIX = 1, SOCK_STREAM = 1, SOCK_CLOEXEC = 0o2000000, SOCK_NONBLOCK = 0o4000;
const SOL_SOCKET = 1, SCM_RIGHTS = 1, SO_PEERCRED = 17;
/** sizeof(struct ucred), which begins with the process number. */
const UCRED_SIZE = 12;
const MSG_DONTWAIT = 0x40, MSG_NOSIGNAL = 0x4000, MSG_CMSG_CLOEXEC = 0x40000000;
/** sizeof(struct sockaddr_un), and the offset of its path. */
const ADDRESS = { size: 110, path: 2 };
/** Offsets in struct msghdr, in 64-bit words; 7 words in all. */
const MSGHDR = { words: 7, iov: 2, iovlen: 3, control: 4, controllen: 5 };
/** Offsets in struct cmsghdr, whose data follows. */
const CMSGHDR = { level: 8, type: 12, data: 16 };
/** Maximum number of file descriptors that libwayland puts into one message. */
const DESCRIPTORS_AT_ONCE = 28;
const RECEIVE_BYTES = 65536;

/** An open socket. */
export class Socket {
  /** Memory for received bytes; grows if the reader does not consume them. */
  #memory = new Uint8Array(2 * RECEIVE_BYTES);
  /** The start of the received bytes that have not been consumed. */
  #start = 0;
  #end = 0;
  /** File descriptors that came with the bytes, in order. */
  readonly descriptors: number[] = [];
  // C holds pointers into the next three arrays during a call.
  readonly #message = new BigUint64Array(MSGHDR.words);
  readonly #vector = new BigUint64Array(2);
  readonly #control = new Uint8Array(CMSGHDR.data + 4 * DESCRIPTORS_AT_ONCE);
  readonly #pollfd = new Int32Array(2);
  #isClosed = false;

  private constructor(readonly c: Libc, readonly fd: number, readonly peer: string) {}

  /**
   * Connects to a socket.
   * @param path The socket's path; a path that begins with a zero character is abstract and has no file
   * (unix(7)).
   * @param peer The listener's name for errors: `the compositor`.
   * @param options.isPatient Waits until a listener with many pending connections accepts this one.
   * @returns undefined if nothing listens there, or the listener refuses this user.
   */
  static connect(c: Libc, path: string, peer: string, { isPatient = true } = {}): Socket | undefined {
    const name = new TextEncoder().encode(path);
    if (name.length >= ADDRESS.size - ADDRESS.path) return undefined;
    const address = new Uint8Array(ADDRESS.size);
    address[0] = AF_UNIX;
    address.set(name, ADDRESS.path);
    const fd = c.socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (isPatient ? 0 : SOCK_NONBLOCK), 0);
    if (fd < 0) return undefined;
    // An abstract socket's name ends with the address; a file's path ends with a zero.
    const size = path.startsWith("\0") ? ADDRESS.path + name.length : ADDRESS.size;
    if (c.connect(fd, address, size) === 0) return new Socket(c, fd, peer);
    c.close(fd);
    return undefined;
  }

  /** The number of the process that listens at the other end; undefined if the system does not report it. */
  get peerProcess(): number | undefined {
    const credentials = new Int32Array(UCRED_SIZE / 4), length = Uint32Array.of(UCRED_SIZE);
    const isKnown = this.c.getsockopt(this.fd, SOL_SOCKET, SO_PEERCRED, credentials, length) === 0;
    return isKnown ? credentials[0] || undefined : undefined;
  }

  /** The bytes received and not yet consumed, valid until more are received. */
  get received(): Uint8Array {
    return this.#memory.subarray(this.#start, this.#end);
  }

  /**
   * Drops bytes from the start of {@linkcode received}.
   * @param count At most the number of received bytes.
   */
  consume(count: number): void {
    this.#start += count;
    if (this.#start === this.#end) this.#start = this.#end = 0;
  }

  /**
   * Sends bytes together with file descriptors.
   * @param descriptors The file descriptors, which travel with the first byte; the caller closes them
   * afterwards.
   * @param ms Maximum time for the other side to make room.
   * @throws DesktopUnavailableError if the other side is gone, or makes no room in time.
   */
  send(bytes: Uint8Array<ArrayBuffer>, descriptors: readonly number[], ms: number): void {
    for (let from = 0, fds = descriptors; from < bytes.length;) {
      const sent = this.#sendSome(bytes.subarray(from), fds);
      if (sent > 0) {
        from += sent;
        fds = [];
      } else if (!this.wait(POLLOUT, ms)) {
        throw new DesktopUnavailableError(`${this.peer} is not reading its input`);
      }
    }
  }

  /**
   * Waits until the socket is readable or writable.
   * @param events Events of poll(2), such as `POLLIN`.
   * @returns false if that takes longer than `ms`.
   */
  wait(events: number, ms: number): boolean {
    this.#pollfd[0] = this.fd;
    this.#pollfd[1] = events;
    for (const end = performance.now() + ms;;) {
      const left = Math.max(0, Math.ceil(end - performance.now()));
      const count = this.c.poll(this.#pollfd, 1n, left);
      // A signal handled by deskhand, such as SIGWINCH, also ends the wait, with an error.
      if (count >= 0 || left === 0) return count > 0;
    }
  }

  /**
   * Waits until at least one of several sockets is readable.
   * @param ms Maximum wait, in milliseconds; a signal may end it earlier.
   * @returns The readable ones.
   */
  static waitAny<Holder extends { socket: Socket }>(holders: readonly Holder[], ms: number): Holder[] {
    const polled = Int32Array.from(holders.flatMap(({ socket: { fd } }) => [fd, POLLIN]));
    const { c } = holders[0].socket;
    if (c.poll(polled, BigInt(holders.length), Math.max(0, Math.ceil(ms))) <= 0) return [];
    return holders.filter((_, i) => polled[2 * i + 1] >> 16 !== 0);
  }

  /**
   * Waits until the socket, or another file descriptor, is readable.
   * @returns Whether the other one is.
   */
  waitBeside(fd: number, ms: number): boolean {
    const polled = Int32Array.of(this.fd, POLLIN, fd, POLLIN);
    return this.c.poll(polled, 2n, Math.ceil(ms)) > 0 && polled[3] >> 16 !== 0;
  }

  /**
   * Receives the bytes that have arrived.
   * @returns false if none have arrived.
   * @throws DesktopUnavailableError if the other side is gone.
   */
  receive(): boolean {
    this.#makeRoom();
    const room = this.#memory.subarray(this.#end, this.#end + RECEIVE_BYTES);
    const message = this.#prepare(room, this.#control.length);
    const take = () => Number(this.c.recvmsg(this.fd, message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT));
    let count = take();
    if (count < 0) {
      if (!isGone(this.c, this.fd)) return false;
      count = take(); // bytes that have arrived since, before the end
    }
    if (count <= 0) throw new DesktopUnavailableError(`${this.peer} has closed the connection`);
    this.#end += count;
    this.#takeDescriptors(Number(this.#message[MSGHDR.controllen]));
    return true;
  }

  /** Closes the socket. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const fd of [...this.descriptors.splice(0), this.fd]) this.c.close(fd);
  }

  #makeRoom(): void {
    if (this.#memory.length - this.#end >= RECEIVE_BYTES) return;
    const { received } = this, isLarge = received.length > this.#memory.length / 2;
    const memory = isLarge ? new Uint8Array(2 * this.#memory.length) : this.#memory;
    memory.set(received);
    this.#memory = memory;
    this.#end = received.length;
    this.#start = 0;
  }

  #sendSome(bytes: Uint8Array<ArrayBuffer>, descriptors: readonly number[]): number {
    const used = descriptors.length ? CMSGHDR.data + 4 * descriptors.length : 0;
    const message = this.#prepare(bytes, (used + 7) & ~7);
    if (used) {
      const control = new DataView(this.#control.buffer);
      control.setBigUint64(0, BigInt(used), true);
      control.setInt32(CMSGHDR.level, SOL_SOCKET, true);
      control.setInt32(CMSGHDR.type, SCM_RIGHTS, true);
      descriptors.forEach((fd, i) => control.setInt32(CMSGHDR.data + 4 * i, fd, true));
    }
    const sent = Number(this.c.sendmsg(this.fd, message, MSG_NOSIGNAL | MSG_DONTWAIT));
    if (sent >= 0) return sent;
    if (!isGone(this.c, this.fd)) return 0;
    throw new DesktopUnavailableError(`${this.peer} is gone`);
  }

  /** Fills in a struct msghdr for some bytes. */
  #prepare(bytes: Uint8Array<ArrayBuffer>, controlLength: number): BigUint64Array<ArrayBuffer> {
    const message = this.#message;
    this.#vector[0] = addressOf(bytes);
    this.#vector[1] = BigInt(bytes.length);
    message.fill(0n);
    message[MSGHDR.iov] = addressOf(this.#vector);
    message[MSGHDR.iovlen] = 1n;
    if (controlLength) {
      message[MSGHDR.control] = addressOf(this.#control);
      message[MSGHDR.controllen] = BigInt(controlLength);
    }
    return message;
  }

  #takeDescriptors(length: number): void {
    const control = new DataView(this.#control.buffer);
    for (let at = 0; at + CMSGHDR.data <= length;) {
      const size = Number(control.getBigUint64(at, true));
      if (size < CMSGHDR.data) return;
      const isRights = control.getInt32(at + CMSGHDR.level, true) === SOL_SOCKET &&
        control.getInt32(at + CMSGHDR.type, true) === SCM_RIGHTS;
      for (let i = CMSGHDR.data; isRights && i < size; i += 4) {
        this.descriptors.push(control.getInt32(at + i, true));
      }
      at += (size + 7) & ~7;
    }
  }
}

function addressOf(bytes: Uint8Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>): bigint {
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
}

// What programs have not read from their sockets yet (sock_diag(7), linux/unix_diag.h).

/**
 * A socket for questions about sockets, which the system answers at once: AF_NETLINK, SOCK_RAW with SOCK_CLOEXEC
 * and SOCK_NONBLOCK, NETLINK_SOCK_DIAG.
 */
const QUESTIONS = [16, 0o2004003, 4] as const;
/** The question for names and queues of all connected UNIX sockets, as 32-bit words in the CPU's order. */
const CONNECTED = Uint32Array.of(40, 0x301 << 16 | 20, 1, 0, 1, 1 << 1, 0, 0x11, 0, 0);
/** Message types and attributes of the answer, and the offsets of a socket's number and attributes. */
const DIAG = { socket: 20, name: 0, queues: 4, numberAt: 20, attributesAt: 32 } as const;
/** Size of the buffer for a part of the answer, in bytes: the system sends at most 32 KiB at a time. */
const PART = 65_536;

/**
 * Reads how much each client of a server has not read yet.
 * @param path The path of the server's socket.
 * @returns Bytes by the number of the server's end, including what the system needs to store them; undefined
 * if the system does not report them.
 */
export function unreadByClients(c: Libc, path: string): Map<number, number> | undefined {
  const fd = c.socket(...QUESTIONS), unread = new Map<number, number>();
  if (fd < 0) return undefined;
  try {
    const question = new Uint8Array(CONNECTED.buffer), part = new Uint8Array(PART);
    if (c.write(fd, question, BigInt(question.length)) < 0) return undefined;
    for (;;) {
      const size = Number(c.read(fd, part, BigInt(PART))), view = new DataView(part.buffer);
      if (size <= 0) return undefined;
      for (let at = 0, length = 0; at < size; at += length + 3 & ~3) {
        length = view.getUint32(at, true);
        const type = view.getUint16(at + 4, true);
        if (type !== DIAG.socket) return type === NLMSG_DONE ? unread : undefined;
        const { name, queues } = attributesOf(part.subarray(at, at + length));
        if (name === path && queues) unread.set(view.getUint32(at + DIAG.numberAt, true), queues);
      }
    }
  } finally {
    c.close(fd);
  }
}

/** The type of the message after the last one (linux/netlink.h). */
const NLMSG_DONE = 3;

/** A socket's path, and the bytes that it has sent and its client has not read. */
function attributesOf(message: Uint8Array<ArrayBuffer>): { name?: string; queues?: number } {
  const view = new DataView(message.buffer, message.byteOffset, message.length),
    found: ReturnType<typeof attributesOf> = {};
  for (let at: number = DIAG.attributesAt, length = 0; at < message.length; at += length + 3 & ~3) {
    length = view.getUint16(at, true);
    const type = view.getUint16(at + 2, true);
    if (type === DIAG.name) {
      found.name = new TextDecoder().decode(message.subarray(at + 4, at + length)).replace(/\0$/, "");
    }
    if (type === DIAG.queues) found.queues = view.getUint32(at + 8, true);
  }
  return found;
}
