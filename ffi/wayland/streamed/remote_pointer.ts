/** The pointer of a desktop that takes input over its bus, and shows where the pointer is in its pictures. */

import type { Button, Direction, Point } from "../../../control/desktop.ts";
import type { ConnectedPointer } from "../connected_desktop.ts";
import type { Arrangement, PlacedOutput } from "../wire/geometry.ts";
import { AXES, BUTTON_CODES } from "../wire/input_codes.ts";
import { KnownPlace } from "../wire/known_place.ts";
import type { RemoteInput } from "./remote_input.ts";

/** A move of deskhand's own: where to, in pixels of the desktop, and when, as `performance.now()` has it. */
export interface OwnMove {
  point: Point;
  at: number;
}

/** Moves and presses by {@linkcode RemoteInput}. */
export class RemotePointer implements ConnectedPointer {
  readonly #place: KnownPlace;
  #moved: OwnMove | undefined;

  /**
   * @param arrangement Where the outputs are now.
   * @param cursor Looks where the pointer is after the last move, in pixels of the desktop; undefined if the desktop
   *   does not show it.
   */
  constructor(
    readonly input: RemoteInput,
    readonly arrangement: () => Arrangement,
    cursor: (moved: OwnMove | undefined) => Promise<Point | undefined>,
  ) {
    this.#place = new KnownPlace({
      look: () => cursor(this.#moved),
      region: () => arrangement().region,
      unknown: "the desktop does not show where the pointer is; move it once",
    });
  }

  get lastPlace(): Point {
    return this.#place.last;
  }

  position(): Promise<Point> {
    return this.#place.now();
  }

  async move(point: Point): Promise<void> {
    const { output, place } = nearest(this.arrangement(), point), { x, y, width, height } = output.region;
    await this.input.move(output, { x: (place.x - x) / width, y: (place.y - y) / height });
    this.#place.set(place);
    this.#moved = { point: place, at: performance.now() };
  }

  async button(button: Button, down: boolean): Promise<void> {
    await this.input.button(BUTTON_CODES[button], down);
  }

  async scroll(direction: Direction, amount: number): Promise<void> {
    const [axis, sign] = AXES[direction];
    for (let i = 0; i < amount; i++) await this.input.scroll(axis, sign);
  }
}

/**
 * The output at a place. For a place outside of all outputs, where a pointer cannot be, it is the nearest output.
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
