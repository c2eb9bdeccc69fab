/** The pointer of a desktop that receives input over its bus, and shows the pointer in its pictures. */

import {
  type Button,
  contains,
  type Direction,
  middleOf,
  type Point,
} from "../../../control/desktop/desktop.ts";
import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import type { ConnectedPointer, PointerTracker } from "../way.ts";
import { AXES, BUTTON_CODES } from "../wire/keymaps.ts";
import { KnownPlace } from "../wire/known_place.ts";
import type { Arrangement, PlacedOutput } from "../wire/outputs.ts";
import type { RemoteInput } from "./remote_input.ts";

/** One of deskhand's own moves: where to, in pixels of the desktop, and when, by `performance.now()`. */
interface OwnMove {
  point: Point;
  at: number;
}

/** Moves and presses with {@linkcode RemoteInput}. */
export class RemotePointer implements ConnectedPointer {
  readonly #place: KnownPlace;
  #moved: OwnMove | undefined;

  /**
   * @param arrangement Returns the outputs' current positions.
   * @param cursor Looks up the pointer's position after the last move, in pixels of the desktop; undefined if
   * the desktop does not show it.
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
 * The output at a position. For a position outside all outputs, where a pointer cannot be, the nearest
 * output.
 * @param point In pixels of the desktop.
 * @returns The output, and the nearest position on it.
 */
function nearest({ outputs }: Arrangement, point: Point): { output: PlacedOutput; place: Point } {
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

// The pointer's position as shown by the displays' streams; a person may move the pointer, too.

/**
 * Time without a change after which the streams are looked up again, in case displays have changed, in
 * milliseconds.
 */
const WAIT_MS = 500;
/** Maximum time for a busy desktop to show a move in its streams, in milliseconds. */
const MOVE_SHOWN_MS = 2000;

/** An output, and its stream's reader. */
export interface OutputReader {
  output: PlacedOutput;
  reader: FrameReader;
}

/** Follows the pointer in the streams. */
export class StreamTracker implements PointerTracker {
  /**
   * @param arrangement Returns the outputs' current positions.
   * @param begin Returns readers of the outputs' streams, and opens closed streams.
   * @param goOn Returns the readers while the pointer is followed; it does not reopen a session that a person
   * has ended.
   */
  constructor(
    readonly arrangement: () => Arrangement,
    readonly begin: () => Promise<OutputReader[]>,
    readonly goOn: () => Promise<OutputReader[]> = begin,
  ) {}

  async *places(signal: AbortSignal): AsyncGenerator<Point | undefined, void> {
    for (let read = this.begin; !signal.aborted; read = this.goOn) {
      const readers = await read(), seen = readers.map(({ reader }) => reader.changes);
      yield placeIn(readers);
      await changed(readers, seen, signal);
    }
  }

  expectedPlaces(point: Point): Point[] {
    const arrangement = this.arrangement(), { output, place } = nearest(arrangement, point);
    if (arrangement.outputs.length < 2) return [place];
    return [middleOf(output.region), place]; // a move to another display first goes to its middle
  }
}

/**
 * Looks up the pointer's position. If the streams show the pointer, waits until they show deskhand's last
 * move.
 * @param read Returns readers of the outputs' streams.
 * @param moved deskhand's last move.
 * @returns A pixel of the desktop; undefined if no stream shows the pointer.
 */
export async function shownPlace(
  read: () => Promise<OutputReader[]>,
  moved: OwnMove | undefined,
): Promise<Point | undefined> {
  for (;;) {
    const readers = await read(), changes = readers.map(({ reader }) => reader.changes);
    const place = placeIn(readers), left = moved ? moved.at + MOVE_SHOWN_MS - performance.now() : 0;
    const isShown = readers.some(({ reader }) => reader.pointerSeen);
    if (left <= 0 || !isShown || (place && isSame(place, moved!.point, grainOf(readers)))) return place;
    await Promise.race(readers.map(({ reader }, i) => reader.changed(changes[i], left)));
  }
}

/** The distance between neighbouring positions that streams may show, in pixels of the desktop: a logical pixel. */
function grainOf(readers: readonly OutputReader[]): number {
  const grains = readers.map(({ output: { scale, region }, reader: { memory } }) =>
    scale * region.width / memory.width
  );
  return Math.max(1, ...grains);
}

/** Whether two positions are the same where a stream cannot show them more precisely than to the grain. */
function isSame(a: Point, b: Point, grain: number): boolean {
  return Math.abs(a.x - b.x) < grain && Math.abs(a.y - b.y) < grain;
}

/** The pixel of the desktop at the pointer; undefined if no stream shows it. */
export function placeIn(readers: readonly OutputReader[]): Point | undefined {
  for (const { output: { region }, reader } of readers) {
    const pointer = reader.pointer(), { width, height } = reader.memory;
    if (!pointer) continue;
    const x = region.x + Math.floor(pointer.x * region.width / width);
    const y = region.y + Math.floor(pointer.y * region.height / height);
    if (contains(region, { x, y })) return { x, y };
  }
  return undefined;
}

/** Waits until a stream has changed, some time has passed, or the signal is aborted. */
async function changed(readers: OutputReader[], seen: number[], signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>(), end = () => resolve();
  signal.addEventListener("abort", end, { once: true });
  readers.forEach(({ reader }, i) => void reader.changed(seen[i], WAIT_MS).then(end));
  await promise;
  signal.removeEventListener("abort", end);
}
