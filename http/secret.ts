/** Comparing secrets without telling how much of them was right. */

import { nodeModule } from "../core/lazy_node.ts";

/**
 * Makes a comparison with a secret that takes the same time whatever it is compared with.
 * @returns Tells whether a text is the secret.
 */
export function secretComparer(secret: string): (text: string) => boolean {
  let right: Uint8Array | undefined;
  return (text) => nodeModule("node:crypto").timingSafeEqual(digest(text), right ??= digest(secret));
}

function digest(text: string): Uint8Array {
  return nodeModule("node:crypto").createHash("sha256").update(text).digest();
}
