/** Gestures of several steps: dragging along places, and keys that are repeated or held for a while. */

import { delay } from "@std/async/delay";
import type { Waiter } from "../../core/mutex.ts";
import { checkArrival, checkPoint } from "../desktop/input.ts";
import type { Button, Point } from "../desktop/desktop.ts";
import { type Hands, keysHeld } from "./held.ts";
import type { Operator } from "./operator.ts";

/** The time between two steps of a drag, in milliseconds: programs that sample the pointer must see it move. */
const DRAG_STEP_MS = 5;
/** The length of a step of a drag, in pixels, between the least and the most number of steps. */
const DRAG_STEP = { pixels: 20, least: 8, most: 60 };

/**
 * The time from a release to the next press of a repeated key, in milliseconds: mpv keeps seven keys that it has not
 * handled, and loses others (--input-key-fifo-size).
 */
const REPEAT_MS = 12;

/** The options of a drag. */
export interface DragOptions {
  /** The button; the left one if left out. */
  button?: Button;
  /** Canonical keys that are held during the gesture. */
  hold?: readonly string[];
  /** Ends the drag at the pointer's place; the button and the keys are released there. */
  signal?: AbortSignal;
}

/**
 * Presses a button at the first place, moves on straight lines from place to place, and releases it at the last.
 * @param path At least two places.
 * @param names What messages call the places, such as `from.`.
 * @throws InputError if a place is not on the desktop.
 * @example
 * await drag(operator, [{ x: 10, y: 10 }, { x: 200, y: 90 }], ["from.", "to."], { hold: ["shift"] });
 */
export async function drag(
  operator: Operator,
  path: readonly Point[],
  names: readonly string[],
  { button = "left", hold = [], signal }: DragOptions = {},
): Promise<void> {
  const screen = operator.screen();
  path.forEach((point, i) => checkPoint(screen, point, names[i]));
  await operator.gesture(async (hands) => {
    signal?.throwIfAborted();
    await hands.desktop.pointer.move(path[0]);
    checkArrival(hands.desktop, path[0]);
    await hands.whileDown([...keysHeld(hold), ["button", button]], async () => {
      for (let i = 1; i < path.length; i++) await moveOnLine(hands, path[i - 1], path[i], signal);
    });
  }, signal && { signal });
}

async function moveOnLine({ desktop }: Hands, from: Point, to: Point, signal?: AbortSignal): Promise<void> {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const steps = Math.max(DRAG_STEP.least, Math.min(DRAG_STEP.most, Math.ceil(distance / DRAG_STEP.pixels)));
  for (let step = 1; step <= steps; step++) {
    await delay(DRAG_STEP_MS, { signal });
    await desktop.pointer.move({
      x: Math.round(from.x + (to.x - from.x) * step / steps),
      y: Math.round(from.y + (to.y - from.y) * step / steps),
    });
  }
}

/**
 * Presses keys one after the other and releases them in reverse.
 * @param keys Canonical keys, as `parseCombination` gives them.
 * @param options How often the keys are pressed, and for how long they stay down each time, in milliseconds.
 * @param caller The caller, whose signal ends the presses; the keys are then released. A single press without a
 * duration does not read the signal.
 * @example
 * await combination(operator, ["ctrl", "c"]);
 * await combination(operator, ["right"], { repeat: 3, holdMs: 50 }, request);
 */
export async function combination(
  operator: Operator,
  keys: readonly string[],
  { repeat = 1, holdMs = 0 }: { repeat?: number; holdMs?: number } = {},
  caller?: Waiter,
): Promise<void> {
  const signal = repeat > 1 || holdMs ? caller?.signal : undefined;
  await operator.gesture(async ({ desktop, whileDown }) => {
    for (let i = 0; i < repeat; i++) {
      signal?.throwIfAborted();
      if (i) await delay(REPEAT_MS, { signal });
      await desktop.keyboard.awake?.(signal, i > 0);
      await whileDown(keysHeld(keys), () => holdMs ? delay(holdMs, { signal }) : undefined);
      await desktop.keyboard.ready?.(signal);
    }
  }, caller);
}
