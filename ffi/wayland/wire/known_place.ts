/** The pointer's place, as far as it is known without a look at the desktop. */

import { type Button, contains, type Point, type Region } from "../../../control/desktop/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import type { Outputs } from "./outputs.ts";
import type { PointerQuery } from "./pointer.ts";

/** The age at which a known place is read again, in milliseconds, since a person may have moved the pointer. */
const KNOWN_MS = 100;

/** A desktop that can be asked for the pointer's place. */
interface PlaceSource {
  /** Looks where the pointer is; gives undefined if the desktop does not tell. */
  look(): Promise<Point | undefined>;
  /** The desktop's region. @throws DesktopUnavailableError if the desktop is gone. */
  region(): Region;
  /** The message of the error where the place is not known. */
  unknown: string;
  close?(): void;
}

/** The place that one connection knows. */
export class KnownPlace {
  #place: { point: Point; at: number } | undefined;
  readonly #down = new Set<Button>();
  #looking: Promise<Point> | undefined;

  constructor(readonly source: PlaceSource) {}

  /**
   * Makes a known place for a compositor that answers queries.
   * @param query The query; undefined if the compositor answers none. It is closed with the place.
   * @param nudge Moves the pointer by nothing, for {@linkcode PointerQuery.ask}.
   */
  static byQuery(outputs: Outputs, query: PointerQuery | undefined, nudge: () => void): KnownPlace {
    return new KnownPlace({
      look: async () => await query?.ask(nudge),
      region: () => outputs.arrangement().region,
      unknown: "the compositor does not say where the pointer is; move it once",
      close: () => query?.close(),
    });
  }

  /** The last known place; the first display's corner if there is none. */
  get last(): Point {
    return this.#place?.point ?? { x: 0, y: 0 };
  }

  /** Notes the place that the pointer was moved to just now. */
  set({ x, y }: Point): void {
    this.#place = { point: { x, y }, at: performance.now() };
  }

  /** Notes that a button was pressed (`down`) or released. */
  button(button: Button, down: boolean): void {
    if (down) this.#down.add(button);
    else this.#down.delete(button);
  }

  /**
   * Gives the pointer's place: the last known one while a button is down, since a compositor then gives no answer.
   * @throws StateError if the place is unknown; DesktopUnavailableError if the desktop is gone.
   */
  async now(): Promise<Point> {
    const known = this.#place, isHeld = this.#down.size > 0;
    if (!known || !isHeld && performance.now() - known.at >= KNOWN_MS) return await this.look();
    this.source.region();
    return known.point;
  }

  /**
   * Reads the place again, even if one is known; simultaneous calls share one reading.
   * @throws StateError if the place is not known.
   */
  look(): Promise<Point> {
    return this.#looking ??= this.#look().finally(() => this.#looking = undefined);
  }

  close(): void {
    this.source.close?.();
  }

  async #look(): Promise<Point> {
    const begun = performance.now(), point = await this.source.look();
    const isNewer = this.#place !== undefined && this.#place.at > begun; // a move during the look
    if (point && !isNewer) this.set(point);
    if (this.#place && contains(this.source.region(), this.#place.point)) return this.#place.point;
    throw new StateError(this.source.unknown);
  }
}
