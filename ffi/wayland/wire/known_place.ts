/** The pointer's position, as far as it is known without asking the desktop. */

import { type Button, contains, type Point, type Region } from "../../../control/desktop/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import type { Outputs } from "./outputs.ts";
import type { PointerQuery } from "./pointer.ts";

/**
 * Age at which a known position is read again, in milliseconds, since a person may have moved the pointer.
 */
const KNOWN_MS = 100;

/** A desktop that can be asked for the pointer's position. */
interface PlaceSource {
  /** Looks up the pointer's position; returns undefined if the desktop does not report it. */
  look(): Promise<Point | undefined>;
  /** The desktop's region. @throws DesktopUnavailableError if the desktop is gone. */
  region(): Region;
  /** The error message for an unknown position. */
  unknown: string;
  close?(): void;
}

/** The position known to one connection. */
export class KnownPlace {
  #place: { point: Point; at: number } | undefined;
  readonly #down = new Set<Button>();
  #looking: Promise<Point> | undefined;

  constructor(readonly source: PlaceSource) {}

  /**
   * Creates a known position for a compositor that answers queries.
   * @param query The query, which is closed with the position; undefined if the compositor answers none.
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

  /** The last known position; the first display's corner if there is none. */
  get last(): Point {
    return this.#place?.point ?? { x: 0, y: 0 };
  }

  /** Records the position to which the pointer was just moved. */
  set({ x, y }: Point): void {
    this.#place = { point: { x, y }, at: performance.now() };
  }

  /** Records that a button was pressed (`down`) or released. */
  button(button: Button, down: boolean): void {
    if (down) this.#down.add(button);
    else this.#down.delete(button);
  }

  /**
   * Returns the pointer's position: the last known one while a button is down, since a compositor then does
   * not answer.
   * @throws StateError if the position is unknown; DesktopUnavailableError if the desktop is gone.
   */
  async now(): Promise<Point> {
    const known = this.#place, isHeld = this.#down.size > 0;
    if (!known || !isHeld && performance.now() - known.at >= KNOWN_MS) return await this.look();
    this.source.region();
    return known.point;
  }

  /**
   * Reads the position again, even if one is known; simultaneous calls share one query.
   * @throws StateError if the position is unknown.
   */
  look(): Promise<Point> {
    return this.#looking ??= this.#look().finally(() => this.#looking = undefined);
  }

  close(): void {
    this.source.close?.();
  }

  async #look(): Promise<Point> {
    const begun = performance.now(), point = await this.source.look();
    const isNewer = this.#place !== undefined && this.#place.at > begun; // a move during the query
    if (point && !isNewer) this.set(point);
    if (this.#place && contains(this.source.region(), this.#place.point)) return this.#place.point;
    throw new StateError(this.source.unknown);
  }
}
