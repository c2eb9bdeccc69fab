/** The times at which a replay's actions are due. */

import type { RecordedElement } from "../input.ts";
import type { InputAction, Region, RoundPlan, Step } from "../desktop.ts";
import { InputError, StateError } from "../../core/errors.ts";
import { pressName } from "../held.ts";
import type { RecordedEvent } from "./format.ts";
import { eventBatches, type StoredRecording } from "./stored.ts";

/** The options of a replay. */
export interface PlayOptions {
  /** The speed of the replay: 2 is twice as fast; 1 if left out. */
  speed?: number;
  /** The number of rounds; one if left out. */
  times?: number;
  /** Tells whether places are scaled to a desktop of another size, or one that begins elsewhere. */
  scale?: boolean;
  /** Tells whether presses go where their elements are now. */
  elements?: boolean;
}

/** Bounds of {@linkcode PlayOptions}. */
export const SPEED = { least: 0.05, most: 100 } as const;
export const TIMES_LIMIT = 10_000;

/**
 * The shortest time for which a fast replay holds a key or button that the recording held at least as long: programs
 * miss shorter presses.
 */
const SHORTEST_PRESS_MS = 20;
/** The time between two rounds of a replay that is repeated, in milliseconds. */
const ROUND_GAP_MS = 100;

/**
 * Plans a round, in a time that does not depend on the recording's length.
 * @param screen The desktop as it is now.
 * @throws StateError if the desktop has another size or origin and places are not to be scaled.
 */
export function planRound(recording: StoredRecording, options: PlayOptions, screen: Region): RoundPlan {
  const { speed = 1, scale = false } = options;
  const recorded: Region = { x: 0, y: 0, ...recording.head.desktop };
  if (shown(recorded) !== shown(screen) && !scale) {
    throw new StateError(
      `the recording was made on a desktop of ${shown(recorded)}, and this one is ${shown(screen)}: ` +
        `play with --scale, over HTTP with "scale":true`,
    );
  }
  return { pieces: recording.parts.pieces, recorded, screen, speed };
}

/**
 * Computes the steps of a round, in batches that take some milliseconds each.
 * @throws InputError, in the batch of the step, if a place is not on the desktop.
 */
export function* stepBatches({ pieces, recorded, screen, speed }: RoundPlan): Generator<Step[], void> {
  const place = placing(recorded, screen);
  const pressedAt = new Map<string, { t: number; at: number }>();
  let earliest = 0, index = 0;
  const stepOf = (event: RecordedEvent): Step => {
    const { t, ...action } = event;
    let at = Math.max(earliest, t / speed);
    const name = pressName(event);
    if (name !== undefined && (event as { down: boolean }).down) pressedAt.set(name, { t, at });
    else if (name !== undefined) {
      const pressed = pressedAt.get(name);
      if (pressed) at = Math.max(at, pressed.at + Math.min(SHORTEST_PRESS_MS, t - pressed.t));
    }
    earliest = at;
    return { at, action: place(action, index++) };
  };
  for (const events of eventBatches(pieces)) yield events.map(stepOf);
}

/**
 * Tells when the next round of a replay begins.
 * @param begun When the round before it began, in milliseconds on any scale.
 * @param lastAt The time of its last step.
 */
export function nextRound(begun: number, lastAt: number): number {
  return begun + lastAt + ROUND_GAP_MS;
}

function placing(recorded: Region, screen: Region) {
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
    const fitted = { ...action, x, y };
    if (fitted.type === "button" && fitted.element) {
      fitted.element = fittedElement(fitted.element, fitX, fitY);
    }
    return fitted;
  };
}

function fittedElement(
  element: RecordedElement,
  fitX: (x: number) => number,
  fitY: (y: number) => number,
): RecordedElement {
  const x = fitX(element.x), y = fitY(element.y);
  const right = fitX(element.x + element.width - 1), bottom = fitY(element.y + element.height - 1);
  return { ...element, x, y, width: right - x + 1, height: bottom - y + 1 };
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
