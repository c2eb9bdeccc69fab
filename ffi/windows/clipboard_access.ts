/** Opening the clipboard, which one program at a time can do, and the global memory that its content is in. */

import { delay } from "@std/async/delay";
import { BusyError, TimeLimitError } from "../../core/errors.ts";
import type { Libraries } from "./libraries.ts";
import { isResponsive } from "./responsive.ts";

/** The time that another program may keep the clipboard open, and between two tries, in milliseconds. */
const OPEN_MS = 1000, RETRY_MS = 5;
/** The time that the program that has the content may take to answer, in milliseconds. */
const ANSWER_MS = 2000;

/**
 * Opens the clipboard, and closes it afterwards.
 * @param window The window that is to own written content; 0 for reading.
 * @param use Runs synchronously: the clipboard is open on this thread.
 * @returns What `use` returns.
 * @throws TimeLimitError if the program that has the content does not react; BusyError if another program keeps the
 * clipboard open.
 */
export async function whileClipboardIsOpen<T>(
  libraries: Libraries,
  window: bigint,
  signal: AbortSignal | undefined,
  use: () => T,
): Promise<T> {
  const { user32 } = libraries;
  await checkOwner(user32);
  for (const end = performance.now() + OPEN_MS; !user32.OpenClipboard(window);) {
    if (performance.now() >= end) throw new BusyError("another program keeps the clipboard open");
    await delay(RETRY_MS, { signal });
  }
  try {
    return use();
  } finally {
    user32.CloseClipboard();
  }
}

/**
 * Waits until the program that has the content answers. Windows asks it when the clipboard is read or emptied, and that
 * call would block this thread for as long as the program does not react.
 */
async function checkOwner(user32: Libraries["user32"]): Promise<void> {
  const owner = user32.GetClipboardOwner();
  if (!owner) return;
  if (await isResponsive(user32, owner, ANSWER_MS) || user32.GetClipboardOwner() !== owner) return;
  throw new TimeLimitError(`the program that has the clipboard did not answer within ${ANSWER_MS} ms`);
}

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
   * Hands the memory to another owner.
   * @param take Receives the handle; returns whether it takes the memory over.
   * @returns The result of `take`.
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

/** Copies the content of a handle's memory. */
export function globalBytes(kernel32: Kernel32, handle: bigint): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(globalSize(kernel32, handle));
  const pointer = kernel32.GlobalLock(handle);
  if (!pointer) return new Uint8Array();
  new Deno.UnsafePointerView(pointer).copyInto(bytes);
  kernel32.GlobalUnlock(handle);
  return bytes;
}
