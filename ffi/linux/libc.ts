/**
 * C library functions that Linux desktops need, and memory shared with another process (memfd_create(2),
 * mmap(2)). The library is opened with a desktop, never on import.
 */

import { bindOnUse, cString, LIBC, prototypes } from "../../core/binding.ts";
import { DesktopUnavailableError, NoDesktopError } from "../../core/errors.ts";

export { cString };

/** Functions used by each compositor connection and its first keyboard. */
const OF_SOCKETS = prototypes({
  socket: "i32 (i32 domain, i32 type, i32 protocol)",
  connect: "i32 (i32, buffer struct sockaddr *, u32)",
  getsockopt: "i32 (i32, i32 level, i32 name, buffer, buffer socklen_t *)",
  open: "i32 (buffer char *path, i32 flags)",
  read: "isize (i32, buffer, usize)",
  write: "isize (i32, buffer, usize)",
  close: "i32 (i32)",
  sendmsg: "isize (i32, buffer struct msghdr *, i32 flags)",
  recvmsg: "isize (i32, buffer struct msghdr *, i32 flags)",
  __errno_location: "pointer ()",
  poll: "i32 (buffer struct pollfd *, u64, i32 ms)",
  memfd_create: "i32 (buffer char *name, u32 flags)",
  ftruncate: "i32 (i32, i64 off_t)",
  mmap: "pointer (pointer, usize, i32, i32, i32, i64)",
  munmap: "i32 (pointer, usize)",
});
const OTHERS = prototypes({
  eventfd: "i32 (u32, i32)",
  usleep: "i32 (u32 microseconds)",
  getpeername: "i32 (i32, buffer struct sockaddr *, buffer socklen_t *)",
  getsockname: "i32 (i32, buffer, buffer)",
  shutdown: "i32 (i32, i32 SHUT_RDWR: 2)",
  fcntl: "i32 (i32, i32 command, i32 argument)",
  ioctl: "i32 (i32, u64 request, buffer)",
  pipe2: "i32 (buffer int[2], i32 flags)",
  free: "void (pointer)",
  dlsym: "pointer (pointer NULL: this process, buffer)",
  shmget: "i32 (i32 key, usize, i32 flags)",
  shmat: "pointer (i32, pointer, i32)",
  shmdt: "i32 (pointer)",
  shmctl: "i32 (i32, i32 command, pointer)",
});

/** The table of functions. */
export const LIBC_FUNCTIONS = {
  ...OF_SOCKETS,
  ...OTHERS,
  /** poll(2) on its own thread, so that this thread is not blocked. */
  poll_waiting: { ...OF_SOCKETS.poll, name: "poll", nonblocking: true },
} as const satisfies Deno.ForeignLibraryInterface;

/** Events of poll(2): something to read, and room to write. */
export const POLLIN = 1, POLLOUT = 4;
/** Events with which poll(2) reports an end: POLLERR, POLLHUP and POLLNVAL. */
const GONE = 8 | 16 | 32;

/** The C library's functions. */
export type Libc = Deno.DynamicLibrary<typeof LIBC_FUNCTIONS>["symbols"];

let opened: Libc | undefined;

/**
 * Opens the C library, once per thread; each function is bound on first use, which throws NoDesktopError if
 * the library lacks it.
 */
export function openLibc(): Libc {
  return opened ??= bindOnUse(LIBC, LIBC_FUNCTIONS, (symbol, cause) =>
    new NoDesktopError(
      `the C library (${LIBC}) cannot be loaded or is older than glibc 2.27: it lacks ${symbol}`,
      { cause },
    ), Object.keys(OF_SOCKETS)) as Libc;
}

/**
 * Whether a file descriptor's other end is gone, after a failed call (poll(2)). {@linkcode errno} does not
 * report this reliably: V8 may make a failing call in between, such as prctl(2) to name new memory.
 */
export function isGone(c: Libc, fd: number): boolean {
  const polled = Int32Array.of(fd, 0); // an end is reported even if not requested
  return c.poll(polled, 1n, 0) > 0 && (polled[1] >> 16 & GONE) !== 0;
}

/**
 * The last error number of a C function on this thread (errno(3)), unless V8 has since caused another one.
 */
export function errno(c: Libc): number {
  return new Deno.UnsafePointerView(c.__errno_location()!).getInt32();
}

// Ends another thread's waits in poll(2), in this process, with an eventfd.

const EFD_CLOEXEC = 0o2000000, EFD_NONBLOCK = 0o4000;

/** The ringing side of an alarm. The other side polls {@linkcode fd}, and calls {@linkcode silence}. */
export class Alarm {
  readonly fd: number;
  #isClosed = false;

  constructor(readonly c: Libc) {
    this.fd = c.eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  }

