/** Verdicts: whether an action had an effect, judging by the changes after it. Pure. */

import { contains, type Point, type Region } from "../desktop/desktop.ts";
import type { Judgement } from "../operator/calls.ts";
import { joined, touches, widened } from "../desktop/geometry.ts";
import { isCaret, isInside, type Moving } from "./motion.ts";

export interface Aim {
  /** The position of a pointer action. */
  point?: Point;
  /** The position that the pointer left, where the screen may still change as a result. */
  left?: Point;
  /** Regions that changed while the pointer moved: the places that it left or reached may keep changing. */
  stirred?: readonly Region[];
  /** The window at the place, or the focused one; the screen if windows have no places. */
  area?: Region;
}

/** An observation after an action. */
export interface Evidence {
  /** The place of the action's effect; left out if the action is not on the screen. */
  aim?: Aim;
  /** Where the screen changed. */
  regions: readonly Region[];
  /** The regions that moved on their own before the action. */
  moving: Moving;
  /** Other windows that move on their own, for example one that plays a video. */
  restless?: readonly Region[];
  /** Whether the action moves a pointer that is drawn into the picture. */
  movesPointer?: boolean;
  /**
   * Whether the screen was watched long enough before the action to know the parts that move on their own.
   */
  isKnown: boolean;
  /** The change of a window or element in words, such as `a window opened`. */
  change?: string;
  /** Whether the screen had settled at the end, apart from parts that move on their own. */
  isSettled: boolean;
  /** Whether the window's program has handled the action; undefined if unknown. */
  isHandled?: boolean;
}

/** Radius around a place outside all windows that counts as the place, in pixels: a desktop icon. */
const AROUND = 64;
/** Maximum width and height of a pointer image, in pixels; pictures are compared in tiles of this size. */
const POINTER = 64;

/**
 * Sorts changed regions: `fresh` are those that do not move on their own, `own` those of `fresh` that belong
 * to the action, and `left` those that may have changed because the pointer left.
 */
export function sortRegions({ aim, regions, moving }: Pick<Evidence, "aim" | "regions" | "moving">) {
  const area = aim && areaOf(aim);
  const fresh = regions.filter((region) => !moving.has(region));
  const near = fresh.filter((region) =>
    area && touches(region, area) || aim?.point && contains(region, aim.point)
  );
  const parts = aim?.left ? joined(near, Infinity, 2).filter((part) => isLeft(part, aim)) : [];
  const stirred = aim?.stirred?.filter((part) => !aim.point || !contains(widened(part, 1), aim.point)) ?? [];
  const left = near.filter((region) =>
    parts.some((part) => touches(part, region)) || stirred.some((part) => isInside(region, part))
  );
  return { fresh, own: near.filter((region) => !left.includes(region)), left };
}

function isLeft(region: Region, { point, left }: Aim): boolean {
  if (!point || !left || !contains(widened(region, 1), left)) return false;
  return !contains(widened(region, 1), point);
}

/** Whether a region is no larger than a pointer image. */
function isPointer({ width, height }: Region): boolean {
  return width <= POINTER && height <= POINTER;
}

function areaOf({ area, point }: Aim): Region | undefined {
  return area ?? (point && widened({ ...point, width: 1, height: 1 }, AROUND));
}

/** Judges an action. */
export function judge(evidence: Evidence): Judgement {
  const { aim, change, moving, isKnown, isSettled, isHandled, restless = [] } = evidence;
  if (change) return { verdict: "hit", reason: change };
  const { fresh, own: all, left } = sortRegions(evidence), point = aim?.point;
  const own = evidence.movesPointer ? all.filter((region) => !isPointer(region)) : all;
  if (!aim) return { verdict: "unsure", reason: "the action is not on the screen" };
  if (own.length && (isKnown || own.some((region) => !isCaret(region)))) {
    const isThere = point !== undefined && own.some((region) => contains(widened(region, 1), point));
    const reason = isThere ? "the place changed" : aim.area ? "the window changed" : "something near changed";
    return { verdict: "hit", reason };
  }
  const isElse = (region: Region) =>
    !moving.surrounds(region) && !restless.some((window) => isInside(region, window));
  const reasons: [isSo: boolean, reason: string][] = [
    [own.length > 0, "what changed may be a caret that blinked before"],
    [isMovingAt(moving, point), "the place moved before the action"],
    [!isSettled, "the screen did not settle"],
    [isHandled === false, "the program has not handled the action yet"],
    [own.length < all.length, "what changed may be the pointer"],
    [left.length > 0, "what the pointer left changed"],
    [fresh.some(isElse), "something changed elsewhere"],
  ];
  const doubt = reasons.find(([isSo]) => isSo);
  if (doubt) return { verdict: "unsure", reason: doubt[1] };
  return { verdict: "miss", reason: "nothing changed" };
}

function isMovingAt(moving: Moving, point: Point | undefined): boolean {
  return point !== undefined && moving.has({ ...point, width: 1, height: 1 });
}

// One verdict for several actions, from before the first until after the last. Pure.

/**
 * Merges the verdicts of consecutive actions.
 * @param parts The verdicts in order. Effects of moves and wheels were not waited for, so their `miss` may be
 * a late effect. A failed action has no verdict, but may have changed something.
 * @param hasChanged Whether anything has changed since the first action started, apart from parts that move
 * on their own.
 * @example
 * wholeOf([{ verdict: "hit", reason: "a window opened" }, { verdict: "miss", reason: "nothing changed" }], true);
 * // { verdict: "hit", reason: "a window opened" }
 */
export function wholeOf(parts: readonly Judgement[], hasChanged: boolean): Judgement {
  for (const verdict of ["hit", "unsure"]) {
    const last = parts.findLast((part) => part.verdict === verdict);
    if (last) return { verdict: last.verdict, reason: last.reason };
  }
  if (hasChanged) return { verdict: "unsure", reason: "something changed after the actions" };
  return { verdict: "miss", reason: parts.at(-1)?.reason ?? "nothing changed" };
}
