/**
 * Turns: one action at a time controls the desktop, for a limited time. At the limit, the action fails with
 * an error that names what it waited for, its keys and buttons are released, and the next action starts. A
 * reservation blocks all actions.
 */

import { OverdueError, StateError } from "../../core/errors.ts";
import { deadline, within } from "../../core/until.ts";
import type { Held } from "../desktop/desktop.ts";

/** Time that an action may take beyond its own texts, pauses and waits, in milliseconds. */
export const MARGIN_MS = 10_000;
/** Maximum wait for the releases at the end of an overdue turn, in milliseconds. */
const RELEASE_MS = 2000;

/**
 * The error of an action that exceeded its time limit.
 * @param what The action, such as `the action` or `elements`.
 * @param waitsFor What the action waited for, such as `the desktop to move the pointer`.
 * @param outcome What was done about it, as a sentence without its full stop; left out if nothing had to be
 * done.
 * @example
 * overdue("the action", 10_000, "the desktop to press key a").message;
 * // "the action timed out after 10 s: it was waiting for the desktop to press key a"
 */
export function overdue(what: string, ms: number, waitsFor: string, outcome?: string): OverdueError {
  const seconds = Math.round(ms / 100) / 10, more = outcome ? `. ${outcome}` : "";
  return new OverdueError(`${what} timed out after ${seconds} s: it was waiting for ${waitsFor}${more}`);
}

/** The parts of a turn that its gesture uses. */
export interface TurnInProgress {
  /** The event that the turn is waiting for, for the error message if the turn is ended. */
  waitsFor: string;
  /** @throws OverdueError if the turn was ended: the gesture must do nothing more. */
  check(): void;
  /** Returns a signal that is aborted with the caller's signal, or when the turn is ended. */
  signal(caller?: AbortSignal): AbortSignal;
}

/** A turn. */
export class Turn implements TurnInProgress {
  waitsFor = "the desktop to answer";
  /** Keys and buttons that the turn has pressed and not yet released, by name. */
  readonly pressed: Map<string, Held> = new Map();
  #error: OverdueError | undefined;
  #stopping: AbortController | undefined;

  /** @param what The action in words, for the message if it is ended. */
  constructor(readonly what: string) {}

  /** Whether the turn was ended before its action finished. */
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

  /** Ends the turn without releasing what it has pressed: its action ends where it checks its turn. */
  cut(error: OverdueError): void {
    this.#error = error;
    this.#stopping?.abort(error);
  }

  /**
   * Ends the turn.
   * @param ms How long the turn has lasted, in milliseconds.
   * @param release Releases what the turn has pressed.
   * @returns The error for the caller, once everything is released or the desktop takes too long to do so.
   */
  async end(ms: number, release: (held: readonly Held[]) => Promise<void>): Promise<OverdueError> {
    const { what, waitsFor } = this,
      held = [...this.pressed.values()],
      names = held.map((one) => one.join(" "));
    const error = overdue(what, ms, waitsFor);
    this.cut(error);
    if (!held.length) return error;
    const outcome = await releasedSoon(release(held))
      ? `Released: ${names.join(", ")}`
      : `The desktop has not confirmed the release of ${names.join(", ")}`;
    return this.#error = overdue(what, ms, waitsFor, outcome);
  }
}

export interface TurnBounds {
  /** Maximum time of the action itself, in milliseconds: its pauses, and waits for programs. */
  takesMs?: number;
  /** The event that the action waits for at first; defaults to `the desktop to answer`. */
  waitsFor?: string;
}

/**
 * The limits of a turn with keys: a program that is busy, for example loading a document, may take this long
 * to read them.
 */
export const KEY_BOUNDS = { takesMs: 20_000 } satisfies TurnBounds;

interface TurnBound {
  /** The action in words, for the message if it is ended; `the action` if left out. */
  what?: string;
  /** Maximum duration of the turn, in milliseconds. */
  ms: number;
  /** Releases what an ended turn has pressed. */
  release: (held: readonly Held[]) => Promise<void>;
}

/**
 * Runs the action of a turn within its time limit.
 * @returns What the action returns.
 * @throws OverdueError if the action has not ended in time; it continues without effect where it checks its
 * turn.
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

/** Waits up to two seconds for the releases of a desktop that may not answer. Never throws. */
export async function releasedSoon(releasing: Promise<void>): Promise<boolean> {
  return await within(RELEASE_MS, releasing.then(() => true, () => false)) ?? false;
}

// Reservations of a desktop for long work, such as a replay; other actions are rejected meanwhile.

/** Blocks all other actions until it ends. */
export interface Reservation {
  /** Resolves once no other action runs and the keyboard map is restored. */
  begun: Promise<void>;
  /** Lets other actions run again. Safe to call twice. */
  end(): void;
}

/** The reservations of one desktop, one at a time. */
export class Reservations {
  /** The message for rejected callers; undefined while the desktop is free. */
  #reason: string | undefined;

  /** Whether the desktop is reserved. */
  get isTaken(): boolean {
    return this.#reason !== undefined;
  }

  /** @throws StateError with the reason if the desktop is reserved. */
  check(): void {
    if (this.#reason !== undefined) throw new StateError(this.#reason);
  }

  /**
   * Reserves the desktop.
   * @param reason The message for rejected callers, which says how to end the reservation.
   * @param begin Waits for earlier actions.
   * @throws StateError if the desktop is already reserved.
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
