/** Finds the places at which every pixel of a pattern agrees. */

import type { Budget } from "./budget.ts";
import { KIND, type Pattern } from "./pattern.ts";
import { differ, type Pixels } from "./pixels.ts";
import { type MatchPlace, overlapping } from "./place.ts";
import { distinctivePixels } from "./sample.ts";

/** The number of pixels that are compared before the whole place. */
const PROBES = 16;

/**
 * Finds places at which every pixel agrees, in reading order; no place overlaps an earlier one.
 * @param limit The most places.
 * @param budget When the budget is spent, the search ends early.
 */
export function exactPlaces(screen: Pixels, pattern: Pattern, limit: number, budget: Budget): MatchPlace[] {
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
 * Compares places and learns from each ruled-out place. The pixel of the pattern that differed is compared early from
 * then on: otherwise a pattern of repeated tiles is compared nearly whole at every tile. The pixel of the screen that
 * differed is compared first at the other places that contain it: otherwise a plain pattern is compared nearly
 * whole all around a spot on a plain area.
 */
class ExactPass {
  readonly #screen: Pixels;
  readonly #pattern: Pattern;
  readonly #budget: Budget;
  /** Indices of the pattern's pixels that are compared first, in order. */
  readonly #probes: number[];
  readonly #offsets: Int32Array;
  readonly #colors: Uint32Array;
  /** The pixel of the screen that ruled out the last place. */
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

  /** The first place of a row, from `x` on, at which the first probe agrees; past the last place if there is none. */
  next(x: number, y: number): number {
    const { pixels, stride, width } = this.#screen, { tolerance } = this.#pattern;
    const color = this.#colors[0], from = y * stride + this.#offsets[0];
    const columns = width - this.#pattern.width + 1;
    while (x < columns && differ(pixels[from + x], color, tolerance)) x++;
    return x;
  }

  /** Tells whether none of the probes rules a place out. */
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
          this.#probes.splice(1, 0, i); // the first probe has the rarest colour, and stays first
          this.#prepareProbes();
        }
        return false;
      }
    }
    this.#budget.spend(colors.length);
    return true;
  }

  /** Notes which pixel of a place differed. */
  #ruleOut(x: number, y: number, column: number, row: number): void {
    this.#lastX = this.#columnX[x] = x + column;
    this.#lastY = this.#columnY[x] = y + row;
  }

  /** Tells whether a pixel of the screen that ruled out another place is part of this place and rules it out too. */
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
