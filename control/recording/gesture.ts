/** Gestures: runs of events that a person means as one, such as a click, a drag or typed text. */

import type { Button, Direction, Point } from "../desktop.ts";
import type { RecordedElement } from "../input.ts";

/** A gesture, with its begin and end in milliseconds from the start; for a motion, its arrival. */
export type Gesture = { from: number; to: number } & GestureKind;

/** Kinds of gestures. Anything else is a press, move or release of its own. */
export type GestureKind =
  | { type: "move" } & Point
  | { type: "click"; button: Button; count: number; element?: RecordedElement } & Point
  | { type: "drag"; button: Button; start: Point; end: Point }
  | { type: "scroll"; direction: Direction; amount: number } & Point
  | { type: "text"; text: string }
  | { type: "combination"; keys: string }
  | { type: "press" | "release"; key: string }
  | { type: "press" | "release"; button: Button };

/** A gesture that was recognised, and the index of the first event after it. */
export interface Found {
  gesture: Gesture;
  next: number;
}

/** The most events of one gesture: a longer run is not recognised as a gesture. */
export const GESTURE_EVENTS = 5000;
/** Letters within this time are one text, in milliseconds. */
export const TEXT_MS = 1000;
