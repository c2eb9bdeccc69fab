/** Makes the steps of a replay and does them on time, on any thread. */

import type { InputAction, PlaybackOutcome, Point, RoundPlan, Step } from "../desktop.ts";
import { HeldDown, type Presses, pressOf } from "../held.ts";
import { Lateness, NO_LATENESS } from "./lateness.ts";
import { nextRound, stepBatches } from "./schedule.ts";
import { inTurns } from "./turns.ts";

/** Time, and waiting for it. */
export interface Clock {
  /** Milliseconds, never less than before. */
  now(): number;
  /**
   * Waits until a time; a clock of a thread that does nothing else blocks it.
   * @param time On the scale of {@linkcode now}.
   * @returns false if the replay is to stop at once.
   */
  sleepUntil(time: number): Promise<boolean>;
}

/** The desktop's parts that a replay uses. */
export type PlaybackTarget = Presses;

/**
 * Makes the steps of a round at once, for a thread that does nothing else, since a million steps take a second.
 * @param isStopped Asked every few milliseconds; true ends it with the steps that there are, at least one.
 * @throws InputError if a place is not on the desktop.
 */
export function allSteps(plan: RoundPlan, isStopped: () => boolean): Step[] {
  const steps: Step[] = [];
  for (const batch of stepBatches(plan)) {
    for (const step of batch) steps.push(step);
    if (isStopped()) break;
  }
  return steps;
}

/**
 * Checks a round, with turns for other work in between, for a thread that also serves.
 * @param isStopped Asked every few milliseconds; true ends it early.
 * @returns The steps, which are made while they are done, again in each round.
 * @throws InputError if a place is not on the desktop.
 */
export async function checkedSteps(plan: RoundPlan, isStopped: () => boolean): Promise<Iterable<Step>> {
  for await (const _ of inTurns(stepBatches(plan))) {
    if (isStopped()) break;
  }
  return {
    *[Symbol.iterator]() {
      for (const batch of stepBatches(plan)) yield* batch;
    },
  };
}

/**
 * Runs the steps at their deadlines, counted from one start, so that lateness never adds up. Only late moves are left
 * out, and only if the next action is a move that is due already.
 * @param steps The steps of one round, which are read again for each round.
 * @param aim Changes a due action, such as its place; if left out, no action is changed.
 * @returns When all keys and buttons are released, however the replay ended.
 * @throws The errors of the desktop.
 */
export async function playSteps(
  desktop: PlaybackTarget,
  steps: Iterable<Step>,
  times: number,
  clock: Clock,
  aim?: (action: InputAction) => Promise<InputAction>,
): Promise<PlaybackOutcome> {
  const held = new HeldDown(desktop), act = actor(desktop, held);
  const lateness = new Lateness();
  let performed = 0, stopped = false;
  try {
    for (const { action, deadline, nextMove } of deadlines(steps, times, clock.now())) {
      stopped = !await clock.sleepUntil(deadline);
      if (stopped) break;
      performed++;
      const now = clock.now();
      if (action.type === "move" && nextMove <= now) continue;
      lateness.add(now - deadline);
      await act(aim ? await aim(action) : action);
    }
  } finally {
    await held.releaseAll().catch(() => {}); // a desktop that is gone holds nothing
    held.close();
  }
  return { performed, stopped, ...lateness.summary() };
}

/**
 * The actions of all rounds, each with its deadline, and the deadline of the next action if it is a move in the same
 * round.
 */
function* deadlines(steps: Iterable<Step>, times: number, start: number) {
  for (let time = 0, begun = start; time < times; time++) {
    let step: Step | undefined;
    for (const next of steps) {
      const nextMove = next.action.type === "move" ? begun + next.at : Infinity;
      if (step) yield { action: step.action, deadline: begun + step.at, nextMove };
      step = next;
    }
    if (step) yield { action: step.action, deadline: begun + step.at, nextMove: Infinity };
    begun = nextRound(begun, step?.at ?? 0);
  }
}

/** Makes the function that does actions; the function moves the pointer only if the pointer is elsewhere. */
function actor(desktop: PlaybackTarget, held: HeldDown): (action: InputAction) => Promise<void> {
  let place: Point | undefined;
  return async (action) => {
    if (action.type !== "key") {
      const { x, y } = action;
      if (place?.x !== x || place.y !== y) await desktop.pointer.move(place = { x, y });
    }
    if (action.type === "scroll") await desktop.pointer.scroll(action.direction, action.amount);
    if (!("down" in action)) return;
    const press = pressOf(action)!;
    await (action.down ? held.press(press) : held.release(press));
  };
}

/** The outcome of a replay that was stopped before its first action. */
export const NOT_BEGUN: PlaybackOutcome = { performed: 0, stopped: true, ...NO_LATENESS };
