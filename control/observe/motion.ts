/**
 * The changes of a screen over time, and which of them happen on their own: a blinking caret, a video. Pure:
 * times are arguments, in milliseconds on one clock.
 */

import { now } from "../../core/until.ts";
import { intersection, isSameRegion, type Region, united } from "../desktop/desktop.ts";
import { joined, touches, widened } from "../desktop/geometry.ts";

// Changed regions, counted by cells.

/** Whether a region lies entirely within another. */
export function isInside(inner: Region, outer: Region): boolean {
  const common = intersection(inner, outer);
  return common !== undefined && isSameRegion(common, inner);
}

/** Maximum size of a small picture, such as a caret, in pixels. */
const SMALL = { width: 24, height: 48 } as const;
/** Maximum number of small regions per change that are joined with neighbours; a video changes hundreds. */
const MOST_SMALL = 32;

function isSmall({ width, height }: Region): boolean {
  return width <= SMALL.width && height <= SMALL.height;
}

/**
 * Joins small pictures that tile borders cut: a caret is recognized by its whole shape.
 * @param regions At most one per tile.
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

/** Columns and rows of cells, counted from the desktop's origin, inclusive. */
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

/** Changes found by one reading of the screen. */
export interface Change {
  at: number;
  regions: readonly Region[];
}

/** How long after an action changes may be its effects, in milliseconds. */
const EFFECT_MS = 300;
/**
 * How long before a moment a part that moves on its own must have moved, in milliseconds; the slowest carets
 * take 1.2 s.
 */
const RECENT_MS = 2500;
/** Minimum time between two changes that count as two movements, in milliseconds. */
const APART_MS = 100;
/** How long changes and carets are remembered, in milliseconds. */
const KEPT_MS = 30_000;
/** Maximum number of remembered changes and actions. */
const KEPT = 1000;
/** How long a screen must be watched until everything that moves on its own has done so, in milliseconds. */
const KNOWN_MS = 1500;
/**
 * Maximum distance in pixels between cells of one moving picture, and maximum number of moving pictures that
 * are distinguished.
 */
const NEAR = 48, MOST_AREAS = 16;
/** Share of moving cells from which a region counts as moving on its own. */
const MOVING_SHARE = 0.8;

/** The history of a screen. */
export class Motion {
  readonly #changes: Change[] = [];
  #count = 0;
  readonly #actions: number[] = [];
  /** Times of caret-like changes, by place and size. */
  readonly #carets = new Map<string, number[]>();

  /** @param since When watching started. */
  constructor(readonly since: number) {}

  /** Adds changes, which must not be older than those added before. */
  add(change: Change): void {
    this.#count++;
    this.#changes.push(change);
    for (const region of change.regions) if (isCaret(region)) this.#addCaret(region, change.at);
    const oldest = change.at - KEPT_MS;
    while (this.#changes.length > KEPT || this.#changes[0].at < oldest) this.#changes.shift();
    for (const [key, times] of this.#carets) if (times.at(-1)! < oldest) this.#carets.delete(key);
  }

  /** Number of changes added so far. */
  get count(): number {
    return this.#count;
  }

  /** Records an action by deskhand: later changes may be its effects. */
  acted(at: number): void {
    this.#actions.push(at);
    while (this.#actions.length > KEPT || this.#actions[0] < at - KEPT_MS) this.#actions.shift();
  }

  /**
   * The changes after a moment.
   * @param known Count after which changes are requested; 0 for all.
   */
  after(at: number, known = 0): Change[] {
    const { length } = this.#changes, past = this.#changes.findLastIndex((change) => change.at <= at) + 1;
    return this.#changes.slice(Math.max(past, length - (this.#count - known)));
  }

  /** Whether any of the changes is in a part that did not move on its own at a moment. */
  hasOwn(changes: readonly Change[], at: number): boolean {
    if (!changes.length) return false;
    const moving = this.movingAt(at);
    return changes.some(({ regions }) => regions.some((region) => !moving.has(region)));
  }

  /**
   * Whether everything on the screen that does not move on its own is as it was.
   * @param count The number of changes at that time.
   */
  isSameSince(count: number): boolean {
    return count === this.#count || !this.hasOwn(this.after(-Infinity, count), now());
  }

  /** Whether the screen had been watched long enough to know which parts move on their own. */
  isKnown(at: number): boolean {
    return at - this.since >= KNOWN_MS;
  }

  /** The regions that move on their own at a moment, judging by the changes before it. */
  movingAt(at: number): Moving {
    // Finds the carets now, since only the last times of each place are stored; cells are counted on demand.
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

/**
 * The cells that moved repeatedly. Uses arrays, since a scrolling terminal changes 100,000 cells within
 * `RECENT_MS`.
 */
class MovingCells {
  readonly #span: Span;
  readonly #columns: number;
  /** 1 for each cell that moved repeatedly, row by row. */
  readonly #isMoving: Uint8Array;

  /** @param changes From oldest to newest. */
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

  /** The share of a region's cells that moved repeatedly, from 0 to 1. */
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

  /** Bounding boxes of groups of nearby cells, in pixels. */
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

/** The regions that move on their own. */
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
   * Whether a region belongs to a larger moving area though it seldom changes itself, such as a line of text
   * below a video.
   */
  surrounds(region: Region): boolean {
    this.#areas ??= this.#counted.areas().map((area) => widened(area, CELL));
    return this.#areas.some((area) => isInside(region, area));
  }

  /** The share of a region that moves on its own, from 0 to 1. */
  shareOf(region: Region): number {
    return this.#counted.shareOf(region);
  }

  /** Whether a change of a region is just another movement of its own. */
  has(region: Region): boolean {
    if (this.carets.size && this.carets.has(keyOf(region))) return true;
    return this.shareOf(region) >= MOVING_SHARE;
  }
}

const keyOf = ({ x, y, width, height }: Region) => `${x},${y},${width},${height}`;

/**
 * Whether a region has the shape of a caret: a thin line, or one character cell of a terminal.
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
