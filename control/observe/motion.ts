/**
 * The changes of a screen over time, and which of them happen by themselves: a caret that blinks, a video. Pure: times
 * are given, in milliseconds of one clock.
 */

import { intersection, isSameRegion, type Region, united } from "../desktop/desktop.ts";
import { joined, touches, widened } from "../desktop/geometry.ts";

// Regions of change, counted by cells.

/** Whether a region has no pixel outside another. */
export function isInside(inner: Region, outer: Region): boolean {
  const common = intersection(inner, outer);
  return common !== undefined && isSameRegion(common, inner);
}

/** Size of a picture that is small, in pixels: a caret. */
const SMALL = { width: 24, height: 48 } as const;
/** The most small regions of one change for which neighbours are sought; a film changes hundreds. */
const MOST_SMALL = 32;

function isSmall({ width, height }: Region): boolean {
  return width <= SMALL.width && height <= SMALL.height;
}

/**
 * Joins the parts of small pictures that the borders of tiles cut: a caret is known by its whole shape.
 * @param regions One or fewer of each tile.
 * @example
 * uncut([{ x: 9, y: 62, width: 5, height: 2 }, { x: 9, y: 64, width: 5, height: 11 }]); // [{ x: 9, y: 62, width: 5, height: 13 }]
 */
export function uncut(regions: readonly Region[]): readonly Region[] {
  const parts = regions.filter(isSmall);
  if (parts.length < 2 || parts.length > MOST_SMALL) return regions;
  const wholes: Region[] = [];
  for (const part of parts) {
    let whole = part;
    for (;;) {
      const at = wholes.findIndex((one) => touches(widened(one, 1), whole) && isSmall(united(one, whole)));
      if (at < 0) break;
      whole = united(whole, wholes.splice(at, 1)[0]);
    }
    wholes.push(whole);
  }
  return [...regions.filter((region) => !isSmall(region)), ...wholes];
}

/** Width and height of a cell, in pixels. */
const CELL = 16;

/** Columns and rows of cells, counted from the origin of the desktop, the last ones included. */
interface Span {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The cells that a region touches. */
function spanOf({ x, y, width, height }: Region): Span {
  return {
    left: Math.floor(x / CELL),
    top: Math.floor(y / CELL),
    right: Math.floor((x + width - 1) / CELL),
    bottom: Math.floor((y + height - 1) / CELL),
  };
}

/** Changes that one reading of the screen found. */
export interface Change {
  at: number;
  regions: readonly Region[];
}

/** Changes within this time after an action may be effects of the action. */
const EFFECT_MS = 300;
/** The time before a moment within which a part that moves by itself must have moved; the slowest carets take 1.2 s. */
const RECENT_MS = 2500;
/** The shortest time between two changes that count as two movements. */
const APART_MS = 100;
/** The time that changes and carets are remembered, in milliseconds. */
const KEPT_MS = 30_000;
/** The most changes and actions that are remembered. */
const KEPT = 1000;
/** The time that a screen must have been watched until all that moves by itself has shown it. */
const KNOWN_MS = 1500;
/**
 * The distance in pixels within which cells belong to one moving picture, and the number of moving pictures that are
 * told apart.
 */
const NEAR = 48, MOST_AREAS = 16;
/** The share of moving cells from which a region counts as moving by itself. */
const MOVING_SHARE = 0.8;

/** The past of a screen. */
export class Motion {
  readonly #changes: Change[] = [];
  #count = 0;
  readonly #actions: number[] = [];
  /** The times of changes that look like a caret's, by place and size. */
  readonly #carets = new Map<string, number[]>();

  /** @param since When the watching began. */
  constructor(readonly since: number) {}

  /** Adds changes, which must not be older than the changes added last. */
  add(change: Change): void {
    this.#count++;
    this.#changes.push(change);
    for (const region of change.regions) if (isCaret(region)) this.#addCaret(region, change.at);
    const oldest = change.at - KEPT_MS;
    while (this.#changes.length > KEPT || this.#changes[0].at < oldest) this.#changes.shift();
    for (const [key, times] of this.#carets) if (times.at(-1)! < oldest) this.#carets.delete(key);
  }

  /** The number of changes that were ever added. */
  get count(): number {
    return this.#count;
  }

  /** Notes an action of deskhand: later changes may be its effects. */
  acted(at: number): void {
    this.#actions.push(at);
    while (this.#actions.length > KEPT || this.#actions[0] < at - KEPT_MS) this.#actions.shift();
  }

  /**
   * The changes after a moment.
   * @param known The count of changes whose later ones alone are asked for; 0 for all.
   */
  after(at: number, known = 0): Change[] {
    const { length } = this.#changes, past = this.#changes.findLastIndex((change) => change.at <= at) + 1;
    return this.#changes.slice(Math.max(past, length - (this.#count - known)));
  }

  /** Whether the screen was watched long enough before a moment to know which parts move by themselves. */
  isKnown(at: number): boolean {
    return at - this.since >= KNOWN_MS;
  }

  /** The regions that move by themselves at a moment, as far as the changes before it tell. */
  movingAt(at: number): Moving {
    // Finds the carets now, since only the last times of each cell are kept; cells are counted on demand.
    const carets = new Set(
      [...this.#carets].filter(([, known]) => isRepeated(known.filter((time) => time <= at))).map(([key]) =>
        key
      ),
    );
    return new Moving(() => this.#movingCells(at), carets);
  }

  #movingCells(at: number): MovingCells {
    const first = this.#changes.findLastIndex((change) => change.at < at - RECENT_MS) + 1;
    const recent = this.#changes.slice(first).filter((change) =>
      change.at <= at && !this.#isEffect(change.at)
    );
    return new MovingCells(recent);
  }

  #isEffect(at: number): boolean {
    const action = this.#actions.findLast((action) => action <= at);
    return action !== undefined && at < action + EFFECT_MS;
  }

  #addCaret(region: Region, at: number): void {
    const key = keyOf(region), times = this.#carets.get(key) ?? [];
    this.#carets.set(key, [...times.slice(-3), at]);
  }
}

/** A region that touches no cell. */
const NOWHERE: Region = { x: 0, y: 0, width: 0, height: 0 };

/** The cells that moved repeatedly. Arrays, since a terminal that scrolls changes 100,000 cells within `RECENT_MS`. */
class MovingCells {
  readonly #span: Span;
  readonly #columns: number;
  /** 1 for each cell that moved repeatedly, row by row. */
  readonly #isMoving: Uint8Array;

