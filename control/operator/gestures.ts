/** Gestures of several steps: drags along a path, and keys that are repeated or held. */

import { delay } from "@std/async/delay";
import { ExpectedError, StateError } from "../../core/errors.ts";
import { type Waiter, waiterOf } from "../../core/mutex.ts";
import { timeByLoad } from "../../core/proc.ts";
import { checkArrival, checkPoint, notArrived } from "../desktop/input.ts";
import { type Button, contains, type Desktop, type Point } from "../desktop/desktop.ts";
import { type Hands, keysHeld } from "./held.ts";
import type { PressGuard } from "./activation.ts";
import type { Operator } from "./operator.ts";
import { KEY_BOUNDS } from "./turn.ts";

/** Time between two steps of a drag, in milliseconds: programs that sample the pointer must see it move. */
const DRAG_STEP_MS = 5;
/** Length of a drag step in pixels, and the minimum and maximum number of steps. */
const DRAG_STEP = { pixels: 20, least: 8, most: 60 };

/**
 * Time from a release to the next press of a repeated key, in milliseconds, longer on a busy machine: mpv
 * queues seven unhandled keys and loses further ones (--input-key-fifo-size).
 */
const repeatMs = () => timeByLoad(12);

/** Distance from which programs treat a press as a drag, in pixels. */
const DRAG_BEGIN_PIXELS = 12;
/**
 * Wait after a program's answer, in which it starts the drag or learns whether the place accepts the drop: a
 * browser asks the page's own process. In milliseconds, but at least this multiple of the answer time, since
 * both grow on a busy machine.
 */
const DRAG_REST = { ms: 100, answers: 5 };
/**
 * Number of motions at the end of a drag: a page learns of the place from one and accepts on the next, and
 * Chromium answers each with the verdict on the one before. The drop uses the last answer.
 */
const DRAG_ASKS = 2;
/** Maximum wait for an answer from the drop target's program, in milliseconds; longer on a busy machine. */
const dragAnswerMs = () => timeByLoad(1000);

interface DragOptions {
  /** The button; left by default. */
  button?: Button;
  /** Canonical keys held during the gesture. */
  hold?: readonly string[];
  /** Ends the drag where the pointer is, and releases the button and the keys there. */
  signal?: AbortSignal;
  /** The window expected under the first place. */
  expects?: PressGuard | undefined;
}

/**
 * Presses a button at the first place, moves in straight lines from place to place, and releases the button
 * at the last.
 * @param path At least two places.
 * @param names Prefixes of the places in messages, such as `from.`.
 * @throws InputError if a place is not on the desktop; StateError if the pointer does not reach the first
 * place (nothing is pressed) or the last one (the button is released at the first).
 * @example
 * await drag(operator, [{ x: 10, y: 10 }, { x: 200, y: 90 }], ["from.", "to."], { hold: ["shift"] });
 */
export async function drag(
  operator: Operator,
  path: readonly Point[],
  names: readonly string[],
  { button = "left", hold = [], signal: caller, expects }: DragOptions = {},
): Promise<void> {
  const screen = operator.screen();
  path.forEach((point, i) => checkPoint(screen, point, names[i]));
  const takesMs = (path.length + DRAG_ASKS) * (DRAG_STEP.most * DRAG_STEP_MS + 2 * dragAnswerMs());
  await operator.gesture(
    async (hands) => {
      caller?.throwIfAborted();
      const signal = hands.turn.signal(caller);
      await hands.desktop.targets?.check("pointer", path.at(-1)); // where it will be dropped
      hands.turn.waitsFor = "the desktop to move the pointer";
      await hands.desktop.pointer.move(path[0]);
      checkArrival(hands.desktop, path[0]);
      const along = async () => {
        const [from, to] = path, begun = onTheWay(from, to, DRAG_BEGIN_PIXELS);
        await moveOnLine(hands, from, begun, signal);
        await settled(hands, from, signal);
        await moveOnLine(hands, begun, to, signal);
        for (let i = 2; i < path.length; i++) await moveOnLine(hands, path[i - 1], path[i], signal);
        const { pointer } = hands.desktop, end = path.at(-1)!;
        for (let i = 0; i < DRAG_ASKS; i++) {
          await settled(hands, end, signal);
          await pointer.move(end);
        }
        await settled(hands, end, signal);
        const fault = await faultAt(hands.desktop, end);
        if (!fault) return;
        await pointer.move(from); // an item dropped back where it came from usually stays there
        throw fault;
      };
      const pressed = () => hands.whileDown([...keysHeld(hold), ["button", button]], along);
      await operator.expecting(expects, pressed, path[0]);
    },
    caller && waiterOf(caller),
    { takesMs },
  );
}

/** The reason why nothing may be dropped at a place; undefined if there is none. */
async function faultAt({ pointer, targets }: Desktop, end: Point): Promise<unknown> {
  const place = pointer.elsewhere?.(end);
  if (place) return new StateError(notArrived(end, place, "The button was released where the drag began"));
  return await targets?.check("pointer").then(() => undefined, (error) => error);
}

/** The point a number of pixels from one place towards another, but not beyond it. */
function onTheWay(from: Point, to: Point, pixels: number): Point {
  const share = Math.min(1, pixels / Math.max(1, Math.hypot(to.x - from.x, to.y - from.y)));
  return {
    x: Math.round(from.x + (to.x - from.x) * share),
    y: Math.round(from.y + (to.y - from.y) * share),
  };
}

/** Waits until the program at a place has handled the motion of a drag. */
async function settled(
  { desktop: { windows }, turn }: Hands,
  point: Point,
  signal: AbortSignal,
): Promise<void> {
  if (!windows?.hasHandled) return;
  turn.waitsFor = "the program under the pointer to handle the drag";
  let answerMs = 0;
  try {
    const window = (await windows.list()).find((one) => one.state !== "minimized" && contains(one, point));
    const askedAt = performance.now();
    if (window && await windows.hasHandled(window, dragAnswerMs()) === undefined) return;
    answerMs = performance.now() - askedAt;
  } catch (error) {
    if (error instanceof ExpectedError) return;
    throw error;
  }
  const restMs = Math.max(DRAG_REST.ms, DRAG_REST.answers * answerMs);
  await delay(Math.min(restMs, dragAnswerMs()), { signal });
}

async function moveOnLine(
  { desktop, turn }: Hands,
  from: Point,
  to: Point,
  signal: AbortSignal,
): Promise<void> {
  turn.waitsFor = "the desktop to move the pointer";
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
 * Presses keys in order and releases them in reverse.
 * @param keys Canonical keys, as `parseCombination` returns them.
 * @param options How often to press the keys, and how long to hold them each time, in milliseconds.
 * @param caller The caller, whose signal stops the presses and releases the keys. A single press without a
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
  const isLong = repeat > 1 || holdMs > 0;
  const pauseMs = isLong ? repeatMs() : 0, takesMs = KEY_BOUNDS.takesMs + repeat * (holdMs + pauseMs);
  await operator.gesture(
    async ({ desktop, turn, whileDown }) => {
      const signal = isLong ? turn.signal(caller?.signal) : undefined;
      for (let i = 0; i < repeat; i++) {
        signal?.throwIfAborted();
        if (i) await delay(pauseMs, { signal });
        turn.waitsFor = "the focused program to take keys";
        await desktop.keyboard.awake?.(signal, i > 0);
        await whileDown(keysHeld(keys), holdMs ? () => delay(holdMs, { signal }) : undefined);
        turn.waitsFor = "the focused program to handle the keys";
        await desktop.keyboard.ready?.(signal);
      }
    },
    caller,
    { takesMs },
  );
}