  /** Ends the current wait, or the next one. */
  ring(): void {
    if (!this.#isClosed) this.c.write(this.fd, BigUint64Array.of(1n), 8n);
  }

  /** Frees the alarm after the other side has ended. */
  close(): void {
    if (!this.#isClosed) this.c.close(this.fd);
    this.#isClosed = true;
  }
}

/** Clears the rings so far, so that the next wait blocks. */
export function silence(c: Libc, fd: number): void {
  c.read(fd, new BigUint64Array(1), 8n);
}

const MFD_CLOEXEC = 1;
const PROT_READ = 1, PROT_READ_WRITE = 3, MAP_SHARED = 1, MAP_PRIVATE = 2;
/** The result of a failed mmap: `(void *) -1`. */
const FAILED = 0xffffffffffffffffn;

/**
 * Creates a file in memory.
 * @param size In bytes.
 * @returns Its file descriptor, which the caller closes.
 * @throws DesktopUnavailableError if the system refuses.
 */
export function memoryFile(c: Libc, size: number): number {
  const fd = c.memfd_create(cString("deskhand"), MFD_CLOEXEC);
  if (fd >= 0 && c.ftruncate(fd, BigInt(size)) === 0) return fd;
  if (fd >= 0) c.close(fd);
  throw new DesktopUnavailableError(`the system could not allocate ${size} bytes of shared memory`);
}

/**
 * Reads memory shared by another process.
 * @param fd Closed afterwards.
 * @param size In bytes.
 * @returns undefined if it cannot be mapped.
 */
export function readMemory(c: Libc, fd: number, size: number): Uint8Array<ArrayBuffer> | undefined {
  const address = size ? c.mmap(null, BigInt(size), PROT_READ, MAP_PRIVATE, fd, 0n) : null;
  c.close(fd);
  if (!address || Deno.UnsafePointer.value(address) === FAILED) return undefined;
  const copy = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(address, size).slice(0));
  c.munmap(address, BigInt(size));
  return copy;
}

/** This process's memory that another process can write to. */
export class SharedMemory {
  readonly bytes: Uint8Array<ArrayBuffer>;

  private constructor(readonly c: Libc, readonly address: Deno.PointerObject, readonly size: number) {
    this.bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(address, size));
  }

  /**
   * Allocates memory.
   * @param share Sends the memory's file descriptor to the other process; the descriptor is closed
   * afterwards.
   * @throws DesktopUnavailableError if the system refuses; the errors of `share`.
   */
  static make(c: Libc, size: number, share: (fd: number) => void): SharedMemory {
    const fd = memoryFile(c, size);
    try {
      share(fd); // first, since sharing fails if the other process is gone
      const address = c.mmap(null, BigInt(size), PROT_READ_WRITE, MAP_SHARED, fd, 0n);
      if (!address || Deno.UnsafePointer.value(address) === FAILED) {
        throw new DesktopUnavailableError(`the system could not map ${size} bytes of shared memory`);
      }
      return new SharedMemory(c, address, size);
    } finally {
      c.close(fd);
    }
  }

  /** Unmaps the memory; {@linkcode bytes} must no longer be used. */
  unmap(): void {
    this.c.munmap(this.address, BigInt(this.size));
  }
}

// A loop that waits for file descriptors in poll(2) on another thread, so that this thread can do other work.

/**
 * One loop, which cannot be restarted.
 * @example
 * const poller = new Poller(c, () => [socket.fd]);
 * void poller.run(() => connection.dispatch());
 */
export class Poller {
  /** An eventfd that ends a wait while the loop runs. */
  #wake: number | undefined;
  #isStopped = false;

  /**
   * @param fds Returns the file descriptors for the next wait.
   * @param patience Returns the timeout of the next wait in milliseconds; -1 for none, the default.
   */
  constructor(
    readonly c: Libc,
    readonly fds: () => readonly number[],
    readonly patience: () => number = () => -1,
  ) {}

  /** Whether {@linkcode stop} was called. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Runs the loop until it is stopped.
   * @param onReady Called after each wait: when a descriptor is readable, at the timeout, or after a
   * {@linkcode wake}.
   * @throws The errors of `onReady`, which end the loop.
   */
  async run(onReady: () => void | Promise<void>): Promise<void> {
    const { c } = this, wake = this.#wake = c.eventfd(0, EFD_CLOEXEC);
    try {
      while (!this.#isStopped) {
        // struct pollfd: int fd, short events, short revents.
        const polled = Int32Array.from([wake, ...this.fds()].flatMap((fd) => [fd, POLLIN]));
        await c.poll_waiting(polled, BigInt(polled.length / 2), Math.ceil(this.patience()));
        if (polled[1] >> 16) c.read(wake, new BigUint64Array(1), 8n);
        if (!this.#isStopped) await onReady();
      }
    } finally {
      this.#isStopped = true;
      this.#wake = undefined;
      c.close(wake);
    }
  }

  /** Ends the current wait, or the next one. */
  wake(): void {
    if (this.#wake !== undefined) this.c.write(this.#wake, BigUint64Array.of(1n), 8n);
  }

  /** Ends the loop. Safe to call twice. */
  stop(): void {
    this.#isStopped = true;
    this.wake();
  }
}
