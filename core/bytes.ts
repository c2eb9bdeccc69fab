/** Bytes in memory. */

/** Bytes in memory of this thread's own. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Joins bytes.
 * @returns New memory with a copy of each part, in order.
 * @example
 * concat(Uint8Array.of(1, 2), Uint8Array.of(3)); // new Uint8Array([1, 2, 3])
 */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