  /** @param changes From old to new. */
  constructor(changes: readonly Change[]) {
    const { left, top, right, bottom } = this.#span = spanOf(
      changes.flatMap(({ regions }) => regions).reduce<Region | undefined>(united, undefined) ?? NOWHERE,
    );
    const columns = this.#columns = right - left + 1, count = columns * (bottom - top + 1);
    const first = new Float64Array(count).fill(Infinity);
    this.#isMoving = new Uint8Array(count);
    for (const { at, regions } of changes) {
      for (const region of regions) {
        const part = spanOf(region);
        for (let row = part.top - top; row <= part.bottom - top; row++) {
          for (let i = row * columns + part.left - left; i <= row * columns + part.right - left; i++) {
            if (at < first[i]) first[i] = at;
            else if (at - first[i] >= APART_MS) this.#isMoving[i] = 1;
          }
        }
      }
    }
  }

  /** The part of a region's cells that moved repeatedly, from 0 to 1. */
  shareOf(region: Region): number {
    const { left, top, right, bottom } = this.#span, part = spanOf(region);
    let moving = 0;
    for (let row = Math.max(part.top, top); row <= Math.min(part.bottom, bottom); row++) {
      const start = (row - top) * this.#columns - left, last = Math.min(part.right, right);
      for (let column = Math.max(part.left, left); column <= last; column++) {
        moving += this.#isMoving[start + column];
      }
    }
    return moving / ((part.right - part.left + 1) * (part.bottom - part.top + 1));
  }

  /** The boxes of cells that are near each other, in pixels. */
  areas(): Region[] {
    const { left, top } = this.#span, runs: Region[] = [];
    for (let i = this.#isMoving.indexOf(1); i >= 0; i = this.#isMoving.indexOf(1, i + 1)) {
      const x = (left + i % this.#columns) * CELL, y = (top + Math.floor(i / this.#columns)) * CELL;
      const last = runs.at(-1);
      if (last?.y === y && last.x + last.width + NEAR >= x) last.width = x + CELL - last.x;
      else runs.push({ x, y, width: CELL, height: CELL });
    }
    return joined(runs, MOST_AREAS, NEAR);
  }
}

/** The regions that move by themselves. */
export class Moving {
  #cells: MovingCells | undefined;
  #areas: readonly Region[] | undefined;

  /**
   * @param count Counts the cells that moved repeatedly.
   * @param carets The places of carets.
   */
  constructor(readonly count: () => MovingCells, readonly carets: ReadonlySet<string>) {}

  get #counted(): MovingCells {
    return this.#cells ??= this.count();
  }

  /**
   * Whether a region belongs to a larger moving area though the region itself seldom changes, such as a line of
   * text below a film.
   */
  surrounds(region: Region): boolean {
    this.#areas ??= this.#counted.areas().map((area) => widened(area, CELL));
    return this.#areas.some((area) => isInside(region, area));
  }

  /** The part of a region that moves by itself, from 0 to 1. */
  shareOf(region: Region): number {
    return this.#counted.shareOf(region);
  }

  /** Whether a change of a region is another movement that the region makes by itself. */
  has(region: Region): boolean {
    if (this.carets.size && this.carets.has(keyOf(region))) return true;
    return this.shareOf(region) >= MOVING_SHARE;
  }
}

const keyOf = ({ x, y, width, height }: Region) => `${x},${y},${width},${height}`;

/**
 * Whether a region has the shape of a caret: a thin line, or the cell of one character of a terminal.
 * @example
 * isCaret({ x: 0, y: 0, width: 1, height: 17 }); // true
 * isCaret({ x: 0, y: 0, width: 16, height: 16 }); // false
 */
export function isCaret({ width, height }: Region): boolean {
  return height <= 48 && (width <= 3 && height >= 6 || width <= 24 && height >= 1.4 * width);
}

function isRepeated(times: readonly number[]): boolean {
  return times.length > 1 && times.at(-1)! - times[0] >= APART_MS;
}
