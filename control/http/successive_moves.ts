/** Successive moves of a list of steps, in one turn: a system that is asked after each takes twenty times as long. */

import { action } from "../actions/action.ts";
import { X, Y } from "../actions/fields.ts";
import { move } from "../actions/pointer.ts";
import type { ActionRunner, Caller } from "../actions/runner.ts";
import { group, list, parseFields } from "../actions/schema.ts";
import { contains, type Point, type ScreenLayout } from "../desktop.ts";

/** A step as it was sent. */
type Step = Record<string, unknown>;

/** The action of several moves in one turn; each counts as a move. */
const MOVES = action({
  name: move.name,
  summary: "Move the pointer to several places",
  effect: "act",
  input: { points: list(group({ x: X, y: Y }, "A place"), "Places on the screen") },
  output: {},
  run: ({ points }, context) =>
    context.operator.gesture(({ desktop }) => desktop.pointer.moveThrough!(points), context),
});

/**
 * Finds the places that {@linkcode moveThrough} can take: those of moves that cannot fail by their values. On several
 * displays each move is checked by itself, since some systems keep the pointer on one of them. A trace has a picture of
 * each move.
 * @returns The places of the steps from a given one on; none where single moves are as good.
 */
export function successivePlaces(steps: readonly Step[], from: number, runner: ActionRunner): Point[] {
  const { operator, trace } = runner, places: Point[] = [];
  const isFollowed = steps[from].action === move.name && steps[from + 1]?.action === move.name;
  if (!isFollowed || !operator.desktop.pointer.moveThrough || trace) return places;
  const screen = operator.screen();
  if (!isOneDisplay(screen)) return places;
  for (let at = from; at < steps.length && steps[at].action === move.name; at++) {
    const place = placeOf(steps[at]);
    if (!place || !contains(screen, place)) break;
    places.push(place);
  }
  return places.length > 1 ? places : [];
}

/** Tells whether one display is all of the screen. Where Xinerama joins several, the first alone is known. */
function isOneDisplay({ displays: [display, ...others], width, height }: ScreenLayout): boolean {
  return !others.length && display?.width === width && display.height === height;
}

/** The place of a move; undefined for a step that names an element or is wrong, which the action itself tells. */
function placeOf({ action: _, ...fields }: Step): Point | undefined {
  if (Object.keys(fields).length !== 2) return undefined;
  try {
    const { x, y } = parseFields(move.input, fields, "", "the step");
    return x === undefined || y === undefined ? undefined : { x, y };
  } catch {
    return undefined;
  }
}

/** Moves the pointer to the places, in one turn. */
export async function moveThrough(points: Point[], runner: ActionRunner, caller: Caller): Promise<void> {
  await runner.run(MOVES, { points }, caller);
  runner.counts.of(move.name).done += points.length - 1;
}
