/** Watches a person's moves by the pictures of a desktop that shows where the pointer is. */

import type { ObservedAction, Point, WatchListener } from "../../../control/desktop.ts";
import { ExpectedError } from "../../../core/errors.ts";
import type { PointerTracker } from "../connected_desktop.ts";
import type { OwnActions } from "./own_actions.ts";
import { SeenMoves } from "./seen_moves.ts";

/** The time between checks for held actions that can be reported, in milliseconds. */
const SETTLE_MS = 20;

/** Reports a person's moves to a listener, and a person's other input that a Worker sees. */
export class PersonMoves implements WatchListener {
  readonly #seen = new SeenMoves();
  readonly #end = new AbortController();
  readonly #ownMoves: WatchListener = { actions: (batch) => this.#noteOwn(batch), problem() {} };
  #following: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param own deskhand's own actions, which are not reported here.
   * @param tracker Gives the present tracker of the pointer.
   */
  constructor(
    readonly own: OwnActions,
    readonly listener: WatchListener,
    readonly tracker: () => PointerTracker | undefined,
  ) {}

  /**
   * Begins. Resolves when each move from now on is seen, or the listener has received the reason why moves are not
   * seen.
   */
  async begin(): Promise<void> {
    const { lastMove } = this.own; // the compositor may not have shown this move yet
    if (lastMove) this.#seen.own(this.#way(lastMove.point), lastMove.at);
    this.own.add(this.#ownMoves);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#follow(resolve);
    await promise;
  }

  /** Takes actions from a person's devices. */
  actions(batch: ObservedAction[]): void {
    for (const seen of batch) this.#seen.add(seen);
    this.#settleSoon();
  }

  problem(kind: "ended" | "gap", message: string): void {
    this.listener.problem(kind, message);
  }

  /** Ends the watch; resolves when everything seen was reported. */
  async close(): Promise<void> {
    this.#end.abort();
    this.own.remove(this.#ownMoves);
    await this.#following;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#settle(Infinity);
  }

  /** @param looked Called when the pointer was looked for once, or cannot be seen. */
  #follow(looked: () => void): void {
    this.#following = this.#see(looked).catch((error) => {
      if (!(error instanceof ExpectedError)) throw error;
      this.listener.problem("gap", `a person's moves are not seen until the next action: ${error.message}`);
    }).finally(() => {
      this.#following = undefined;
      looked();
    });
  }

  async #see(looked: () => void): Promise<void> {
    for await (const place of this.tracker()?.places(this.#end.signal) ?? []) {
      if (place) this.#seen.see(place, now());
      this.#settleSoon();
      looked();
    }
  }

  /** Follows the pointer again if that had ended, since deskhand's own action has opened the desktop again. */
  #noteOwn(batch: ObservedAction[]): void {
    for (const { action } of batch) if (action.type === "move") this.#seen.own(this.#way(action), now());
    if (!this.#following && !this.#end.signal.aborted) this.#follow(() => {});
  }

  #way(point: Point): Point[] {
    try {
      return this.tracker()?.expectedPlaces(point) ?? [];
    } catch (error) {
      if (error instanceof ExpectedError) return []; // the desktop is gone and shows no places
      throw error;
    }
  }

  #settleSoon(): void {
    if (!this.#seen.isHolding || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#settle(now());
      this.#settleSoon();
    }, SETTLE_MS);
  }

  #settle(time: number): void {
    const batch = this.#seen.settled(time);
    if (batch.length) this.listener.actions(batch);
  }
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
