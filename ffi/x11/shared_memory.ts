/** Memory that is shared between processes (System V: shmget(2), shmop(2), shmctl(2)). */

import type { Libraries } from "./libraries.ts";

const IPC_PRIVATE = 0, IPC_CREAT = 0o1000, IPC_RMID = 0;
/** Result of shmat when it fails: `(void *) -1`. */
const FAILED = 0xffffffffffffffffn;

/** A piece of shared memory that is attached to this process. */
export class SharedMemory {
  #bytes: Uint8Array<ArrayBuffer> | undefined;

  private constructor(
    readonly c: Libraries["c"],
    /** The number of the memory, by which another process of this user can attach it until it is abandoned. */
    readonly id: number,
    readonly size: number,
    readonly address: Deno.PointerObject,
  ) {}

  /**
   * Allocates memory.
   * @param size In bytes.
   * @returns undefined if the system refuses.
   */
  static make(c: Libraries["c"], size: number): SharedMemory | undefined {
    const id = c.shmget(IPC_PRIVATE, BigInt(size), IPC_CREAT | 0o600);
    if (id < 0) return undefined;
    const address = c.shmat(id, null, 0);
    if (address && Deno.UnsafePointer.value(address) !== FAILED) {
      return new SharedMemory(c, id, size, address);
    }
    c.shmctl(id, IPC_RMID, null);
    return undefined;
  }

  /** The bytes of the memory, valid until it is unmapped. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes ??= new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(this.address, this.size));
  }

  /**
   * Marks the memory for removal, so that the system frees it when the last process with it ends, however that ends.
   */
  abandon(): void {
    this.c.shmctl(this.id, IPC_RMID, null);
  }

  /** Detaches the memory from this process, which must not use {@linkcode bytes} any more. */
  unmap(): void {
    this.c.shmdt(this.address);
  }
}
