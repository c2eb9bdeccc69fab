/** Where actions have their effect, by action name: an observation looks there. */

import { contains, isSameRegion, isShown, type Point, type WindowInfo } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { pointOf } from "../schema/fields.ts";
import type { Moving } from "./motion.ts";
import type { Aim } from "./verdict.ts";

/** The place of an action's effect. */
export type ActionTarget =
  /**
   * A pointer position; `moves` is false if the action itself is the move, and `drags` is true if the action
   * then moves on.
   */
  | { at: "point"; point: Point; moves: boolean; drags?: boolean }
  /** The window that receives keys, or the one that the action names. */
  | { at: "active" }
  /** No place on the screen. */
  | { at: "nowhere" };

/** Finds the target of an action from its checked values. */
type Aiming = (values: Record<string, unknown>, operator: Operator) => Promise<ActionTarget>;

const NOWHERE: ActionTarget = { at: "nowhere" };

const place: Aiming = async (values, operator) => {
  if (values.element) return { at: "active" };
  const point = pointOf(values as Partial<Point>) ?? await operator.position();
  return { at: "point", point, moves: true };
};
const active: Aiming = () => Promise.resolve({ at: "active" });

/** A background act may affect any window, even a covered one. */
const unlessInBackground: Aiming = ({ background }) =>
  Promise.resolve(background ? NOWHERE : { at: "active" });

/** The actions that have a place on the screen. */
const AIMS: Readonly<Record<string, Aiming>> = {
  move: ({ x, y, element }) =>
    Promise.resolve(element ? { at: "active" } : { at: "point", point: { x, y } as Point, moves: false }),
  click: place,
  scroll: place,
  press: (values, operator) => values.button ? place(values, operator) : active(values, operator),
  release: (values, operator) => values.button ? place(values, operator) : active(values, operator),
  drag: ({ from }) => {
    const { element, ...point } = from as Point & { element?: unknown };
    return Promise.resolve(element ? { at: "active" } : { at: "point", point, moves: true, drags: true });
  },
  key: active,
  type: active,
  activateWindow: active,
  minimizeWindow: active,
  maximizeWindow: active,
  restoreWindow: active,
  fullscreenWindow: active,
  placeWindow: active,
  closeWindow: active,
  clickOnElement: unlessInBackground,
  clickText: active,
  setElement: unlessInBackground,
  scrollToElement: unlessInBackground,
  focusElement: active,
  clickPicture: active,
};

/** The target of an action. */
export async function targetOf(
  name: string,
  values: Record<string, unknown>,
  operator: Operator,
): Promise<ActionTarget> {
  return await AIMS[name]?.(values, operator) ?? NOWHERE;
}

// The place where an action has its effect, and the windows around it.

/** Share of moving area from which a whole window counts as moving. */
const RESTLESS_SHARE = 0.1;

/** The front window at a position. */
export function windowAt(windows: readonly WindowInfo[] | undefined, point: Point): WindowInfo | undefined {
  return windows?.find((window) => isShown(window) && window.width > 0 && contains(window, point));
}

/** The place of an action, with its window. */
export function aimOf(
  target: ActionTarget,
  operator: Operator,
  windows: readonly WindowInfo[] | undefined,
  come: Pick<Aim, "left" | "stirred"> | undefined,
): Aim & { window?: WindowInfo } | undefined {
  if (target.at === "nowhere") return undefined;
  const shown = windows?.filter(isShown) ?? [];
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

/**
 * Whether a window other than the target moves on its own in a large part, for example one that plays a
 * video.
 */
export function isRestless(window: WindowInfo, aim: Aim | undefined, moving: Moving): boolean {
  if (!window.width || !isShown(window) || aim?.area && isSameRegion(window, aim.area)) {
    return false;
  }
  return moving.shareOf(window) >= RESTLESS_SHARE;
}
