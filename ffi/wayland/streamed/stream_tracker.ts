/** The place at which the streams of a desktop's displays show the pointer, which a person may move too. */

import { contains, type Point } from "../../../control/desktop.ts";
import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import type { PointerTracker } from "../connected_desktop.ts";
import type { Arrangement, PlacedOutput } from "../wire/geometry.ts";
import { nearest, type OwnMove } from "./remote_pointer.ts";

/**
 * The time without a change after which the streams are looked up again, in milliseconds, since displays may have
 * changed.
 */
const WAIT_MS = 500;
/** The time that a busy desktop may take to show a move in its streams, in milliseconds. */
const MOVE_SHOWN_MS = 2000;

/** An output, and the reader of its stream. */
export interface OutputReader {
  output: PlacedOutput;
  reader: FrameReader;
}

/** Follows the pointer in the streams. */
export class StreamTracker implements PointerTracker {
  /**
   * @param arrangement Gives the present places of the outputs.
   * @param begin Gives readers of the outputs' streams, and opens closed streams.
   * @param goOn Gives the readers while the pointer is followed; it does not open a session again that a person has
   * ended.
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
    const { x, y, width, height } = output.region; // a move to another display goes to its middle first
    return [{ x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) }, place];
  }
}

/**
 * Looks up the pointer's place. If the streams show the pointer, waits until they show deskhand's last move.
 * @param read Gives readers of the outputs' streams.
 * @param moved deskhand's last move.
 * @returns A pixel of the desktop; undefined where no stream shows the pointer.
 */
export async function shownPlace(
  read: () => Promise<OutputReader[]>,
  moved: OwnMove | undefined,
): Promise<Point | undefined> {
  for (;;) {
    const readers = await read(), changes = readers.map(({ reader }) => reader.changes);
    const place = placeIn(readers), left = moved ? moved.at + MOVE_SHOWN_MS - performance.now() : 0;
    const isShown = readers.some(({ reader }) => reader.pointerSeen);
    if (left <= 0 || !isShown || (place && isNear(place, moved!.point))) return place;
    await Promise.race(readers.map(({ reader }, i) => reader.changed(changes[i], left)));
  }
}

/** Desktops count places on scaled displays in logical pixels. */
function isNear(a: Point, b: Point): boolean {
  return Math.abs(a.x - b.x) <= 2 && Math.abs(a.y - b.y) <= 2;
}

/** The pixel of the desktop that the pointer is at; undefined where no stream shows it. */
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
