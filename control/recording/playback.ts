/** Doing the steps of a replay on time, on whatever thread. */

import type { Desktop, InputAction, PlaybackOutcome, Point, Step } from "../desktop.ts";
import { HeldDown, pressOf } from "../held.ts";
import { roundLength } from "./schedule.ts";

/** Time, and waiting for it. */
export interface Clock {
  /** Milliseconds, never less than before. */
  now(): number;
  /**
   * Waits; a clock that blocks its thread answers without a promise.
   * @param time On the scale of {@linkcode now}.
   * @returns false if the replay is to stop at once.
   */
  sleepUntil(time: number): boolean | Promise<boolean>;
}

/** Actions whose lateness is kept for the summary; replays repeated for days have more. */
const LATENESS_LIMIT = 1_000_000;

/** What a replay acts on. */
export type Target = Pick<Desktop, "pointer" | "keyboard">;

/**
 * Does the steps at their deadlines, counted from one start, so that lateness never adds up. A move that is late
 * is left out if the next action is due already and a move as well; nothing else is.
 * @param steps One round.
 * @returns When everything that was pressed is released, however it ended.
 * @throws What the desktop throws.
 */
export async function playSteps(
  desktop: Target,
  steps: Step[],
  times: number,
  clock: Clock,
): Promise<PlaybackOutcome> {
  const held = new HeldDown(desktop), act = actor(desktop, held);
  const lateness: number[] = [];
  let performed = 0, stopped = false;
  try {
    for (const { action, deadline, nextMove } of deadlines(steps, times, clock.now())) {
      stopped = !await clock.sleepUntil(deadline);
      if (stopped) break;
      performed++;
      const now = clock.now();
      if (action.type === "move" && nextMove <= now) continue;
      if (lateness.length < LATENESS_LIMIT) lateness.push(now - deadline);
      await act(action);
    }
  } finally {
    await held.releaseAll().catch(() => {}); // a desktop that is gone holds nothing
  }
  return { performed, stopped, ...summary(lateness) };
}

/** The actions of all rounds, each with its deadline and that of the action after it, if that is a move of its round. */
function* deadlines(steps: readonly Step[], times: number, start: number) {
  const round = roundLength(steps);
  for (let time = 0; time < times; time++) {
    const begun = start + time * round;
    for (let i = 0; i < steps.length; i++) {
      const { action, at } = steps[i], next = steps[i + 1];
      const nextMove = next?.action.type === "move" ? begun + next.at : Infinity;
      yield { action, deadline: begun + at, nextMove };
    }
  }
}

/** Makes what does actions; it moves the pointer only if it is not there already. */
function actor({ pointer }: Target, held: HeldDown): (action: InputAction) => Promise<void> {
  let place: Point | undefined;
  return async (action) => {
    if (action.type !== "key") {
      const { x, y } = action;
      if (place?.x !== x || place.y !== y) await pointer.move(place = { x, y });
    }
    if (action.type === "scroll") await pointer.scroll(action.direction, action.amount);
    if (!("down" in action)) return;
    const press = pressOf(action)!;
    await (action.down ? held.press(press) : held.release(press));
  };
}

/** How a replay went that was stopped before its first action. */
export const NOT_BEGUN: PlaybackOutcome = { performed: 0, stopped: true, ...summary([]) };

function summary(lateness: number[]) {
  const sorted = Float64Array.from(lateness).sort();
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  const total = lateness.reduce((sum, ms) => sum + ms, 0);
  return {
    meanLatenessMs: lateness.length ? total / lateness.length : 0,
    medianLatenessMs: at(0.5),
    p99LatenessMs: at(0.99),
    maxLatenessMs: at(1),
  };
}
