/**
 * Searches a picture of the screen for a smaller picture, and finds the places where a share of it matches.
 */

import { InputError } from "../../core/errors.ts";
import type { Bitmap } from "../image/bitmap.ts";
import { LEAST_MATCH, type SearchOptions, type SearchResult } from "./find.ts";
import {
  Budget,
  Candidates,
  differ,
  distinctivePixels,
  draw,
  KIND,
  type MatchPlace,
  near,
  overlapping,
  type Pattern,
  patternOf,
  type Pixels,
} from "./pattern.ts";

/**
 * Searches for a picture.
 * @returns Places in pixels of `screen`, which may be part of the real one.
 * @throws InputError if the picture is entirely transparent, or if the search would take too long because the
 * screen looks like the picture almost everywhere.
 */
export function search(screen: Pixels, picture: Bitmap, options: SearchOptions): SearchResult {
  if (options.grayscale) {
    return search(grayOf(screen), {
      ...picture,
      pixels: grayOf({ ...picture, stride: picture.width }).pixels,
    }, {
      ...options,
      grayscale: false,
    });
  }
  const { tolerance, match, limit, best } = options;
  const rows = screen.height - picture.height + 1, columns = screen.width - picture.width + 1;
  if (rows < 1 || columns < 1) return { places: [] };
  const pattern = patternOf(picture, tolerance);
  if (!pattern.counted.length) throw new InputError("the picture is entirely transparent");
  const places = placesOf(screen, pattern, match, limit);
  if (places.length || !best) return { places };
  const [nearest] = inexactPlaces(screen, pattern, new Candidates(pattern, [], 1 - LEAST_MATCH, 1)).places;
  return nearest ? { places, best: nearest } : { places };
}

/** Converts a picture to shades of grey: the luma of ITU-R BT.601, like OpenCV and Pillow. */
function grayOf({ width, height, stride, pixels }: Pixels): Pixels & Pick<Bitmap, "pixels"> {
  const gray = new Uint32Array(width * height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let from = y * stride, end = from + width; from < end; from++) {
      const color = pixels[from];
      const red = color >> 16 & 255, green = color >> 8 & 255, blue = color & 255;
      gray[at++] = Math.floor((299 * red + 587 * green + 114 * blue) / 1000) * 0x10101;
    }
  }
  return { width, height, stride: width, pixels: gray };
}

function placesOf(screen: Pixels, pattern: Pattern, match: number, limit: number): MatchPlace[] {
  const budget = new Budget(screen);
  const exact = exactPlaces(screen, pattern, limit, budget);
  if (budget.isSpent) throw tooAlike();
  if (match === 1 || exact.length === limit) return exact;
  const candidates = new Candidates(pattern, exact, 1 - match, limit - exact.length);
  const { places, isWhole } = inexactPlaces(screen, pattern, candidates);
  if (!isWhole) throw tooAlike();
  return [...exact, ...places];
}

/** Places where a share matches, and whether the whole screen was searched. */
function inexactPlaces(screen: Pixels, pattern: Pattern, candidates: Candidates) {
  const budget = new Budget(screen);
  if (pattern.flat === undefined) sharePlaces(screen, pattern, candidates, budget);
  else flatPlaces(screen, pattern, pattern.flat, candidates);
  return { places: candidates.best(), isWhole: !budget.isSpent && !candidates.isFull };
}

function tooAlike(): InputError {
  return new InputError(
    "nearly all of the screen matches the picture: use a larger or more distinctive one, give a region, or raise match",
  );
}

/**
 * The bound at which a sample rules out a place: the probability of the result is e to the power of minus
 * this number, one in a million. Each look therefore misses a place that only just matches with at most that
 * probability.
 */
const CERTAINTY = 14;

/**
 * Builds the table that tells from a growing sample of pixels that the whole picture has too many wrong ones.
 *
 * If a share q of all pixels is wrong, at least f wrong ones among the first n of a sample have a probability of at
 * most exp(-n D(f/n, q)) (Chernoff's bound; D is the Kullback-Leibler divergence of two coins), and less still for a
 * sample without repetition (Hoeffding 1963, section 6).
 *
 * @param count Pixels of the sample.
 * @param share Share that may be wrong, from 0 to below 1.
 * @returns For f from 0 to `count`, the number of looks up to which f wrong pixels are too many.
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

/** Number of pixels in a sample of the details, and in one of all pixels. */
const DETAILS = 128, ALL = 512;
/**
 * Number of pixels of each sample compared first: a place that one sample cannot rule out, the other usually
 * rules out immediately.
 */
const FIRST = 24;

