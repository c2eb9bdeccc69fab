/** Memory that is shared with another process (memfd_create(2), mmap(2)). */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { cString, type Libc } from "./libc.ts";

const MFD_CLOEXEC = 1;
const PROT_READ = 1, PROT_READ_WRITE = 3, MAP_SHARED = 1, MAP_PRIVATE = 2;
/** The result of mmap when it fails: `(void *) -1`. */
const FAILED = 0xffffffffffffffffn;

/**
 * Makes a file in memory.
 * @param size In bytes.
 * @returns Its descriptor, which the caller closes.
 * @throws DesktopUnavailableError if the system refuses.
 */
export function memoryFile(c: Libc, size: number): number {
  const fd = c.memfd_create(cString("deskhand"), MFD_CLOEXEC);
  if (fd >= 0 && c.ftruncate(fd, BigInt(size)) === 0) return fd;
  if (fd >= 0) c.close(fd);
  throw new DesktopUnavailableError(`the system cannot allocate ${size} bytes of shared memory`);
}

/**
 * Reads memory that another process shares.
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

/** Memory of this process that another process can write to. */
export class SharedMemory {
  readonly bytes: Uint8Array<ArrayBuffer>;

  private constructor(readonly c: Libc, readonly address: Deno.PointerObject, readonly size: number) {
    this.bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(address, size));
  }

  /**
   * Allocates memory.
   * @param share Sends the memory's descriptor to the other process; the descriptor is closed afterwards.
   * @throws DesktopUnavailableError if the system refuses; the errors of `share`.
   */
  static make(c: Libc, size: number, share: (fd: number) => void): SharedMemory {
    const fd = memoryFile(c, size);
    try {
      share(fd); // first, since sharing fails if the other process is gone
      const address = c.mmap(null, BigInt(size), PROT_READ_WRITE, MAP_SHARED, fd, 0n);
      if (!address || Deno.UnsafePointer.value(address) === FAILED) {
        throw new DesktopUnavailableError(`the system cannot map ${size} bytes of shared memory`);
      }
      return new SharedMemory(c, address, size);
    } finally {
      c.close(fd);
    }
  }

  /** Unmaps the memory; nothing may use {@linkcode bytes} any more. */
  unmap(): void {
    this.c.munmap(this.address, BigInt(this.size));
  }
}
