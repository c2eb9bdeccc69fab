/** Gestures of several steps: dragging along places, and keys that are repeated or held for a while. */

import { delay } from "@std/async/delay";
import { checkPoint } from "./bounds.ts";
import type { Button, Point } from "./desktop.ts";
import { type Hands, keysHeld, type Operator } from "./operator.ts";

/** Between two steps of a drag, in milliseconds: programs that sample the pointer must see it move. */
const DRAG_STEP_MS = 5;
/** The length of a step of a drag, in pixels, between the least and the most number of steps. */
const DRAG_STEP = { pixels: 20, least: 8, most: 60 };

/** How something is dragged. */
export interface DragOptions {
  /** left if left out. */
  button?: Button;
  /** Canonical keys that are held meanwhile. */
  hold?: readonly string[];
  /** Ends the drag where it is; the button and the keys are released there. */
  signal?: AbortSignal;
}

/**
 * Presses a button at the first place, moves on straight lines from place to place, and releases it at the last.
 * @param path At least two places.
 * @param names What messages call the places, such as `from.`.
 * @throws InputError if a place is not on the desktop.
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
    await hands.desktop.pointer.move(path[0]);
    await hands.whileDown([...keysHeld(hold), ["button", button]], async () => {
      for (let i = 1; i < path.length; i++) await moveOnLine(hands, path[i - 1], path[i], signal);
    });
  }, signal);
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
 * @param repeat How often.
 * @param holdMs How long they stay down each time, in milliseconds.
 * @param signal Ends it; the keys are released.
 */
export async function combination(
  operator: Operator,
  keys: readonly string[],
  repeat = 1,
  holdMs = 0,
  signal?: AbortSignal,
): Promise<void> {
  await operator.gesture(async ({ whileDown }) => {
    for (let i = 0; i < repeat; i++) {
      if (repeat > 1) signal?.throwIfAborted();
      await whileDown(keysHeld(keys), () => holdMs ? delay(holdMs, { signal }) : undefined);
    }
  });
}
