/**
 * The changes of a screen over time, and which of them happen by themselves: a caret that blinks, a video. Pure: times
 * are given, in milliseconds of one clock.
 */

import { intersection, isSameRegion, type Point, type Region, united } from "../desktop/desktop.ts";
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

/** The numbers of the cells that a region touches. */
function* cellsOf({ x, y, width, height }: Region): Generator<number> {
  const right = Math.floor((x + width - 1) / CELL), bottom = Math.floor((y + height - 1) / CELL);
  for (let row = Math.floor(y / CELL); row <= bottom; row++) {
    for (let column = Math.floor(x / CELL); column <= right; column++) yield cell(column, row);
  }
}

/** Number of a cell; columns are from -32,768 to 32,767. */
function cell(column: number, row: number): number {
  return row * 65536 + column;
}

/** Top left corner of a cell, in pixels. */
function placeOf(cell: number): Point {
  const row = Math.round(cell / 65536);
  return { x: (cell - row * 65536) * CELL, y: row * CELL };
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

  /** The changes after a moment. */
  after(at: number): Change[] {
    return this.#changes.slice(this.#changes.findLastIndex((change) => change.at <= at) + 1);
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

  #movingCells(at: number): Set<number> {
    const times = new Map<number, number[]>(), counted = new Map<number, number>();
    const first = this.#changes.findLastIndex((change) => change.at < at - RECENT_MS) + 1;
    for (let i = first; i < this.#changes.length && this.#changes[i].at <= at; i++) {
      const change = this.#changes[i];
      if (this.#isEffect(change.at)) continue;
      for (const region of change.regions) {
        if (isCounted(counted, region, change.at)) continue;
        for (const cell of cellsOf(region)) {
          const known = times.get(cell);
          if (!known) times.set(cell, [change.at]);
          else if (change.at - known.at(-1)! >= APART_MS) known.push(change.at);
        }
      }
    }
    return new Set([...times].filter(([, known]) => known.length > 1).map(([cell]) => cell));
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

/** The regions that move by themselves. */
export class Moving {
  #cells: ReadonlySet<number> | undefined;
  #areas: readonly Region[] | undefined;

  /**
   * @param count Counts the cells that moved repeatedly.
   * @param carets The places of carets.
   */
  constructor(readonly count: () => ReadonlySet<number>, readonly carets: ReadonlySet<string>) {}

  /** The cells that moved repeatedly. */
  get cells(): ReadonlySet<number> {
    return this.#cells ??= this.count();
  }

  /**
   * Whether a region belongs to a larger moving area though the region itself seldom changes, such as a line of
   * text below a film.
   */
  surrounds(region: Region): boolean {
    this.#areas ??= areasOf(this.cells).map((area) => widened(area, CELL));
    return this.#areas.some((area) => isInside(region, area));
  }

  /** The part of a region that moves by itself, from 0 to 1. */
  shareOf(region: Region): number {
    const { cells } = this;
    let all = 0, moving = 0;
    for (const cell of cellsOf(region)) {
      all++;
      if (cells.has(cell)) moving++;
    }
    return all && moving / all;
  }

  /** Whether a change of a region is another movement that the region makes by itself. */
  has(region: Region): boolean {
    if (this.carets.has(keyOf(region))) return true;
    return this.shareOf(region) >= MOVING_SHARE;
  }
}

/**
 * Joins cells that are near each other.
 * @returns Their boxes, in pixels.
 */
function areasOf(cells: ReadonlySet<number>): Region[] {
  const runs: Region[] = [];
  for (const { x, y } of [...cells].sort((a, b) => a - b).map(placeOf)) {
    const last = runs.at(-1);
    if (last?.y === y && last.x + last.width + NEAR >= x) last.width = x + CELL - last.x;
    else runs.push({ x, y, width: CELL, height: CELL });
  }
  return joined(runs, MOST_AREAS, NEAR);
}

/**
 * Whether a small region changed already less than {@linkcode APART_MS} before: a video changes the same
 * regions again and again.
 */
function isCounted(counted: Map<number, number>, { x, y, width, height }: Region, at: number): boolean {
  if (width > 64 || height > 64) return false;
  const key = (((y + 32768) * 65536 + x + 32768) * 128 + width) * 128 + height, last = counted.get(key);
  if (last !== undefined && at - last < APART_MS) return true;
  counted.set(key, at);
  return false;
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
