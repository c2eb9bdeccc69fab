/** Comparison of secrets in constant time, so that the time does not reveal how much was right. */

import { nodeModule } from "../core/lazy_node.ts";

/**
 * Makes a comparison with a secret. It compares digests, in the same time for every text of the same length.
 * @returns A function that tells whether a text is the secret.
 * @example
 * secretComparer("secret")("secret"); // true
 */
export function secretComparer(secret: string): (text: string) => boolean {
  let right: Uint8Array | undefined;
  return (text) => nodeModule("node:crypto").timingSafeEqual(digest(text), right ??= digest(secret));
}

function digest(text: string): Uint8Array {
  return nodeModule("node:crypto").createHash("sha256").update(text).digest();
}
