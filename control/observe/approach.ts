/** Moves to the place of an action, and waits until the effects of the move are visible. */

import { now } from "../../core/until.ts";
import type { Waiter } from "../../core/mutex.ts";
import type { Point, Region, WindowInfo } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import type { ActionTarget } from "./aims.ts";
import { joined } from "../desktop/geometry.ts";
import type { Motion } from "./motion.ts";
import type { ChangeWatch } from "./watch.ts";

// Waits for a quiet screen before an action, so that earlier changes do not count as its effects. Pure.

/** Time without a new change after which the screen counts as quiet, in milliseconds. */
const QUIET_BEFORE_MS = 60;
/**
 * Time after the last change until deskhand asks the program whether it has handled all input, and the time
 * for drawing after its answer, in milliseconds. On a busy machine a program may pause longer than the quiet
 * period and then draw again: a button that the pointer has left fades in several frames.
 */
const ASKED_MS = 30, DRAWN_MS = 20;
/** Time until the first visible effect of a move, in milliseconds: one wait is enough for both. */
const FIRST_MS = 8;
/**
 * Maximum answer time of a running program, in milliseconds. A program that answers later was paused and may
 * still draw, so deskhand asks again.
 */
const PROMPT_MS = 10;
/**
 * Maximum wait before the action, in milliseconds: `changing` while the screen keeps changing (excluding the
 * program's answer times), `silent` if the program does not answer.
 */
const LIMITS = { changing: 400, silent: 2000 } as const;

/** A request to the program. */
interface AskedBefore {
  asked: number;
  /** When the answer arrived, or when it became clear that none will; undefined until then. */
  answered?: number;
}

/** The moments before an action so far, in milliseconds on one clock. */
export interface MomentsBefore {
  /** When the wait started. */
  start: number;
  /** When the pointer was moved to the place of the action; undefined if it was already there. */
  moved?: number;
  /** The last change of a part that does not move on its own; undefined if there was none. */
  changed?: number;
  /** The requests to the program so far. */
  questions: readonly AskedBefore[];
  /** When the last awaited look at the screen ended. */
  looked?: number;
}

/** The next step before an action: act, ask the program, look at the screen, or wait until a moment. */
export type StepBefore = "act" | "ask" | "look" | number;

/**
 * Returns the next step before an action.
 * @param time The current time.
 * @example
 * stepBefore({ start: 1000, questions: [] }, 1000); // "act"
 * stepBefore({ start: 1000, moved: 1005, questions: [] }, 1010); // 1043
 * stepBefore({ start: 1000, moved: 1005, questions: [] }, 1035); // "ask"
 */
export function stepBefore(moments: MomentsBefore, time: number): StepBefore {
  const { start, moved, changed = -Infinity, looked = -Infinity } = moments;
  const last = Math.max(changed, moved ?? start - QUIET_BEFORE_MS), limit = limitOf(moments, last, time);
  if (time >= limit) return "act";
  const waitOr = (moment: number, step: StepBefore) => time >= moment ? step : Math.min(moment, limit);
  if (moved === undefined) return waitOr(last + QUIET_BEFORE_MS, "act");
  const asked = moments.questions.at(-1);
  if (asked && asked.answered === undefined) return limit;
  const since = moments.questions.filter(({ asked }) => asked >= last + ASKED_MS);
  if (!since.length) return time >= last + ASKED_MS ? "ask" : Math.min(last + ASKED_MS + FIRST_MS, limit);
  const drawn = asked!.answered! + DRAWN_MS;
  if (since.length < 2 && asked!.answered! > asked!.asked + PROMPT_MS) return waitOr(drawn, "ask");
  const quiet = Math.max(last + QUIET_BEFORE_MS, drawn);
  return looked >= quiet ? "act" : waitOr(quiet, "look");
}

function limitOf({ start, questions }: MomentsBefore, last: number, time: number): number {
  const silent = start + LIMITS.silent;
  const isAsking = questions.length > 0 && questions.at(-1)!.answered === undefined;
  // If the machine delayed this thread, it may have delayed the program too.
  if (isAsking || time - last >= QUIET_BEFORE_MS) return silent;
  const late = questions.reduce((sum, { asked, answered = asked }) => sum + answered - asked, 0);
  return Math.min(silent, start + LIMITS.changing + late);
}

// Determines when a window's program has handled an action.

/** Maximum time for a window's program to handle an action, in milliseconds. */
const HANDLED_MS = 2000;

/** A request to a window's program, sent when {@linkcode ask} is called. */
export class Handling {
  /** The program's answer; undefined until it arrives, or if the program cannot tell. */
  answer: boolean | undefined;
  /** When the answer arrived, or when it became clear that none will; undefined until then. */
  at: number | undefined;
  /** The wait for the answer, while in progress. */
  told: Promise<void> | undefined;
  /** Whether the request need no longer be sent. */
  isAsked = false;

