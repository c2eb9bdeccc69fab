/** Tells a person's moves from deskhand's own, where a desktop shows only where the pointer is. Pure. */

import type { InputAction, ObservedAction, Point } from "../../../control/desktop.ts";

/**
 * The time that a seen move waits for the report that it was deskhand's own, in milliseconds; the reports of a replay
 * come from another thread.
 */
const HOLD_MS = 100;
/** The time that a move of deskhand's own may take to be seen, in milliseconds: the compositor may be busy. */
const SHOWN_MS = 5000;
/**
 * The distance at which a move of deskhand's own may be seen from its place, in pixels: scaled displays show places in
 * logical pixels.
 */
const TOLERANCE = 2;

/** Holds seen actions back until it is clear that a person did them. Times are in epoch milliseconds. */
export class SeenMoves {
  /** The destinations of deskhand's moves that were not seen yet, in their order. */
  #own: { point: Point; at: number }[] = [];
  /** Actions that were seen, in their order. */
  readonly #held: ObservedAction[] = [];
  #place: Point | undefined;

  /** The last seen place of the pointer; undefined if it was never seen. */
  get place(): Point | undefined {
    return this.#place;
  }

  /** Tells whether any action is held back. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Notes the places of deskhand's own move, on its way and at its end. */
  own(points: readonly Point[], at: number): void {
    this.#own = this.#own.filter((one) => at - one.at < SHOWN_MS);
    for (const point of points) this.#own.push({ point, at });
  }

  /** Notes where the pointer is. The first place is where it was before, and may be older than the last own move. */
  see({ x, y }: Point, at: number): void {
    const before = this.#place;
    this.#place = { x, y };
    if (!before) this.#isOwn(this.#place);
    else if (before.x !== x || before.y !== y) {
      this.#held.push({ action: { type: "move", x, y }, at, injected: false });
    }
  }

  /** Notes a person's other actions, as their devices report them; the places are those that were seen. */
  add({ action, ...seen }: ObservedAction): void {
    if (action.type === "move") return;
    this.#held.push({ ...seen, action: this.#placed(action) });
  }

  /**
   * Gives the actions of a person that are certain by now.
   * @param now The present time; Infinity returns all actions.
   */
  settled(now: number): ObservedAction[] {
    const done: ObservedAction[] = [];
    while (this.#held.length && this.#held[0].at <= now - HOLD_MS) {
      const seen = this.#held.shift()!;
      if (seen.action.type !== "move" || !this.#isOwn(seen.action)) done.push(seen);
    }
    return done;
  }

  #placed(action: InputAction): InputAction {
    return action.type === "key" ? action : { ...action, ...this.#place };
  }

  /**
   * Tells whether a place is where a move of deskhand's own goes. That move and those before it are forgotten: the
   * compositor shows the newest place, so that each is seen once at most.
   */
  #isOwn(place: Point): boolean {
    const index = this.#own.findIndex(({ point: { x, y } }) =>
      Math.max(Math.abs(x - place.x), Math.abs(y - place.y)) <= TOLERANCE
    );
    this.#own.splice(0, index + 1);
    return index >= 0;
  }
}
