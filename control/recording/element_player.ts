/** A replay that finds the recorded elements again: each press goes where its element is now. */

import { delay } from "@std/async/delay";
import { contains, type InputAction, type PlaybackOutcome, type Player, type RoundPlan } from "../desktop.ts";
import type { RecordedElement } from "../input.ts";
import type { Operator } from "../operator.ts";
import { checkedSteps, type Clock, playSteps } from "./playback.ts";

/** The numbers of presses that found their elements. */
export interface ElementCounts {
  found: number;
  /** Presses among {@linkcode found} whose elements were elsewhere than in the recording. */
  moved: number;
}

/** A move of the pointer from the recorded places to those of now. */
interface Shift {
  x: number;
  y: number;
}

const NO_SHIFT: Shift = { x: 0, y: 0 };

/**
 * Makes the player of a replay by elements. It runs on this thread, and later steps wait while an element is looked for.
 * The replay ends with a NotFoundError before a press whose element is not found: another one may be at its place.
 * @param counts Counts its presses.
 */
export function playByElements(operator: Operator, counts: ElementCounts): Player {
  return {
    start(plan, times) {
      const clock = new PatientClock(), begun = Promise.withResolvers<void>();
      const done = play(operator, plan, times, { clock, counts, begin: begun.resolve });
      done.catch(begun.reject);
      begun.promise.catch(() => {}); // `done` rejects as well
      const stop = () => clock.stop();
      return { begun: begun.promise, done, stop, abort: stop };
    },
  };
}

/** The parts of a replay that presses elements. */
interface Run {
  clock: PatientClock;
  counts: ElementCounts;
  begin: () => void;
}

async function play(
  operator: Operator,
  plan: RoundPlan,
  times: number,
  { clock, counts, begin }: Run,
): Promise<PlaybackOutcome> {
  const steps = await checkedSteps(plan, () => clock.isStopped), { desktop } = operator;
  let shift = NO_SHIFT;
  begin();
  return await playSteps(desktop, steps, times, clock, async (action) => {
    if (action.type === "button" && action.down) {
      shift = action.element ? await clock.pausedFor(() => shiftOf(operator, action, counts)) : NO_SHIFT;
    }
    const shifted = shiftedBy(operator, action, shift);
    // Until the button is released, later places are shifted as the pressed element's place was.
    if (action.type === "button" && !action.down) shift = NO_SHIFT;
    return shifted;
  });
}

/**
 * Works out how far the element of a press is from where it was.
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

/** A clock that stands still while an element is looked for. */
class PatientClock implements Clock {
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

  /** Runs a function during which the replay's time stands still. */
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
