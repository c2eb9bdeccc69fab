/** Comparing secrets without telling how much of them was right. */

import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Makes a comparison with a secret that takes the same time whatever it is compared with.
 * @returns Tells whether a text is the secret. Only its digest is kept.
 */
export function secretComparer(secret: string): (text: string) => boolean {
  const right = digest(secret);
  return (text) => timingSafeEqual(digest(text), right);
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
