/** Where the pointer is, as far as it is known without a question to the compositor. */

import { contains, type Point } from "../../../control/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import type { Connection } from "./connection.ts";
import type { Outputs } from "./outputs.ts";
import type { PointerQuery } from "./pointer_query.ts";

/** A place that is known is asked for again when it is this old, in milliseconds: a person may have moved. */
const KNOWN_MS = 100;

/** The place that one connection knows. */
export class KnownPlace {
  #place: { point: Point; at: number } | undefined;
  #asking: Promise<Point> | undefined;

  /**
   * @param query Asks the compositor; undefined if it lets no program ask. It is closed with this.
   * @param nudge Moves the pointer by nothing, as {@linkcode PointerQuery.ask} wants it.
   */
  constructor(
    readonly connection: Connection,
    readonly outputs: Outputs,
    readonly query: PointerQuery | undefined,
    readonly nudge: () => void,
  ) {}

  /** Where the pointer was last known to be; the first display's corner if it never was. */
  get last(): Point {
    return this.#place?.point ?? { x: 0, y: 0 };
  }

  /** Notes where the pointer was moved just now. */
  set({ x, y }: Point): void {
    this.#place = { point: { x, y }, at: performance.now() };
  }

  /**
   * Where the pointer is.
   * @param isHeld Whether a button is down: then the compositor gives no answer, and the known place counts.
   */
  now(isHeld: boolean): Point | Promise<Point> {
    const known = this.#place;
    if (!known || !isHeld && performance.now() - known.at >= KNOWN_MS) return this.ask();
    this.connection.dispatch();
    return known.point;
  }

  /**
   * Asks the compositor, also if a place is known; calls at the same time share one question.
   * @throws StateError if it never said.
   */
  ask(): Promise<Point> {
    return this.#asking ??= this.#ask().finally(() => this.#asking = undefined);
  }

  close(): void {
    this.query?.close();
  }

  async #ask(): Promise<Point> {
    const asked = performance.now(), point = await this.query?.ask(this.nudge);
    // A move that was made meanwhile is newer than the answer.
    if (this.#place && this.#place.at > asked) return this.#place.point;
    if (point) this.set(point);
    if (this.#place && contains(this.outputs.arrangement().region, this.#place.point)) {
      return this.#place.point;
    }
    throw new StateError("the compositor does not say where the pointer is; move it once");
  }
}
