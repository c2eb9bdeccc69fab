/** A replay: it waits for its turn, plays, and ends early for a stop or for a person who takes over. */

import { now } from "../../core/clock.ts";
import type { ObservedAction, Playback, PlaybackOutcome, RoundPlan } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import type { Reservation } from "../reservation.ts";
import { NOT_BEGUN } from "./playback.ts";

/** The result of a replay. */
export interface PlayResult extends PlaybackOutcome {
  /** The cause of an early stop. */
  stoppedBy?: "stop" | "escape" | "pointer";
  /** Presses whose elements were found, and those of them that had moved, if the replay looked for elements. */
  elements?: { found: number; moved: number };
}

/** A person moves a mouse by more than one event; a desk that shakes does not. */
const PERSON_MOVES = 3;

/** A replay, from its request to its end. Other actions are refused until the end. */
export class Replay {
  /** The start of the replay, or the time at which it was asked for, in milliseconds since the epoch. */
  startedAt = now();
  /** Resolves when the replay has begun, or was stopped before its begin. Rejects if a place is not on the desktop. */
  readonly begun: Promise<void>;
  /** Resolves when everything is released. Rejects with the desktop's error. */
  readonly done: Promise<PlayResult>;
  readonly #turn: Reservation;
  readonly #begun = Promise.withResolvers<void>();
  readonly #stopped = Promise.withResolvers<void>();
  #stoppedBy: PlayResult["stoppedBy"];
  #playback: Playback | undefined;

  /**
   * Asks for the replay's turn: the actions before it end first.
   * @param plan One round.
   * @param times Rounds.
   * @param player The desktop's own if left out.
   * @throws StateError if another replay runs.
   */
  constructor(
    readonly operator: Operator,
    plan: RoundPlan,
    times: number,
    readonly player = operator.desktop.playback,
  ) {
    this.#turn = operator.reserve("a replay is running; stop it first (POST /api/recording/stop)");
    this.begun = this.#begun.promise;
    this.begun.catch(() => {}); // `done` rejects as well
    this.done = this.#play(plan, times).finally(() => {
      this.#turn.end();
      this.#begun.resolve();
    });
  }

  /** Ends the replay soon; the first reason counts. */
  stop(by: PlayResult["stoppedBy"]): void {
    this.#stoppedBy ??= by;
    this.#stopped.resolve();
    this.#playback?.stop();
  }

  /** Ends the replay and returns when everything is released: for the end of the program. */
  abort(): void {
    this.#playback?.abort();
  }

  async #play(plan: RoundPlan, times: number): Promise<PlayResult> {
    const { observer } = this.operator.desktop;
    // Without a watch the replay still runs; only `stop` then ends the replay early.
    const person = await observer.watch({ actions: this.#personWatcher(), problem: () => {} })
      .catch(() => undefined);
    try {
      await Promise.race([this.#turn.begun, this.#stopped.promise]);
      if (this.#stoppedBy) return { ...NOT_BEGUN, stoppedBy: this.#stoppedBy };
      this.startedAt = now();
      const { begun, done } = this.#playback = this.player.start(plan, times);
      this.#begun.resolve(begun.then(() => void (this.startedAt = now())));
      const outcome = await done;
      return outcome.stopped ? { ...outcome, stoppedBy: this.#stoppedBy } : outcome;
    } finally {
      await person?.close();
    }
  }

  /**
   * Stops when a person presses Escape or takes the mouse; input of programs, this replay included, is marked as
   * injected.
   */
  #personWatcher(): (batch: ObservedAction[]) => void {
    let moves = 0;
    return (batch) => {
      for (const { action, injected } of batch) {
        if (injected) continue;
        if (action.type === "key" && action.key === "escape" && action.down) this.stop("escape");
        if (action.type === "button" && action.down) this.stop("pointer");
        if (action.type === "move" && ++moves >= PERSON_MOVES) this.stop("pointer");
      }
    };
  }
}
