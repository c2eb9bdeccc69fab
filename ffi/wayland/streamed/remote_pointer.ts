/** The pointer of a desktop that takes input over its bus, and shows where the pointer is in its pictures. */

import { type Button, contains, type Direction, type Point } from "../../../control/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import type { ConnectedPointer } from "../connected_desktop.ts";
import type { Arrangement, PlacedOutput } from "../wire/geometry.ts";
import { BUTTON_CODES } from "../wire/input_codes.ts";
import type { Axis, RemoteInput } from "./remote_input.ts";

/** A place that is known is looked for again when it is this old, in milliseconds: a person may have moved. */
const KNOWN_MS = 100;
/** The axis of each direction and the sign of its notches. */
const WHEEL: Readonly<Record<Direction, readonly [axis: Axis, sign: number]>> = {
  up: ["vertical", -1],
  down: ["vertical", 1],
  left: ["horizontal", -1],
  right: ["horizontal", 1],
};

/** A move of deskhand's own: where to, in pixels of the desktop, and when, as `performance.now()` has it. */
export interface OwnMove {
  point: Point;
  at: number;
}

/** Moves and presses by {@linkcode RemoteInput}. */
export class RemotePointer implements ConnectedPointer {
  /** Where the pointer was known to be last, and since when. */
  #place: OwnMove | undefined;
  #moved: OwnMove | undefined;

  /**
   * @param arrangement Where the outputs are now.
   * @param cursor Looks where the pointer is after the last move, in pixels of the desktop; undefined if the desktop
   *   does not show it.
   */
  constructor(
    readonly input: RemoteInput,
    readonly arrangement: () => Arrangement,
    readonly cursor: (moved: OwnMove | undefined) => Promise<Point | undefined>,
  ) {}

  get lastPlace(): Point {
    return this.#place?.point ?? { x: 0, y: 0 };
  }

  position(): Point | Promise<Point> {
    this.arrangement(); // throws if the desktop is gone
    const known = this.#place;
    return known && performance.now() - known.at < KNOWN_MS ? known.point : this.#look();
  }

  async move(point: Point): Promise<void> {
    const { output, place } = nearest(this.arrangement(), point), { x, y, width, height } = output.region;
    await this.input.move(output, { x: (place.x - x) / width, y: (place.y - y) / height });
    this.#place = this.#moved = { point: place, at: performance.now() };
  }

  async button(button: Button, down: boolean): Promise<void> {
    await this.input.button(BUTTON_CODES[button], down);
  }

  async scroll(direction: Direction, amount: number): Promise<void> {
    const [axis, sign] = WHEEL[direction];
    for (let i = 0; i < amount; i++) await this.input.scroll(axis, sign);
  }

  async #look(): Promise<Point> {
    const looked = performance.now(), point = await this.cursor(this.#moved);
    // A move that was made meanwhile is newer.
    if (point && !(this.#place && this.#place.at > looked)) this.#place = { point, at: performance.now() };
    if (this.#place && contains(this.arrangement().region, this.#place.point)) return this.#place.point;
    throw new StateError("the desktop does not show where the pointer is; move it once");
  }
}

/**
 * The output at a place. Between outputs of different sizes, where a pointer cannot be, it is the nearest one.
 * @param point In pixels of the desktop.
 * @returns The output, and the place on it that is nearest.
 */
export function nearest({ outputs }: Arrangement, point: Point): { output: PlacedOutput; place: Point } {
  const places = outputs.map((output) => {
    const { x, y, width, height } = output.region;
    const place = { x: clamp(point.x, x, x + width - 1), y: clamp(point.y, y, y + height - 1) };
    return { output, place, distance: Math.hypot(place.x - point.x, place.y - point.y) };
  });
  return places.reduce((best, one) => one.distance < best.distance ? one : best);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
