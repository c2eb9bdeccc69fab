/** When each action of a replay is due. */

import type { InputAction, Region, Step } from "../desktop.ts";
import { InputError, StateError } from "../../core/errors.ts";
import { pressName } from "../held.ts";
import type { Recording } from "./format.ts";

/** How a recording is replayed. */
export interface PlayOptions {
  /** 2 is twice as fast; 1 if left out. */
  speed?: number;
  /** How often; once if left out. */
  times?: number;
  /** Whether places are scaled to a desktop of another size, or one that begins elsewhere. */
  scale?: boolean;
}

/** Bounds of {@linkcode PlayOptions}. */
export const SPEED = { least: 0.05, most: 100 } as const;
export const TIMES_LIMIT = 10_000;

/** However fast, a key or button stays down this long if it did in the recording: programs miss shorter ones. */
const SHORTEST_PRESS_MS = 20;
/** Between two rounds of a replay that is repeated, in milliseconds. */
const ROUND_GAP_MS = 100;

/**
 * Works out the steps of one round.
 * @param screen The desktop as it is now.
 * @throws StateError if the desktop has another size or origin and places are not to be fitted; InputError if a place
 * is not on the desktop.
 */
export function schedule(recording: Recording, options: PlayOptions, screen: Region): Step[] {
  const { speed = 1, scale = false } = options;
  const place = placing(recording, screen, scale);
  const pressedAt = new Map<string, { t: number; at: number }>();
  let earliest = 0;
  return recording.events.map((event, index) => {
    const { t, ...action } = event;
    let at = Math.max(earliest, t / speed);
    const name = pressName(event);
    if (name !== undefined && (event as { down: boolean }).down) pressedAt.set(name, { t, at });
    else if (name !== undefined) {
      const pressed = pressedAt.get(name);
      if (pressed) at = Math.max(at, pressed.at + Math.min(SHORTEST_PRESS_MS, t - pressed.t));
    }
    earliest = at;
    return { at, action: place(action, index) };
  });
}

/** How long a round takes, with the pause before the next. */
export function roundLength(steps: readonly Step[]): number {
  return (steps.at(-1)?.at ?? 0) + ROUND_GAP_MS;
}

function placing({ desktop }: Recording, screen: Region, scale: boolean) {
  const recorded: Region = { x: 0, y: 0, ...desktop };
  if (shown(recorded) !== shown(screen) && !scale) {
    throw new StateError(
      `the recording was made on a desktop of ${shown(recorded)}, and this one is ${shown(screen)}: ` +
        `play with --scale, over HTTP with "scale":true`,
    );
  }
  const fitX = fitting(recorded.x, recorded.width, screen.x, screen.width);
  const fitY = fitting(recorded.y, recorded.height, screen.y, screen.height);
  return <A extends InputAction>(action: A, index: number): A => {
    if (!("x" in action)) return action;
    const x = fitX(action.x), y = fitY(action.y);
    const inside = x >= screen.x && y >= screen.y && x < screen.x + screen.width &&
      y < screen.y + screen.height;
    if (!inside) {
      throw new InputError(`events[${index}] is at ${action.x},${action.y}, which is not on this desktop`);
    }
    return { ...action, x, y };
  };
}

/** Fits places along one axis: the first pixel becomes the first, the last the last. */
function fitting(from: number, fromLength: number, to: number, toLength: number): (place: number) => number {
  const factor = fromLength === 1 ? 1 : (toLength - 1) / (fromLength - 1);
  return (place) => to + Math.round((place - from) * factor);
}

/** A desktop as people write it, with its origin if that is not 0,0. */
function shown({ x, y, width, height }: Region): string {
  return `${width}x${height}${x || y ? ` from ${x},${y}` : ""}`;
}