/** A sample of a pattern's pixels. */
interface Sample {
  /** Number of pixels that the share refers to. */
  of: number;
  /** Offsets of the sample's pixels from a place's first pixel. */
  offsets: Int32Array;
  colors: Uint32Array;
  /** For each number of wrong pixels, the number of looks up to which it is too many; see `endurance`. */
  looks: Int32Array;
}

/**
 * Checks every place: first with a sample of the details and one of all pixels, then pixel by pixel, while
 * the place may still match.
 * @param candidates Receives the matching places.
 * @param budget The search ends early once it is spent.
 */
function sharePlaces(screen: Pixels, pattern: Pattern, candidates: Candidates, budget: Budget): void {
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

/** The samples of a pattern, used to check places. A place is the index of its first pixel. */
class SharePass {
  readonly #screen: Pixels;
  readonly #pattern: Pattern;
  readonly #candidates: Candidates;
  readonly #budget: Budget;
  /**
   * The sample that ruled out the last place comes first, since the next place is usually in the same area.
   */
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

  /** Adopts how many pixels may currently be wrong. */
  prepareLooks(): void {
    for (const sample of this.#samples) {
      const share = this.#candidates.allowedOf(sample.of) / Math.max(1, sample.of);
      sample.looks = endurance(sample.colors.length, share);
    }
  }

  /** Whether enough pixels of a place may match, judging by the samples. */
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
   * @returns Share of wrong pixels, of all or of the details, whichever is larger; undefined if there are
   * more than allowed.
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
   * Checks some pixels of a sample.
   * @param wrong Number of wrong pixels so far.
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

// Finds the places where every pixel of a pattern matches.

/** Number of pixels compared before the whole place. */
const PROBES = 16;

/**
 * Finds places where every pixel matches, in reading order; no place overlaps an earlier one.
 * @param limit Maximum number of places.
 * @param budget The search ends early once it is spent.
 */
function exactPlaces(screen: Pixels, pattern: Pattern, limit: number, budget: Budget): MatchPlace[] {
  const pass = new ExactPass(screen, pattern, budget), places: MatchPlace[] = [];
  const rows = screen.height - pattern.height + 1, columns = screen.width - pattern.width + 1;
  for (let y = 0; y < rows; y++) {
    for (let x = pass.next(0, y); x < columns; x = pass.next(x, y)) {
      if (!pass.mayAgree(x, y)) {
        x++;
        continue;
      }
      const before = overlapping(places, x, y, pattern);
      if (before) {
        x = before.x + pattern.width;
      } else if (pass.agrees(x, y)) {
        places.push({ x, y, loss: 0 });
        if (places.length === limit) return places;
        x += pattern.width;
      } else x++;
      if (budget.isSpent) return places;
    }
  }
  return places;
}

/**
 * Compares places and learns from each one it rules out. The pattern pixel that differed is compared early
 * from then on: otherwise, a pattern of repeated tiles would be compared almost completely at every tile. The
 * screen pixel that differed is compared first at the other places that contain it: otherwise, a plain
 * pattern would be compared almost completely all around a spot in a plain area.
 */
class ExactPass {
  readonly #screen: Pixels;
  readonly #pattern: Pattern;
  readonly #budget: Budget;
  /** Indices of the pattern pixels to compare first, in order. */
  readonly #probes: number[];
  readonly #offsets: Int32Array;
  readonly #colors: Uint32Array;
  /** The screen pixel that ruled out the last place. */
  #lastX = -1;
  #lastY = -1;
  /** The offsets of the last place in each column. */
  readonly #columnX: Int32Array;
  readonly #columnY: Int32Array;

  constructor(screen: Pixels, pattern: Pattern, budget: Budget) {
    this.#screen = screen;
    this.#pattern = pattern;
    this.#budget = budget;
    this.#probes = distinctivePixels(screen, pattern, PROBES);
    this.#offsets = new Int32Array(this.#probes.length);
    this.#colors = new Uint32Array(this.#probes.length);
    this.#columnX = new Int32Array(screen.width).fill(-1);
    this.#columnY = new Int32Array(screen.width).fill(-1);
    this.#prepareProbes();
  }

  /**
   * The first place in a row, from `x`, where the first probe matches; past the last place if there is none.
   */
  next(x: number, y: number): number {
    const { pixels, stride, width } = this.#screen, { tolerance } = this.#pattern;
    const color = this.#colors[0], from = y * stride + this.#offsets[0];
    const columns = width - this.#pattern.width + 1;
    while (x < columns && differ(pixels[from + x], color, tolerance)) x++;
    return x;
  }

  /** Whether none of the probes rules a place out. */
  mayAgree(x: number, y: number): boolean {
    if (this.#isRuledOutBy(this.#lastX, this.#lastY, x, y)) return false;
    const columnX = this.#columnX[x], columnY = this.#columnY[x];
    if (this.#isRuledOutBy(columnX, columnY, x, y)) {
      this.#lastX = columnX;
      this.#lastY = columnY;
      return false;
    }
    const { pixels, stride } = this.#screen, { width, tolerance } = this.#pattern;
    const at = y * stride + x;
    for (let i = 1; i < this.#offsets.length; i++) {
      if (!differ(pixels[at + this.#offsets[i]], this.#colors[i], tolerance)) continue;
      this.#ruleOut(x, y, this.#probes[i] % width, Math.floor(this.#probes[i] / width));
      return false;
    }
    return true;
  }

  /** Compares every pixel of a place. */
  agrees(x: number, y: number): boolean {
    const { pixels, stride } = this.#screen, { width, height, colors, kinds, tolerance } = this.#pattern;
    for (let row = 0, i = 0; row < height; row++) {
      const from = (y + row) * stride + x;
      for (let column = 0; column < width; column++, i++) {
        if (!differ(pixels[from + column], colors[i], tolerance) || kinds[i] === KIND.transparent) continue;
        this.#budget.spend(i);
        this.#ruleOut(x, y, column, row);
        if (!this.#probes.includes(i)) {
          this.#probes.pop();
          this.#probes.splice(1, 0, i); // the first probe has the rarest colour and stays first
          this.#prepareProbes();
        }
        return false;
      }
    }
    this.#budget.spend(colors.length);
    return true;
  }

  /** Records which pixel of a place differed. */
  #ruleOut(x: number, y: number, column: number, row: number): void {
    this.#lastX = this.#columnX[x] = x + column;
    this.#lastY = this.#columnY[x] = y + row;
  }

  /** Whether a screen pixel that ruled out another place is part of this place and rules it out too. */
  #isRuledOutBy(screenX: number, screenY: number, x: number, y: number): boolean {
    const { width, height, colors, kinds, tolerance } = this.#pattern;
    const column = screenX - x, row = screenY - y;
    if (column < 0 || column >= width || row < 0 || row >= height) return false;
    const i = row * width + column, { pixels, stride } = this.#screen;
    return differ(pixels[screenY * stride + screenX], colors[i], tolerance) && kinds[i] !== KIND.transparent;
  }

  #prepareProbes(): void {
    const { width, colors } = this.#pattern, { stride } = this.#screen;
    this.#probes.forEach((pixel, i) => {
      this.#offsets[i] = Math.floor(pixel / width) * stride + pixel % width;
      this.#colors[i] = colors[pixel];
    });
  }
}

// Finds the places of a single-colour pattern. Samples rule out few of them, since most pixels of a text page
// are white like the picture. However, the number of wrong pixels of a place follows from its neighbour's, so
// every screen pixel is compared only twice.

/**
 * Checks every place of a single-colour pattern.
 * @param color The colour.
 * @param candidates Receives the matching places.
 */
function flatPlaces(screen: Pixels, pattern: Pattern, color: number, candidates: Candidates): void {
  const { width, height } = pattern, size = width * height;
  const rows = screen.height - height + 1, columns = screen.width - width + 1;
  // The number of wrong pixels per column, in the rows of the current place.
  const wrong = new Int32Array(screen.width);
  for (let y = 0; y < height - 1; y++) count(screen, y, color, pattern.tolerance, 1, wrong);
  for (let y = 0; y < rows; y++) {
    count(screen, y + height - 1, color, pattern.tolerance, 1, wrong);
    let sum = 0;
    for (let x = 0; x < width - 1; x++) sum += wrong[x];
    let allowed = candidates.allowedOf(size);
    for (let x = 0; x < columns; x++) {
      sum += wrong[x + width - 1];
      if (sum <= allowed && candidates.add({ x, y, loss: sum / size })) allowed = candidates.allowedOf(size);
      sum -= wrong[x];
    }
    if (candidates.isFull) return;
    count(screen, y, color, pattern.tolerance, -1, wrong);
  }
}

/** Adds `step` to each column whose pixel in a row is wrong. */
function count(
  { pixels, stride, width }: Pixels,
  y: number,
  color: number,
  tolerance: number,
  step: number,
  wrong: Int32Array,
): void {
  for (let x = 0, at = y * stride; x < width; x++, at++) {
    wrong[x] += step * (1 - near(pixels[at], color, tolerance));
  }
}
