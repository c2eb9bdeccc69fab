/** Finds the places at which a share of a pattern agrees. */

import type { Budget } from "./budget.ts";
import type { Candidates } from "./candidates.ts";
import { endurance } from "./endurance.ts";
import type { Pattern } from "./pattern.ts";
import { near, type Pixels } from "./pixels.ts";
import { draw } from "./sample.ts";

/** Pixels of a sample of the details, and of one of all pixels. */
const DETAILS = 128, ALL = 512;
/** Pixels of each that are looked at first: most places that the one sample does not tell, the other tells at once. */
const FIRST = 24;

/** A sample of a pattern's pixels. */
interface Sample {
  /** How many pixels it is taken from. */
  of: number;
  /** From a place's first pixel to each pixel of the sample. */
  offsets: Int32Array;
  colors: Uint32Array;
  /** See `endurance`. */
  looks: Int32Array;
}

/**
 * Looks at every place: first at a sample of the details, then at one of all pixels, then at all of them, as long as
 * it may still be one that counts.
 * @param candidates Gets the places that count.
 * @param budget When it is spent the search ends early.
 */
export function sharePlaces(screen: Pixels, pattern: Pattern, candidates: Candidates, budget: Budget): void {
  const details = sampleOf(screen, pattern, pattern.details, DETAILS);
  const all = sampleOf(screen, pattern, pattern.counted, ALL);
  const allow = () => {
    for (const sample of [details, all]) {
      sample.looks = endurance(
        sample.colors.length,
        candidates.allowedOf(sample.of) / Math.max(1, sample.of),
      );
    }
  };
  allow();
  const { pixels, stride, width, height } = screen;
  const look = (at: number, sample: Sample, from: number, to: number, wrong: number) =>
    wrongOf(pixels, at, sample, from, to, wrong, pattern.tolerance, budget);
  // What told the last place comes first at the next one, which mostly lies in the same area.
  let first = details, second = all;
  const endures = (at: number) => {
    const few = look(at, first, 0, FIRST, 0);
    if (few < 0) return false;
    const others = look(at, second, 0, FIRST, 0);
    if (others < 0) {
      [first, second] = [second, first];
      return false;
    }
    return look(at, first, FIRST, Infinity, few) >= 0 && look(at, second, FIRST, Infinity, others) >= 0;
  };
  const rows = height - pattern.height + 1, columns = width - pattern.width + 1;
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const at = y * stride + x;
      if (!endures(at)) continue;
      const loss = lossAt(screen, pattern, at, candidates, budget);
      if (loss !== undefined && candidates.add({ x, y, loss })) allow();
      if (budget.isSpent || candidates.isFull) return;
    }
    if (budget.isSpent) return;
  }
}

function sampleOf({ stride }: Pixels, { width, colors }: Pattern, pixels: Int32Array, count: number): Sample {
  const drawn = draw(pixels, count);
  return {
    of: pixels.length,
    offsets: drawn.map((i) => Math.floor(i / width) * stride + i % width),
    colors: Uint32Array.from(drawn, (i) => colors[i]),
    looks: new Int32Array(),
  };
}

/**
 * Looks at some pixels of a sample.
 * @param at The place's first pixel.
 * @param wrong How many were wrong among those before.
 * @returns How many are wrong by now; -1 as soon as they are too many.
 */
function wrongOf(
  pixels: Uint32Array,
  at: number,
  { offsets, colors, looks }: Sample,
  from: number,
  to: number,
  wrong: number,
  tolerance: number,
  budget: Budget,
): number {
  const end = Math.min(to, offsets.length);
  let i = from;
  while (i < end) {
    const isWrong = near(pixels[at + offsets[i]], colors[i], tolerance) === 0;
    i++;
    if (isWrong && i <= looks[++wrong]) {
      wrong = -1;
      break;
    }
  }
  budget.spend(i - from);
  return wrong;
}

/**
 * Compares a place whole.
 * @returns The share of pixels that are wrong: of all or of the details, whichever is larger. undefined if it is
 * more than may be.
 */
function lossAt(
  { pixels, stride }: Pixels,
  { width, height, colors, kinds, counted, details, tolerance }: Pattern,
  at: number,
  candidates: Candidates,
  budget: Budget,
): number | undefined {
  const allowed = candidates.allowedOf(counted.length), allowedDetails = candidates.allowedOf(details.length);
  let wrong = 0, wrongDetails = 0;
  for (let row = 0, i = 0; row < height; row++) {
    const from = at + row * stride;
    for (let column = 0; column < width; column++, i++) {
      const isWrong = 1 - near(pixels[from + column], colors[i], tolerance);
      wrong += isWrong & kinds[i];
      wrongDetails += isWrong & kinds[i] >> 1;
    }
    if (wrong > allowed || wrongDetails > allowedDetails) {
      budget.spend(i);
      return undefined;
    }
  }
  budget.spend(colors.length);
  return Math.max(wrong / counted.length, details.length ? wrongDetails / details.length : 0);
}
