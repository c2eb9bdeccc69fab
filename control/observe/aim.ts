/** The place where an action has its effect, and the windows around it. */

import { contains, isSameRegion, type Point, type WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import type { ActionTarget } from "./aims.ts";
import type { Moving } from "./motion.ts";
import type { Aim } from "./verdict.ts";

/** The part of a window that moves where all of the window counts as moving. */
const RESTLESS_SHARE = 0.1;

/** The front window at a place. */
export function windowAt(windows: readonly WindowInfo[] | undefined, point: Point): WindowInfo | undefined {
  return windows?.find((window) =>
    window.state !== "minimized" && window.width > 0 && contains(window, point)
  );
}

/** The aim of an action, with its window. */
export function aimOf(
  target: ActionTarget,
  operator: Operator,
  windows: readonly WindowInfo[] | undefined,
  come: Pick<Aim, "left" | "stirred"> | undefined,
): Aim & { window?: WindowInfo } | undefined {
  if (target.at === "nowhere") return undefined;
  const shown = windows?.filter(({ state }) => state !== "minimized") ?? [];
  const knowsPlaces = shown.length > 0 && shown.every(({ width }) => width > 0);
  const point = target.at === "point" ? target.point : undefined;
  const window = point ? windowAt(windows, point) : windows?.find(({ active }) => active);
  const { x, y, width, height } = window?.width ? window : operator.screen();
  const hasArea = !point || window || !knowsPlaces;
  return {
    ...(point ? { point, ...come } : {}),
    ...(hasArea ? { area: { x, y, width, height } } : {}),
    ...(window ? { window } : {}),
  };
}

/** Tells whether a window that is not the aim's moves by itself, in a good part of it: one that plays a film. */
export function isRestless(window: WindowInfo, aim: Aim | undefined, moving: Moving): boolean {
  if (!window.width || window.state === "minimized" || aim?.area && isSameRegion(window, aim.area)) {
    return false;
  }
  return moving.shareOf(window) >= RESTLESS_SHARE;
}
