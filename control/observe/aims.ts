/** The places of actions' effects, by the actions' names: an observation looks there. */

import { pointOf } from "../actions/fields.ts";
import type { Point } from "../desktop.ts";
import type { Operator } from "../operator.ts";

/** The place of an action. */
export type ActionTarget =
  /**
   * A place of the pointer; `moves` is false where the action itself is the move, and `drags` is true if the action
   * then moves on.
   */
  | { at: "point"; point: Point; moves: boolean; drags?: boolean }
  /** The window that gets the keys, or the one that the action names. */
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
  clickOnElement: active,
  clickText: active,
  setElement: active,
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
