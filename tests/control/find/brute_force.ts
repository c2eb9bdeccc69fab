/** The search by its definition, without any shortcut, with which the real search is compared. */

import type { SearchOptions } from "../../../control/find/options.ts";
import type { Pixels } from "../../../control/find/pattern.ts";
import type { Bitmap } from "../../../control/image/bitmap.ts";

/** A place and how much agrees there. */
export interface Found {
  x: number;
  y: number;
  /** The share of wrong pixels among the pixels that count. */
  loss: number;
}

function isNear(a: number, b: number, tolerance: number): boolean {
  return [16, 8, 0].every((shift) => Math.abs((a >> shift & 255) - (b >> shift & 255)) <= tolerance);
}

/** The most frequent colour; the first of several. */
function background({ pixels, opaque }: Bitmap): number {
  const counted = [...pixels].filter((_, i) => !opaque || opaque[i]);
  const count = (color: number) => counted.filter((other) => other === color).length;
  return counted.toSorted((a, b) => count(b) - count(a))[0];
}

/** The places that agree enough, the best first; no place overlaps a better place. */
export function bruteForce(screen: Pixels, picture: Bitmap, options: SearchOptions): Found[] {
  const { tolerance, match, limit } = options, { width, height, pixels, opaque } = picture;
  const plain = background(picture);
  const counted = [...pixels.keys()].filter((i) => !opaque || opaque[i]);
  const details = counted.filter((i) => !isNear(pixels[i], plain, tolerance));
  const all: Found[] = [];
  for (let y = 0; y + height <= screen.height; y++) {
    for (let x = 0; x + width <= screen.width; x++) {
      const share = (of: number[]) =>
        of.filter((i) => {
          const at = (y + Math.floor(i / width)) * screen.stride + x + i % width;
          return !isNear(screen.pixels[at], pixels[i], tolerance);
        }).length / Math.max(1, of.length);
      const loss = Math.max(share(counted), share(details));
      if (loss <= 1 - match + 1e-9) all.push({ x, y, loss });
    }
  }
  all.sort((a, b) => a.loss - b.loss || a.y - b.y || a.x - b.x);
  const kept: Found[] = [];
  for (const place of all) {
    const isFree = kept.every(({ x, y }) =>
      Math.abs(x - place.x) >= width || Math.abs(y - place.y) >= height
    );
    if (isFree && kept.length < limit) kept.push(place);
  }
  return kept;
}
