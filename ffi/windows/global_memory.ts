/** Memory that programs hand to each other over the clipboard: a handle each, which belongs to one of them. */

import type { Libraries } from "./libraries.ts";

type Kernel32 = Libraries["kernel32"];

/** GlobalAlloc: GMEM_MOVEABLE, which the clipboard asks for. */
const MOVEABLE = 2;

/** Memory of this process, until {@linkcode handOver}. `using` frees it. */
export class GlobalMemory implements Disposable {
  #handle: bigint;

  /** Copies bytes into new memory. */
  constructor(readonly kernel32: Kernel32, bytes: Uint8Array) {
    this.#handle = kernel32.GlobalAlloc(MOVEABLE, BigInt(Math.max(1, bytes.length)));
    const pointer = this.#handle ? kernel32.GlobalLock(this.#handle) : null;
    if (!pointer) throw new RangeError(`Windows has no memory for ${bytes.length} bytes`);
    new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pointer, bytes.length)).set(bytes);
    kernel32.GlobalUnlock(this.#handle);
  }

  /**
   * Hands it to another.
   * @param take Gets the handle; returns whether it takes it.
   * @returns The same.
   */
  handOver(take: (handle: bigint) => boolean): boolean {
    const isTaken = take(this.#handle);
    if (isTaken) this.#handle = 0n;
    return isTaken;
  }

  [Symbol.dispose](): void {
    if (this.#handle) this.kernel32.GlobalFree(this.#handle);
    this.#handle = 0n;
  }
}

/** Bytes of the memory of a handle. */
export function globalSize(kernel32: Kernel32, handle: bigint): number {
  return Number(kernel32.GlobalSize(handle));
}

/** Copies what the memory of a handle holds. */
export function globalBytes(kernel32: Kernel32, handle: bigint): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(globalSize(kernel32, handle));
  const pointer = kernel32.GlobalLock(handle);
  if (!pointer) return new Uint8Array();
  new Deno.UnsafePointerView(pointer).copyInto(bytes);
  kernel32.GlobalUnlock(handle);
  return bytes;
}
