/** Clicks and drags: a button that goes down and comes up. */

import type { Point } from "../desktop.ts";
import type { RecordedEvent } from "./format.ts";
import { type Found, type Gesture, GESTURE_EVENTS } from "./gesture.ts";

/** A hand shakes by this many pixels in a click. */
export const CLICK_SLACK = 3;
/** A button that is down this long at one place means more than a click: menus open. In milliseconds. */
const HOLD_MS = 500;
/** A hand strays from the straight way of a drag by this part of its length. */
const DRAG_STRAY = 0.1;

type ButtonEvent = Extract<RecordedEvent, { type: "button" }>;
type TimedPoint = Point & { t: number };

/** The distance of two places in pixels. */
export function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/**
 * Recognises a button that goes down and up with nothing but motion in between.
 * @param at Index of the event that may begin the gesture.
 */
export function buttonGesture(events: readonly RecordedEvent[], at: number): Found | undefined {
  const down = events[at];
  if (down.type !== "button" || !down.down) return undefined;
  const way: TimedPoint[] = [down];
  const end = Math.min(events.length, at + GESTURE_EVENTS);
  for (let i = at + 1; i < end; i++) {
    const event = events[i];
    if (event.type !== "move" && event.type !== "button") return undefined;
    way.push(event);
    if (event.type === "move") continue;
    if (event.down || event.button !== down.button) return undefined;
    const gesture = clickOrDrag(down, way);
    return gesture && { gesture, next: i + 1 };
  }
  return undefined;
}

/** @param way From the press to the release. */
function clickOrDrag(
  { button, x, y, element }: ButtonEvent,
  way: readonly TimedPoint[],
): Gesture | undefined {
  const down = way[0], up = way[way.length - 1];
  const time = { from: down.t, to: up.t };
  if (rests(way)) return undefined;
  if (way.every((place) => distance(place, down) <= CLICK_SLACK)) {
    return { ...time, type: "click", button, count: 1, x, y, ...(element ? { element } : {}) };
  }
  return isStraight(way)
    ? { ...time, type: "drag", button, start: { x, y }, end: { x: up.x, y: up.y } }
    : undefined;
}

/** Tells whether the pointer stays at one place for long. */
function rests(way: readonly TimedPoint[]): boolean {
  let since = way[0];
  return way.some((place, i) => {
    const isLong = place.t - since.t >= HOLD_MS;
    if (distance(place, since) <= CLICK_SLACK && i < way.length - 1) return false;
    since = place;
    return isLong;
  });
}

/** Tells whether a way leads nowhere but from its start to its end. */
function isStraight(way: readonly TimedPoint[]): boolean {
  const start = way[0], end = way[way.length - 1], length = distance(start, end);
  const stray = CLICK_SLACK + length * DRAG_STRAY;
  let furthest = 0;
  return length > CLICK_SLACK && way.every(({ x, y }) => {
    const along = ((x - start.x) * (end.x - start.x) + (y - start.y) * (end.y - start.y)) / length;
    const across = ((x - start.x) * (end.y - start.y) - (y - start.y) * (end.x - start.x)) / length;
    furthest = Math.max(furthest, along);
    return Math.abs(across) <= stray && along >= furthest - stray && along <= length + stray;
  });
}
