/** Moves to the place of an action, and waits until the effects of the move have shown. */

import { now } from "../../core/clock.ts";
import type { Waiter } from "../../core/mutex.ts";
import type { Point, Region, WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import type { ActionTarget } from "./aims.ts";
import { type AskedBefore, type MomentsBefore, QUIET_BEFORE_MS, stepBefore } from "./before.ts";
import { Handling } from "./handling.ts";
import type { Motion } from "./motion.ts";
import { joined } from "./regions.ts";
import type { ChangeWatch } from "./watch.ts";

/** The changes of a move. */
export interface Approached {
  /** The place that the pointer left. */
  left: Point;
  /** Regions that changed while the pointer moved. */
  stirred: readonly Region[];
}

/** The means of an approach. */
interface Parts {
  operator: Operator;
  watch: ChangeWatch;
  motion: Motion;
  /** The front window at a place of the screen. */
  windowAt(point: Point): Promise<WindowInfo | undefined>;
}

/**
 * Moves the pointer to the place of an action beforehand, so that changes by the move itself do not count as effects
 * of the action, and waits until the screen is quiet.
 * @returns undefined if the pointer is there already, or the action has no place.
 */
export async function approach(
  { operator, watch, motion, windowAt }: Parts,
  target: ActionTarget,
  caller: Waiter,
): Promise<Approached | undefined> {
  const start = now(), moving = motion.movingAt(start), questions: AskedBefore[] = [];
  const left = target.at === "point" && target.moves
    ? await movedFrom(operator, motion, target.point, caller)
    : undefined;
  const moments: MomentsBefore = { start, questions, ...(left ? { moved: now() } : {}) };
  let handling: Handling | undefined, known = -1;
  for (;;) {
    if (motion.count !== known) {
      known = motion.count;
      moments.changed = motion.after(start - QUIET_BEFORE_MS)
        .findLast(({ regions }) => regions.some((region) => !moving.has(region)))?.at;
    }
    if (handling) questions.at(-1)!.answered = handling.at;
    const step = stepBefore(moments, now());
    if (step === "act") break;
    if (step === "ask") {
      handling = new Handling(operator, target.at === "point" ? await windowAt(target.point) : undefined);
      questions.push({ asked: now() });
      if (!handling.isAsked) handling.ask();
    } else if (step === "look") {
      moments.looked = now();
      await watch.look();
    } else await watch.next(Math.max(1, step - now()), handling?.told, Infinity); // changes only delay the step
  }
  if (!left) return undefined;
  const stirred = motion.after(start).flatMap(({ regions }) =>
    regions.filter((region) => !moving.has(region))
  );
  return { left, stirred: joined(stirred, Infinity, 2) };
}

/** Moves the pointer. @returns The place that the pointer left; undefined if it is there. */
async function movedFrom(
  operator: Operator,
  motion: Motion,
  point: Point,
  caller: Waiter,
): Promise<Point | undefined> {
  const { x, y } = await operator.position();
  if (x === point.x && y === point.y) return undefined;
  motion.acted(now());
  await operator.move(point, caller);
  return { x, y };
}
