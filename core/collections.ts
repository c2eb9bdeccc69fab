/**
 * Full garbage collections that begin earlier than V8's own, for threads that work for hours: V8 lets each thread's
 * heap grow by 8 MB or more first, which a quiet thread takes an hour for.
 */

/** The time between two looks at the heap, in milliseconds. */
const LOOK_MS = 60_000;
/** The growth of the heap since the last collection after which the next begins, in bytes. */
const GROWTH = 3e6;
/** More than the memory outside of its heap (64 MB) for which V8 begins a collection, in bytes. */
const OUTSIDE = 96 * 1024 * 1024;

/**
 * Begins a full collection of this thread's heap, which goes on in small steps. The buffer that makes V8 begin is
 * given back at once; no page of it is ever touched, so that it takes no memory.
 */
export function beginCollection(): void {
  try {
    new ArrayBuffer(OUTSIDE).transfer(0);
  } catch {
    // A process whose address space is bounded has no room for the buffer: V8 collects when it would.
  }
}

/** Looks at a heap from time to time, and has it collected when it has grown. */
export class HeapWatch {
  /** The smallest size since the last collection began. */
  #least = Infinity;

  /**
   * @param used Gives the size of the heap in bytes.
   * @param collect Begins a collection.
   */
  constructor(readonly used: () => number, readonly collect: () => void) {}

  /** Looks once. */
  look(): void {
    const used = this.used();
    this.#least = Math.min(this.#least, used);
    if (used - this.#least < GROWTH) return;
    this.#least = Infinity; // the collection takes a while: the next look gives the new size
    this.collect();
  }
}

/**
 * Keeps this thread's heap small until the returned function is called. A thread that ends need not call it.
 * @example
 * const endCollections = collectEarly();
 */
export function collectEarly(): () => void {
  const watch = new HeapWatch(() => Deno.memoryUsage().heapUsed, beginCollection);
  const timer = setInterval(() => watch.look(), LOOK_MS);
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}
