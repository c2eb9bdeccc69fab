/** Observes an action: what the screen and the windows were before, and what became of them. */

import { ExpectedError, UnsupportedError } from "../../core/errors.ts";
import type { Waiter } from "../../core/mutex.ts";
import { contains, type Point, type Region, type WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { differenceOf, isOther, type WindowsDifference } from "../windows/difference.ts";
import { listWindows } from "../windows/list.ts";
import type { Target } from "./aims.ts";
import { now } from "./clock.ts";
import { isCaret, type Motion, type Moving } from "./motion.ts";
import { joined } from "./regions.ts";
import { type Aim, judge, type Judgement, sortRegions } from "./verdict.ts";
import type { ChangeWatch } from "./watch.ts";

/** The screen has settled when nothing new has changed for so long, in milliseconds. */
const QUIET_MS = 30;
/** The same before an action: what the pointer left may change slowly. */
const QUIET_BEFORE_MS = 60;
/** The shortest time in which an effect is waited for, also after the program has handled the action, in milliseconds. */
const EFFECT_MS = { shown: 400, handled: 150 } as const;
/** The longest time in which a screen settles: before an action, and after it, in milliseconds. */
const LIMIT_MS = { before: 400, after: 2000 } as const;
/** How long the program of a window may take to handle an action, in milliseconds. */
const HANDLED_MS = 2000;

/** The effect of an action. */
export interface Seen extends Judgement {
  /** From the action to the last change, in milliseconds; left out if the screen did not settle. */
  settledMs?: number;
  /** Where the screen changed, but for what moves by itself. */
  regions: Region[];
  windows?: WindowsDifference;
}

/** The means of an observation. */
export interface ObservationParts {
  operator: Operator;
  watch: ChangeWatch;
}

/**
 * Runs an action and observes what it does.
 * @param target Where the action has its effect.
 * @param caller Who asks: nothing is moved for one that has left.
 * @param act Runs the action.
 * @returns What the action gives, and what was seen: `unsure` where the screen cannot be watched.
 * @throws What the action throws.
 */
export async function observe<T>(
  { operator, watch }: ObservationParts,
  target: Target,
  caller: Waiter,
  act: () => Promise<T>,
): Promise<{ result: T; seen: Seen }> {
  let watching: Disposable;
  try {
    watching = await watch.watch();
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    return { result: await act(), seen: { verdict: "unsure", reason: error.message, regions: [] } };
  }
  using _ = watching;
  using _close = watch.closely();
  const observation = new Observation(operator, watch, watch.motion!);
  await observation.approach(target, caller);
  caller.signal.throwIfAborted();
  const before = await windowsOf(operator), { left } = observation;
  const aim = aimOf(target, operator, before, left);
  observation.begin();
  const result = await act();
  return { result, seen: await observation.end(aim, before) };
}

/** One observation. */
class Observation {
  /** The place that the pointer left. */
  left: Point | undefined;
  #actedAt = 0;
  #moving!: Moving;

  constructor(readonly operator: Operator, readonly watch: ChangeWatch, readonly motion: Motion) {}

  /** Moves to the place beforehand, so that what the move itself changes there is no effect of the action. */
  async approach(target: Target, caller: Waiter): Promise<void> {
    const start = now();
    let moved = start - QUIET_BEFORE_MS;
    if (target.at === "point" && target.moves) {
      const { x, y } = await this.operator.position();
      if (x !== target.point.x || y !== target.point.y) {
        this.left = { x, y };
        this.motion.acted(now());
        await this.operator.move(target.point, caller);
        const window = windowAt(await windowsOf(this.operator), target.point);
        if (window) await isHandled(this.operator, window);
        await this.watch.look();
        moved = now();
      }
    }
    const moving = this.motion.movingAt(start);
    await this.#untilQuiet(moving, moved, start + LIMIT_MS.before);
  }

  /** Called just before the action. */
  begin(): void {
    this.#actedAt = now();
    this.#moving = this.motion.movingAt(this.#actedAt);
    this.motion.acted(this.#actedAt);
  }

  /** Waits for the effects of the action, and judges it. */
  async end(
    aim: Aim & { window?: WindowInfo } | undefined,
    before: readonly WindowInfo[] | undefined,
  ): Promise<Seen> {
    const end = now(), limit = end + LIMIT_MS.after, { operator, watch } = this;
    this.motion.acted(end);
    let answered: boolean | undefined, answeredAt = aim?.window ? Infinity : end;
    if (aim?.window) {
      isHandled(operator, aim.window).then((isSo) => {
        answered = isSo;
        answeredAt = now();
      });
    }
    let after = before, isChecked = 0;
    for (;;) {
      const { own, fresh } = this.#sorted(aim), last = this.#lastAt(fresh), time = now();
      const isQuiet = time - Math.max(last, this.#actedAt) >= QUIET_MS;
      const isOver = time >= end + EFFECT_MS.shown && time >= answeredAt + EFFECT_MS.handled;
      if (fresh.length > isChecked && isQuiet) {
        isChecked = fresh.length;
        after = await windowsOf(operator);
      }
      // What may be a caret is an effect only where it is known what blinked before.
      const isShown = own.some((region) => this.motion.isKnown(this.#actedAt) || !isCaret(region));
      const isEffect = isShown || before && after && isOther(before, after);
      if (
        isQuiet && (isEffect || isOver) || time >= Math.max(limit, Math.min(answeredAt, end + HANDLED_MS))
      ) break;
      await watch.next(Math.max(1, isEffect || isOver ? last + QUIET_MS - time : 10));
    }
    if (!this.#sorted(aim).own.length) {
      await watch.look(); // what changed until now is noted: a miss is sure
      after = await windowsOf(operator);
    }
    return this.#seen(aim, before, after, answered);
  }

  #seen(
    aim: Aim | undefined,
    before: readonly WindowInfo[] | undefined,
    after: readonly WindowInfo[] | undefined,
    answered: boolean | undefined,
  ): Seen {
    const { fresh } = this.#sorted(aim), last = this.#lastAt(fresh);
    const isSettled = now() - Math.max(last, this.#actedAt) >= QUIET_MS;
    const windows = before && after && isOther(before, after) ? differenceOf(before, after) : undefined;
    const judgement = judge({
      aim,
      regions: fresh.map(({ region }) => region),
      moving: this.#moving,
      isKnown: this.motion.isKnown(this.#actedAt),
      ...(windows ? { change: changeText(windows) } : {}),
      isSettled,
      ...(answered === undefined ? {} : { isHandled: answered }),
    });
    return {
      ...judgement,
      ...(isSettled ? { settledMs: Math.max(0, Math.round(last - this.#actedAt)) } : {}),
      regions: joined(fresh.map(({ region }) => region)),
      ...(windows ? { windows } : {}),
    };
  }

  /** The regions that have changed since the action, but for what moves by itself: all, and those of the aim. */
  #sorted(aim: Aim | undefined) {
    const fresh = this.motion.after(this.#actedAt).flatMap(({ at, regions }) =>
      sortRegions({ aim, regions, moving: this.#moving }).fresh.map((region) => ({ at, region }))
    );
    const regions = fresh.map(({ region }) => region);
    return { fresh, own: sortRegions({ aim, regions, moving: this.#moving }).own };
  }

  #lastAt(fresh: readonly { at: number }[]): number {
    return fresh.at(-1)?.at ?? this.#actedAt;
  }

  /** Waits until nothing but what moves by itself has changed for a while, or the time is over. */
  async #untilQuiet(moving: Moving, since: number, limit: number): Promise<void> {
    for (;;) {
      const changes = this.motion.after(now() - QUIET_BEFORE_MS);
      const last = changes.findLast(({ regions }) => regions.some((region) => !moving.has(region)))?.at ??
        since;
      const left = Math.min(Math.max(last, since) + QUIET_BEFORE_MS, limit) - now();
      if (left <= 0) return;
      await this.watch.next(left);
    }
  }
}

/** The windows; undefined where the desktop does not tell them. */
async function windowsOf(operator: Operator): Promise<WindowInfo[] | undefined> {
  try {
    return await listWindows(operator);
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    throw error;
  }
}

/** The front window at a place. */
function windowAt(windows: readonly WindowInfo[] | undefined, point: Point): WindowInfo | undefined {
  return windows?.find((window) =>
    window.state !== "minimized" && window.width > 0 && contains(window, point)
  );
}

function aimOf(
  target: Target,
  operator: Operator,
  windows: readonly WindowInfo[] | undefined,
  left: Point | undefined,
): Aim & { window?: WindowInfo } | undefined {
  if (target.at === "nowhere") return undefined;
  const knowsPlaces = windows?.some(({ width }) => width > 0) ?? false;
  const point = target.at === "point" ? target.point : undefined;
  const window = point ? windowAt(windows, point) : windows?.find(({ active }) => active);
  const { x, y, width, height } = window?.width ? window : operator.screen();
  const hasArea = !point || window || !knowsPlaces;
  return {
    ...(point ? { point, ...(left ? { left } : {}) } : {}),
    ...(hasArea ? { area: { x, y, width, height } } : {}),
    ...(window ? { window } : {}),
  };
}

/** Asks whether the window's program has handled the input so far. */
async function isHandled(operator: Operator, window: WindowInfo): Promise<boolean | undefined> {
  const { windows } = operator.desktop;
  return await windows?.hasHandled?.(window, HANDLED_MS).catch(() => undefined);
}

function changeText({ opened, closed, active }: WindowsDifference): string {
  if (opened.length) return "a window opened";
  if (closed.length) return "a window closed";
  return active ? "another window became active" : "no window is active any more";
}