  /** @param window The window whose program is asked; without a window there is no answer. */
  constructor(readonly operator: Operator, readonly window: WindowInfo | undefined) {
    if (!window) this.at = now();
    this.isAsked = !window;
  }

  /** Asks whether the program has handled the input so far. */
  ask(): void {
    this.isAsked = true;
    this.told = isHandled(this.operator, this.window!).then((answer) => {
      this.answer = answer;
      this.told = undefined;
      this.at = now();
    });
  }
}

/** Asks whether the window's program has handled the input so far. */
async function isHandled(operator: Operator, window: WindowInfo): Promise<boolean | undefined> {
  const { windows } = operator.desktop;
  return await windows?.hasHandled?.(window, HANDLED_MS).catch(() => undefined);
}

/** The effect of a move. */
export interface Approached {
  /** The position that the pointer left. */
  left: Point;
  /** Regions that changed while the pointer moved. */
  stirred: readonly Region[];
}

/** The context of an approach. */
interface Parts {
  operator: Operator;
  watch: ChangeWatch;
  motion: Motion;
  /** The front window at a screen position. */
  windowAt(point: Point): Promise<WindowInfo | undefined>;
}

/**
 * Moves the pointer to the place of an action in advance, so that changes caused by the move itself do not
 * count as effects of the action, and waits until the screen is quiet.
 * @returns undefined if the pointer is already there or the action has no place.
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

/** Moves the pointer. @returns The position that it left; undefined if it is already there. */
async function movedFrom(
  operator: Operator,
  motion: Motion,
  point: Point,
  caller: Waiter,
): Promise<Point | undefined> {
  const place = await operator.knownPosition();
  if (place?.x === point.x && place.y === point.y) return undefined;
  motion.acted(now());
  await operator.move(point, caller);
  return place ?? point;
}

// When an observation ends: how long an effect may still appear, and how long the screen may keep changing.
// Pure.

/** Time without a new change after which the screen has settled, in milliseconds. */
export const QUIET_MS = 30;
/**
 * Time after an action when the program is asked, in milliseconds: by then, most effects have appeared and
 * settled.
 */
const ANSWER_MS = 40;
/**
 * Limits of an action's observation, in milliseconds: the minimum wait for an effect, both overall and after
 * the program has handled the action (both grow with the machine's load), the maximum wait for an effect, and
 * the maximum time for the screen to settle after an effect.
 */
const WAITS = {
  /** A single action. */
  whole: { shown: 400, handled: 150, limit: 2000, settling: 2000 },
  /** A step before others, which must know whether it missed. */
  step: { shown: 400, handled: 150, limit: 2000, settling: 250 },
  /** A step before others, none of which depends on its effect. */
  brief: { shown: 60, handled: 30, limit: 250, settling: 250 },
} as const;

/** How long an observation waits. */
export type Patience = keyof typeof WAITS;

/** The moments of an observation so far, in milliseconds on one clock. */
export interface Moments {
  /** When the action started and ended. */
  acted: number;
  done: number;
  /** The last change that is not a movement of its own; undefined if there was none. */
  changed?: number;
  /**
   * When the program answered that it has handled the action, or turned out to be unable to answer; undefined
   * until then.
   */
  handled?: number;
  /** Whether the action had an effect. */
  hasEffect: boolean;
  /** `whole` if left out. */
  patience?: Patience;
  /**
   * Number of runnable programs per processor: on a busy machine, effects may appear later. 1 if left out.
   */
  load?: number;
}

/** When the screen has settled, if nothing changes further. */
export function settledAt({ acted, changed = acted }: Moments): number {
  return Math.max(acted, changed) + QUIET_MS;
}

/** When deskhand asks the program whether it has handled the action; most effects appear earlier. */
export function askedAt({ done, patience }: Moments): number {
  return done + (patience === "brief" ? QUIET_MS : ANSWER_MS);
}

/**
 * When the observation ends, if nothing happens before.
 * @example
 * endOf({ acted: 1000, done: 1005, handled: 1010, hasEffect: false }); // 1405
 * endOf({ acted: 1000, done: 1005, handled: 1010, changed: 1020, hasEffect: true }); // 1050
 */
export function endOf(moments: Moments): number {
  const { done, handled = Infinity, hasEffect, patience = "whole", load = 1 } = moments,
    waits = WAITS[patience];
  const slow = patience === "brief" ? 1 : Math.max(1, load);
  const effect = hasEffect ? done : Math.max(done + slow * waits.shown, handled + slow * waits.handled);
  return Math.min(
    Math.max(settledAt(moments), effect),
    done + (hasEffect ? waits.settling : waits.limit),
  );
}
