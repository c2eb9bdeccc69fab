/** Doing the steps of a replay on time, on whatever thread. */

import type { Desktop, InputAction, PlaybackOutcome, Point, Step } from "../desktop.ts";
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

/** What is down because of the replay. */
type Down = Map<string, InputAction & { down: boolean }>;

/**
 * Does the steps at their deadlines, counted from one start, so that lateness never adds up. A move that is late
 * is left out if the next action is due already and a move as well; nothing else is.
 * @returns When nothing is pressed any more, however it ended.
 */
export async function playSteps(
  desktop: Target,
  steps: Step[],
  times: number,
  clock: Clock,
): Promise<PlaybackOutcome> {
  const down: Down = new Map();
  const start = clock.now(), round = roundLength(steps);
  const lateness: number[] = [];
  let performed = 0, stopped = false;
  let pointer: Point | undefined;
  const put = ({ x, y }: Point) => {
    if (pointer?.x !== x || pointer.y !== y) desktop.pointer.move({ x, y });
    pointer = { x, y };
  };
  try {
    rounds: for (let time = 0; time < times; time++) {
      for (let i = 0; i < steps.length; i++) {
        const { at, action } = steps[i];
        const deadline = start + time * round + at;
        const slept = clock.sleepUntil(deadline);
        if (!(slept instanceof Promise ? await slept : slept)) {
          stopped = true;
          break rounds;
        }
        performed++;
        const next = steps[i + 1];
        const now = clock.now();
        const merged = action.type === "move" && next?.action.type === "move" &&
          deadline - at + next.at <= now;
        if (merged) continue;
        if (lateness.length < LATENESS_LIMIT) lateness.push(now - deadline);
        act(desktop, action, put, down);
      }
    }
  } finally {
    letGo(desktop, down);
  }
  return { performed, stopped, ...summary(lateness) };
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

function act(desktop: Target, action: InputAction, put: (point: Point) => void, down: Down) {
  if (action.type !== "key") put(action);
  if (action.type === "scroll") desktop.pointer.scroll(action.direction, action.amount);
  if (action.type !== "button" && action.type !== "key") return;
  const name = action.type === "button" ? action.button : `key ${action.key}`;
  // Noted before it is pressed: what failed midway is let go of too.
  if (action.down) down.set(name, action);
  press(desktop, action, action.down);
  if (!action.down) down.delete(name);
}

function press(desktop: Target, action: InputAction, isDown: boolean) {
  if (action.type === "button") desktop.pointer.button(action.button, isDown);
  else if (action.type === "key") desktop.keyboard.key(action.key, isDown);
}

function letGo(desktop: Target, down: Down) {
  for (const action of [...down.values()].reverse()) {
    try {
      press(desktop, action, false);
    } catch {
      // A desktop that is gone holds nothing; the others are still to be let go of.
    }
  }
}
