/** Finds the places at which a share of a pattern agrees. */

import type { Budget } from "./budget.ts";
import type { Candidates } from "./candidates.ts";
import type { Pattern } from "./pattern.ts";
import { near, type Pixels } from "./pixels.ts";
import { draw } from "./sample.ts";

/**
 * The bound at which a sample rules a place out: the result's probability is e to the power of minus this number, one
 * in a million. Each look therefore misses a place that agrees just enough with that probability at most.
 */
const CERTAINTY = 14;

/**
 * Makes the table by which a growing sample of pixels tells that the whole picture has too many wrong pixels.
 *
 * If a share q of all pixels is wrong, at least f wrong ones among the first n of a sample have a probability of at
 * most exp(-n D(f/n, q)) (Chernoff's bound; D is the Kullback-Leibler divergence of two coins), and less still for a
 * sample without repetition (Hoeffding 1963, section 6).
 *
 * @param count Pixels of the sample.
 * @param share The share that may be wrong, 0 to below 1.
 * @returns For f from 0 to `count` the number of looks up to which f wrong pixels are too many.
 */
function endurance(count: number, share: number): Int32Array {
  const looks = new Int32Array(count + 1);
  for (let wrong = 1; wrong <= count; wrong++) {
    let n = wrong;
    while (n <= count && wrong > share * n && n * divergence(wrong / n, share) > CERTAINTY) n++;
    looks[wrong] = n - 1;
  }
  return looks;
}

function divergence(seen: number, expected: number): number {
  if (expected === 0) return Infinity;
  const wrong = seen * Math.log(seen / expected);
  return seen === 1 ? wrong : wrong + (1 - seen) * Math.log((1 - seen) / (1 - expected));
}

/** Pixels of a sample of the details, and of one of all pixels. */
const DETAILS = 128, ALL = 512;
/**
 * The number of pixels of each sample that are compared first: a place that one sample cannot rule out, the other
 * mostly rules out at once.
 */
const FIRST = 24;

/** A sample of a pattern's pixels. */
interface Sample {
  /** Number of pixels of which the share is taken. */
  of: number;
  /** The offsets of the sample's pixels from a place's first pixel. */
  offsets: Int32Array;
  colors: Uint32Array;
  /** The numbers of looks up to which each number of wrong pixels is too many; see `endurance`. */
  looks: Int32Array;
}

/**
 * Looks at every place: first at a sample of the details and one of all pixels, then at every pixel, as long as the
 * place may still count.
 * @param candidates Receives the places that count.
 * @param budget When the budget is spent, the search ends early.
 */
export function sharePlaces(screen: Pixels, pattern: Pattern, candidates: Candidates, budget: Budget): void {
  const pass = new SharePass(screen, pattern, candidates, budget);
  const rows = screen.height - pattern.height + 1, columns = screen.width - pattern.width + 1;
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const at = y * screen.stride + x;
      if (!pass.mayAgree(at)) continue;
      const loss = pass.lossAt(at);
      if (loss !== undefined && candidates.add({ x, y, loss })) pass.prepareLooks();
      if (budget.isSpent || candidates.isFull) return;
    }
    if (budget.isSpent) return;
  }
}

/** The samples of a pattern, by which places are checked. A place is the number of its first pixel. */
class SharePass {
  readonly #screen: Pixels;
  readonly #pattern: Pattern;
  readonly #candidates: Candidates;
  readonly #budget: Budget;
  /** The sample that ruled out the last place comes first, since the next place mostly lies in the same area. */
  readonly #samples: [Sample, Sample];

  constructor(screen: Pixels, pattern: Pattern, candidates: Candidates, budget: Budget) {
    this.#screen = screen;
    this.#pattern = pattern;
    this.#candidates = candidates;
    this.#budget = budget;
    this.#samples = [
      sampleOf(screen, pattern, pattern.details, DETAILS),
      sampleOf(screen, pattern, pattern.counted, ALL),
    ];
    this.prepareLooks();
  }

  /** Takes over how many pixels may be wrong now. */
  prepareLooks(): void {
    for (const sample of this.#samples) {
      const share = this.#candidates.allowedOf(sample.of) / Math.max(1, sample.of);
      sample.looks = endurance(sample.colors.length, share);
    }
  }

  /** Tells whether enough pixels of a place may agree, judged by the samples. */
  mayAgree(at: number): boolean {
    const [first, second] = this.#samples;
    const wrong = this.#wrongOf(at, first, 0, FIRST, 0);
    if (wrong < 0) return false;
    const wrongInSecond = this.#wrongOf(at, second, 0, FIRST, 0);
    if (wrongInSecond < 0) {
      this.#samples.reverse();
      return false;
    }
    return this.#wrongOf(at, first, FIRST, first.colors.length, wrong) >= 0 &&
      this.#wrongOf(at, second, FIRST, second.colors.length, wrongInSecond) >= 0;
  }

  /**
   * Compares every pixel of a place.
   * @returns The share of pixels that are wrong: of all or of the details, whichever is larger. undefined if more
   * are wrong than may be.
   */
  lossAt(at: number): number | undefined {
    const { pixels, stride } = this.#screen;
    const { width, height, colors, kinds, counted, details, tolerance } = this.#pattern;
    const allowed = this.#candidates.allowedOf(counted.length);
    const allowedDetails = this.#candidates.allowedOf(details.length);
    let wrong = 0, wrongDetails = 0;
    for (let row = 0, i = 0; row < height; row++) {
      const from = at + row * stride;
      for (let column = 0; column < width; column++, i++) {
        const isWrong = 1 - near(pixels[from + column], colors[i], tolerance);
        wrong += isWrong & kinds[i];
        wrongDetails += isWrong & kinds[i] >> 1;
      }
      if (wrong > allowed || wrongDetails > allowedDetails) {
        this.#budget.spend(i);
        return undefined;
      }
    }
    this.#budget.spend(colors.length);
    return Math.max(wrong / counted.length, details.length ? wrongDetails / details.length : 0);
  }

  /**
   * Looks at some pixels of a sample.
   * @param wrong The number of wrong pixels so far.
   * @returns The new number of wrong pixels; -1 as soon as there are too many.
   */
  #wrongOf(at: number, { offsets, colors, looks }: Sample, from: number, to: number, wrong: number): number {
    const { pixels } = this.#screen, { tolerance } = this.#pattern;
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
    this.#budget.spend(i - from);
    return wrong;
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
