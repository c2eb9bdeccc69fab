/** Input events at places on a desktop: the types shared by actions, recordings and back ends. */

import { InputError, StateError } from "../../core/errors.ts";
import { contains, type Point, type Region } from "./geometry.ts";

export * from "./geometry.ts";

/** The pointer buttons, as the API names them. */
export const BUTTONS = ["left", "middle", "right", "back", "forward"] as const;
/** One of {@linkcode BUTTONS}. */
export type Button = typeof BUTTONS[number];

/** A button or key that is down. */
export type Held = [kind: "button", name: Button] | [kind: "key", name: string];

/** Wheel directions. */
export const DIRECTIONS = ["up", "down", "left", "right"] as const;
/** One of {@linkcode DIRECTIONS}. */
export type Direction = typeof DIRECTIONS[number];

/** Maximum number of wheel notches in one action. */
export const SCROLL_LIMIT = 1000;

/**
 * The element under a recorded press, described so that it can be found again, and its place at that time.
 */
export interface RecordedElement extends Region {
  role: string;
  name: string;
  /** The title of the element's window. */
  title: string;
  /** Index of the element among those with its role and name, from 1; left out if it is the only one. */
  nth?: number;
}

/** The text under a recorded press that is on no element. */
export interface RecordedText {
  text: string;
  /** The title of its window; left out if no window is known there. */
  title?: string;
  /** Index of the text among equal matches, from 1; left out if it is the only one. */
  nth?: number;
}

/**
 * One pointer or keyboard event. `key` is a name from `control/desktop/keys.ts`; `text` is the character that
 * a press typed, unless the key's name implies it (`typedCharacter`). `unplaced` marks a button or notch
 * whose position the system did not report: its coordinates are the pointer position a moment later.
 */
export type InputAction =
  | { type: "move"; x: number; y: number }
  | {
    type: "button";
    button: Button;
    down: boolean;
    x: number;
    y: number;
    element?: RecordedElement;
    text?: RecordedText;
    unplaced?: boolean;
  }
  | { type: "scroll"; direction: Direction; amount: number; x: number; y: number; unplaced?: boolean }
  | { type: "key"; key: string; down: boolean; text?: string };

/** An action observed on the desktop. */
export interface ObservedAction {
  action: InputAction;
  /**
   * Time in ms, as the watching thread's `performance.timeOrigin + performance.now()`; never decreases.
   */
  at: number;
  /** Whether a program (deskhand or another) made the event, rather than a person's device. */
  injected: boolean;
}

/** An entry of a desktop's log: an action, or a whole text. */
export type LoggedAction = InputAction | { type: "text"; text: string };

// Checks of places and regions against the desktop.

/**
 * Checks that a place is on the desktop.
 * @param screen All displays together.
 * @param prefix The text before the coordinate's name in messages (`from.`).
 * @throws InputError naming the coordinate and its range.
 */
export function checkPoint(screen: Region, point: Point, prefix = ""): void {
  if (contains(screen, point)) return;
  checkRange(`${prefix}x`, point.x, screen.x, screen.x + screen.width - 1);
  checkRange(`${prefix}y`, point.y, screen.y, screen.y + screen.height - 1);
}

/**
 * Extends a partial region to the desktop's edges.
 * @param screen All displays together.
 * @param partial The region; without a field, it reaches to the edge.
 * @throws InputError naming the field that leaves the desktop and the allowed range.
 * @example
 * completeRegion({ x: 0, y: 0, width: 1280, height: 720 }, { x: 100 }); // { x: 100, y: 0, width: 1180, height: 720 }
 */
export function completeRegion(screen: Region, partial: Partial<Region>): Region {
  const x = partial.x ?? screen.x, y = partial.y ?? screen.y;
  const right = screen.x + screen.width, bottom = screen.y + screen.height;
  checkRange("x", x, screen.x, right - 1);
  checkRange("y", y, screen.y, bottom - 1);
  const { width = right - x, height = bottom - y } = partial;
  checkRange("width", width, 1, right - x);
  checkRange("height", height, 1, bottom - y);
  return { x, y, width, height };
}

function checkRange(name: string, value: number, minimum: number, maximum: number): void {
  if (value < minimum || value > maximum) {
    throw new InputError(
      `${name} must be from ${minimum} to ${maximum} (the bounds of the desktop), not ${value}`,
    );
  }
}

/**
 * Checks that a move brought the pointer to a place, so that a press cannot hit another place.
 * @param desktop The part that reports where the pointer is instead.
 * @throws StateError with the pointer's actual position.
 */
export function checkArrival(
  { pointer }: { pointer: { elsewhere?(place: Point): Point | undefined } },
  point: Point,
): void {
  const place = pointer.elsewhere?.(point);
  if (place) throw new StateError(notArrived(point, place, "Nothing was pressed"));
}

/**
 * The message for a pointer that a move left elsewhere.
 * @param outcome What was done.
 */
export function notArrived(point: Point, place: Point, outcome: string): string {
  return `the pointer did not get to ${point.x},${point.y}: it is at ${place.x},${place.y}, since no monitor shows ` +
    `that position or a program confines the pointer. ${outcome}`;
}

/** Splits a region into tiles of at most the given size, from left to right and from the top down. */
export function* tilesOf({ x, y, width, height }: Region, size: number): Generator<Region> {
  for (let top = y; top < y + height; top += size) {
    for (let left = x; left < x + width; left += size) {
      yield {
        x: left,
        y: top,
        width: Math.min(size, x + width - left),
        height: Math.min(size, y + height - top),
      };
    }
  }
}
