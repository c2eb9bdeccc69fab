/** Memory that is shared between processes (System V: shmget(2), shmop(2), shmctl(2)). */

import type { Libraries } from "./libraries.ts";

const IPC_PRIVATE = 0, IPC_CREAT = 0o1000, IPC_RMID = 0;
/** What shmat gives when it fails: `(void *) -1`. */
const FAILED = 0xffffffffffffffffn;

/** See the module's comment. */
export class SharedMemory {
  #bytes: Uint8Array<ArrayBuffer> | undefined;

  private constructor(
    readonly c: Libraries["c"],
    /** Its number, by which another process of this user can have it until it is abandoned. */
    readonly id: number,
    readonly size: number,
    readonly address: Deno.PointerObject,
  ) {}

  /** @returns undefined if the system has none, or does not share it. */
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

  /** All of it, until it is unmapped. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes ??= new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(this.address, this.size));
  }

  /** Marks it for removal, so that it goes with the last process that has it, however that ends. */
  abandon(): void {
    this.c.shmctl(this.id, IPC_RMID, null);
  }

  /** Takes it out of this process; nobody may read it here afterwards. */
  unmap(): void {
    this.c.shmdt(this.address);
  }
}
