/** A replay: waits for its turn, plays, and ends early on a stop or when a person takes over. */

import { delay } from "@std/async/delay";
import { now, whileAnswering } from "../../core/until.ts";
import {
  contains,
  type InputAction,
  type ObservedAction,
  type Playback,
  type PlaybackOutcome,
  type Player,
  type RoundPlan,
} from "../desktop/desktop.ts";
import type { RecordedElement } from "../desktop/input.ts";
import type { Operator } from "../operator/operator.ts";
import type { Reservation } from "../operator/turn.ts";
import { NOT_BEGUN, playHere, type StoppableClock } from "./playback.ts";

export interface PlayResult extends PlaybackOutcome {
  /** The cause of an early end. */
  stoppedBy?: "stop" | "escape" | "pointer";
  /** Counts of presses on elements, if the replay looked for elements. */
  elements?: ElementCounts;
}

/** Number of move events from which a person is moving the mouse; a shaking desk causes fewer. */
const PERSON_MOVES = 3;

/** Interval between two checks whether a replay's desktop answers, in milliseconds. */
const LOOK_MS = 1000;

/** A replay, from its request to its end. Other actions are rejected until then. */
export class Replay {
  /** When the replay started, or was requested, in milliseconds since 1970. */
  startedAt = now();
  /**
   * Resolves when the replay has started, or was stopped before that. Rejects if a place is not on the
   * desktop.
   */
  readonly begun: Promise<void>;
  /** Resolves when everything is released. Rejects with the desktop's error. */
  readonly done: Promise<PlayResult>;
  readonly #turn: Reservation;
  readonly #begun = Promise.withResolvers<void>();
  readonly #stopped = Promise.withResolvers<void>();
  #stoppedBy: PlayResult["stoppedBy"];
  #playback: Playback | undefined;
  /** The outcome of an abandoned playback. */
  #left: Promise<unknown> | undefined;

  /**
   * Requests a turn for the replay: earlier actions finish first.
   * @param plan One round.
   * @param times Number of rounds.
   * @param player By default, the desktop's own player.
   * @throws StateError if another replay is running.
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
      // An abandoned replay keeps its turn until everything is released.
      if (this.#left) this.#left.catch(() => {}).finally(() => this.#turn.end());
      else this.#turn.end();
      this.#begun.resolve();
    });
  }

  /** Stops the replay soon; the first reason counts. */
  stop(by: PlayResult["stoppedBy"]): void {
    this.#stoppedBy ??= by;
    this.#stopped.resolve();
    this.#playback?.stop();
  }

  /** Stops the replay and returns once everything is released: for the end of the program. */
  abort(): void {
    this.#playback?.abort();
  }

  async #play(plan: RoundPlan, times: number): Promise<PlayResult> {
    const { observer } = this.operator.desktop;
    // Without a watch the replay still runs; only `stop` can then end it early.
    const person = await observer.watch({ actions: this.#personWatcher(), problem: () => {} })
      .catch(() => undefined);
    try {
      await Promise.race([this.#turn.begun, this.#stopped.promise]);
      if (this.#stoppedBy) return { ...NOT_BEGUN, stoppedBy: this.#stoppedBy };
      this.startedAt = now();
      const { begun, done } = this.#playback = this.player.start(plan, times);
      this.#begun.resolve(begun.then(() => void (this.startedAt = now())));
      const outcome = await this.#whileAnswering(done);
      return outcome.stopped ? { ...outcome, stoppedBy: this.#stoppedBy } : outcome;
    } finally {
      await person?.close();
    }
  }

  /**
   * Waits for a playback while the desktop answers: its Worker may be inside a call that does not return.
   * @throws DesktopUnavailableError if the desktop does not answer; the playback ends once it does.
   */
  async #whileAnswering<T>(done: Promise<T>): Promise<T> {
    return await whileAnswering(done, LOOK_MS, async () => {
      try {
        await this.operator.desktop.answering?.();
      } catch (error) {
        this.#left = done;
        this.#playback!.stop();
        throw error;
      }
    });
  }

  /**
   * Stops when a person presses Escape or uses the mouse; input by programs, including this replay, is marked
   * as injected.
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

// A replay that finds the recorded elements again: each press goes to its element's current place.

/** The numbers of presses that found their elements. */
export interface ElementCounts {
  found: number;
  /** Presses among {@linkcode found} whose elements were elsewhere than in the recording. */
  moved: number;
  /** Replacements of missing elements, with the rule, in words; each once. */
  healed?: string[];
}

/** Maximum number of replaced elements in a result. */
const MOST_HEALED = 100;

/** Offset from the recorded place to the current one. */
interface Shift {
  x: number;
  y: number;
}

const NO_SHIFT: Shift = { x: 0, y: 0 };

/**
 * Makes the player of a replay by elements. It runs on this thread, and later steps wait while an element is
 * searched. The replay ends with a NotFoundError before a press whose element is not found: another one may
 * be at its place.
 * @param counts Counts its presses.
 */
export function playByElements(operator: Operator, counts: ElementCounts): Player {
  return playHere(operator.desktop, () => new PatientClock(), (clock) => {
    let shift = NO_SHIFT;
    return async (action) => {
      if (action.type === "button" && action.down) {
        shift = action.element ? await clock.pausedFor(() => shiftOf(operator, action, counts)) : NO_SHIFT;
      }
      const shifted = shiftedBy(operator, action, shift);
      // Until the button is released, later places are shifted like the pressed element's place.
      if (action.type === "button" && !action.down) shift = NO_SHIFT;
      return shifted;
    };
  });
}

/**
 * Computes how far the element of a press is from its recorded place.
 * @throws NotFoundError if it is not found.
 */
async function shiftOf(
  operator: Operator,
  { element, x, y }: Extract<InputAction, { type: "button" }>,
  counts: ElementCounts,
): Promise<Shift> {
  const was = element as RecordedElement, { findRecorded } = await import("../elements/recorded.ts");
  const place = await findRecorded(operator, was);
  counts.found++;
  const healed = counts.healed ?? [];
  if (place.healed !== undefined && !healed.includes(place.healed) && healed.length < MOST_HEALED) {
    counts.healed = [...healed, place.healed];
  }
  const along = (from: number, length: number, at: number) => length > 1 ? (at - from) / (length - 1) : 0;
  const shift = {
    x: Math.round(place.x + along(was.x, was.width, x) * (place.width - 1)) - x,
    y: Math.round(place.y + along(was.y, was.height, y) * (place.height - 1)) - y,
  };
  if (shift.x || shift.y) counts.moved++;
  return shift;
}

function shiftedBy(operator: Operator, action: InputAction, { x, y }: Shift): InputAction {
  if (action.type === "key" || !x && !y) return action;
  const point = { x: action.x + x, y: action.y + y };
  return contains(operator.screen(), point) ? { ...action, ...point } : action;
}

/** A clock that stops while an element is searched. */
class PatientClock implements StoppableClock {
  #late = 0;
  readonly #stopped = new AbortController();

  get isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  now(): number {
    return performance.now() - this.#late;
  }

  async sleepUntil(time: number): Promise<boolean> {
    const { signal } = this.#stopped;
    await delay(Math.max(0, time - this.now()), { signal }).catch(() => {});
    return !signal.aborted;
  }

  /** Runs a function during which the replay's time stops. */
  async pausedFor<T>(run: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await run();
    } finally {
      this.#late += performance.now() - start;
    }
  }

  stop(): void {
    this.#stopped.abort();
  }
}
