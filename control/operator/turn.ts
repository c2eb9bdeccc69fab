/**
 * Turns: one action at a time has the desktop, for a limited time. At the limit, the action fails with an error that names
 * what it waited for, its keys and buttons are released, and the next action begins. A reservation keeps all actions out.
 */

import { OverdueError, StateError } from "../../core/errors.ts";
import { deadline, within } from "../../core/until.ts";
import type { Held } from "../desktop/desktop.ts";

/** The time that an action may take beyond its own texts, pauses and waits, in milliseconds. */
export const MARGIN_MS = 10_000;
/** The longest wait for the releases at the end of a turn that is overdue, in milliseconds. */
const RELEASE_MS = 2000;

/**
 * The error of an action that outlived its bound.
 * @param what The action, such as `the action` or `elements`.
 * @param waitsFor What the action waited for, such as `the desktop to move the pointer`.
 * @param outcome What was done about it, as a sentence without its period; left out if nothing had to be done.
 * @example
 * overdue("the action", 10_000, "the desktop to press key a").message;
 * // "the action was ended after 10 s: it waited for the desktop to press key a"
 */
export function overdue(what: string, ms: number, waitsFor: string, outcome?: string): OverdueError {
  const seconds = Math.round(ms / 100) / 10, more = outcome ? `. ${outcome}` : "";
  return new OverdueError(`${what} timed out after ${seconds} s: it was waiting for ${waitsFor}${more}`);
}

/** The parts of a turn that its gesture uses. */
export interface TurnInProgress {
  /** The state that the turn waits for now, for the message of its end. */
  waitsFor: string;
  /** @throws OverdueError if the turn was ended: the gesture does nothing more. */
  check(): void;
  /** A signal that is aborted when the caller's signal is, or when the turn was ended. */
  signal(caller?: AbortSignal): AbortSignal;
}

/** A turn. */
export class Turn implements TurnInProgress {
  waitsFor = "the desktop to answer";
  /** Keys and buttons that the turn has pressed and not released, by name. */
  readonly pressed: Map<string, Held> = new Map();
  #error: OverdueError | undefined;
  #stopping: AbortController | undefined;

  /** @param what The action in words, for the message of its end. */
  constructor(readonly what: string) {}

  /** Whether the turn was ended before its action. */
  get isOver(): boolean {
    return this.#error !== undefined;
  }

  check(): void {
    if (this.#error) throw this.#error;
  }

  signal(caller?: AbortSignal): AbortSignal {
    const { signal } = this.#stopping ??= new AbortController();
    if (this.#error) this.#stopping.abort(this.#error);
    return caller ? AbortSignal.any([caller, signal]) : signal;
  }

  /**
   * Ends the turn.
   * @param ms The time that the turn has had, in milliseconds.
   * @param release Releases what the turn has pressed.
   * @returns The error for the caller, when everything is released or the desktop takes too long for that.
   */
  async end(ms: number, release: (held: readonly Held[]) => Promise<void>): Promise<OverdueError> {
    const { what, waitsFor } = this,
      held = [...this.pressed.values()],
      names = held.map((one) => one.join(" "));
    this.#error = overdue(what, ms, waitsFor);
    this.#stopping?.abort(this.#error);
    if (!held.length) return this.#error;
    const outcome = await releasedSoon(release(held))
      ? `Released: ${names.join(", ")}`
      : `The desktop has not confirmed the release of ${names.join(", ")}`;
    return this.#error = overdue(what, ms, waitsFor, outcome);
  }
}

export interface TurnBounds {
  /** The time that the action itself takes at most: its pauses, and waits for programs. In milliseconds. */
  takesMs?: number;
  /** The state that the action waits for, until it says more; `the desktop to answer` if left out. */
  waitsFor?: string;
}

/** The bounds of a turn with keys: the longest time for a program to take them that was busy, as with loading a document. */
export const KEY_BOUNDS = { takesMs: 20_000 } satisfies TurnBounds;

interface TurnBound {
  /** The action in words, for the message of its end; `the action` if left out. */
  what?: string;
  /** The time that the turn may take, in milliseconds. */
  ms: number;
  /** Releases what a turn has pressed that was ended. */
  release: (held: readonly Held[]) => Promise<void>;
}

/**
 * Runs the action of a turn within its bound.
 * @returns What the action returns.
 * @throws OverdueError if the action has not ended in time; the action goes on without effect where it checks its turn.
 */
export async function withinBound<T>(
  { what = "the action", ms, release }: TurnBound,
  action: (turn: Turn) => Promise<T>,
): Promise<T> {
  const turn = new Turn(what), { promise, resolve, reject } = Promise.withResolvers<T>();
  action(turn).then(resolve, reject);
  const withdraw = deadline(ms, () => turn.end(ms, release).then(reject));
  try {
    return await promise;
  } finally {
    withdraw();
  }
}

/** Waits for the releases of a desktop that may not answer, for two seconds at most. Never throws. */
export async function releasedSoon(releasing: Promise<void>): Promise<boolean> {
  return await within(RELEASE_MS, releasing.then(() => true, () => false)) ?? false;
}

// Reservations of a desktop for long work, such as a replay; other actions are refused during them.

/** Keeps every other action out until it ends. */
export interface Reservation {
  /** Resolves when no other action runs any more and the keyboard map is as it was. */
  begun: Promise<void>;
  /** Lets other actions run again. Safe to call twice. */
  end(): void;
}

/** The reservations of one desktop, one at a time. */
export class Reservations {
  /** The message that refused callers read; undefined while the desktop is free. */
  #reason: string | undefined;

  /** Whether the desktop is reserved. */
  get isTaken(): boolean {
    return this.#reason !== undefined;
  }

  /** @throws StateError with the reason while the desktop is reserved. */
  check(): void {
    if (this.#reason !== undefined) throw new StateError(this.#reason);
  }

  /**
   * Reserves the desktop.
   * @param reason The message that refused callers read, with how to end the reservation.
   * @param begin Waits for the actions that came before.
   * @throws StateError if the desktop is reserved already.
   */
  take(reason: string, begin: () => Promise<void>): Reservation {
    this.check();
    this.#reason = reason;
    let isReserved = true;
    return {
      begun: begin(),
      end: () => {
        if (isReserved) this.#reason = undefined;
        isReserved = false;
      },
    };
  }
}
