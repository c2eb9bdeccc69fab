/** What a person meant by a run of events: a click, a drag, a word typed. */

import type { Button, Direction, Point } from "../desktop.ts";
import { namedKey } from "../keys.ts";
import { pressName } from "./balance.ts";
import type { RecordedEvent } from "./format.ts";

/** A gesture, and when it begins and ends in milliseconds from the start; a motion, when it arrives. */
export type Gesture = { from: number; to: number } & GestureKind;

/** What can be recognised. What cannot is a press, move or release of its own. */
export type GestureKind =
  | { type: "move" } & Point
  | { type: "click"; button: Button; count: number } & Point
  | { type: "drag"; button: Button; start: Point; end: Point }
  | { type: "scroll"; direction: Direction; amount: number } & Point
  | { type: "text"; text: string }
  | { type: "combination"; keys: string }
  | { type: "press" | "release"; key: string }
  | { type: "press" | "release"; button: Button };

/** A hand shakes by this many pixels in a click. */
const CLICK_SLACK = 3;
/** Clicks on one place within this time are one double click, in milliseconds. */
const DOUBLE_CLICK_MS = 500;
/** Notches within this time are one turn of the wheel. */
const WHEEL_MS = 300;
/** A pointer that rests this long on its way is meant to be there. */
const REST_MS = 300;
/** A button or key that is down this long means more than a click or a letter: menus open, letters repeat. */
const HOLD_MS = 500;
/** A hand strays from the straight way of a drag by this part of its length. */
const DRAG_STRAY = 0.1;
/** Letters within this time are one text. */
const TEXT_MS = 1000;

type ButtonEvent = Extract<RecordedEvent, { type: "button" }>;
type Place = Point & { t: number };

/**
 * Recognises gestures.
 * @param events Balanced.
 */
export function gesturesOf(events: readonly RecordedEvent[]): Gesture[] {
  const gestures: Gesture[] = [];
  /** What stays down around other gestures. */
  const held = new Set<string>();
  let pointer: Point | undefined;
  const add = (gesture: Gesture) => {
    // The way of the pointer matters only while something is down.
    if (!held.size && passedBy(gestures.at(-1), gesture)) gestures.pop();
    if (!joined(gestures.at(-1), gesture)) gestures.push(gesture);
    pointer = placeOf(gesture) ?? pointer;
  };
  for (let i = 0; i < events.length;) {
    const name = pressName(events[i]);
    // What is down already only comes up. Typing as text would let go of the keys that are held.
    const found = name === undefined || held.has(name)
      ? undefined
      : buttonGesture(events, i) ?? keyGesture(events, i, held.size === 0);
    if (found) {
      add(found.gesture);
      i = found.next;
      continue;
    }
    const event = events[i++];
    if (event.type === "button" && !(pointer && distance(pointer, event) === 0)) add(motion(event));
    add(single(event));
    if (name !== undefined) held[(event as { down: boolean }).down ? "add" : "delete"](name);
  }
  return gestures;
}

/** Where a gesture leaves the pointer, which it puts there by itself; undefined if it does not. */
function placeOf(gesture: Gesture): Point | undefined {
  if (gesture.type === "drag") return gesture.end;
  return "x" in gesture ? gesture : undefined;
}

/** Whether a motion is a part of the way to the next gesture. */
function passedBy(last: Gesture | undefined, next: Gesture): boolean {
  return last?.type === "move" && placeOf(next) !== undefined && next.from - last.to < REST_MS;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function motion({ t, x, y }: Place): Gesture {
  return { from: t, to: t, type: "move", x, y };
}

function single(event: RecordedEvent): Gesture {
  const { t } = event, time = { from: t, to: t };
  if (event.type === "move") return motion(event);
  if (event.type === "scroll") {
    const { direction, amount, x, y } = event;
    return { ...time, type: "scroll", direction, amount, x, y };
  }
  const type = event.down ? "press" : "release";
  return event.type === "button"
    ? { ...time, type, button: event.button }
    : { ...time, type, key: event.key };
}

/** A button that goes down and up with nothing but motion in between. */
function buttonGesture(events: readonly RecordedEvent[], at: number) {
  const down = events[at];
  if (down.type !== "button" || !down.down) return undefined;
  const way: Place[] = [down];
  for (let i = at + 1; i < events.length; i++) {
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
function clickOrDrag({ button, x, y }: ButtonEvent, way: readonly Place[]): Gesture | undefined {
  const down = way[0], up = way[way.length - 1];
  const time = { from: down.t, to: up.t };
  if (rests(way)) return undefined;
  if (way.every((place) => distance(place, down) <= CLICK_SLACK)) {
    return { ...time, type: "click", button, count: 1, x, y };
  }
  return isStraight(way)
    ? { ...time, type: "drag", button, start: { x, y }, end: { x: up.x, y: up.y } }
    : undefined;
}

/** Whether the pointer stays at one place for long. */
function rests(way: readonly Place[]): boolean {
  let since = way[0];
  return way.some((place, i) => {
    const isLong = place.t - since.t >= HOLD_MS;
    if (distance(place, since) <= CLICK_SLACK && i < way.length - 1) return false;
    since = place;
    return isLong;
  });
}

/** Whether a way leads nowhere but from its start to its end. */
function isStraight(way: readonly Place[]): boolean {
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

/** Keys of which all go down and then all come up. */
function keyGesture(events: readonly RecordedEvent[], at: number, asText: boolean) {
  const first = events[at];
  if (first.type !== "key" || !first.down) return undefined;
  const down = new KeysDown(), order: string[] = [];
  let typed = false, released = false;
  for (let i = at; i < events.length; i++) {
    const event = events[i];
    if (event.type !== "key" || !down.follow(event)) return undefined;
    if (event.down) {
      const types = !namedKey(event.key)?.modifier;
      // A second key while another that is no modifier is down: fast typing, letter by letter.
      if (released || typed && types) return asText ? rollover(events, at) : undefined;
      typed ||= types;
      order.push(event.key);
    } else released = true;
    if (down.none) {
      const gesture = keysGesture(order, first.t, event.t, asText);
      return gesture && { gesture, next: i + 1 };
    }
  }
  return undefined;
}

/** Keys whose presses overlap, without modifiers: text in the order in which they went down. */
function rollover(events: readonly RecordedEvent[], at: number) {
  const down = new KeysDown();
  let text = "";
  for (let i = at; i < events.length; i++) {
    const event = events[i];
    if (event.type !== "key" || !down.follow(event)) return undefined;
    if (event.down) {
      const character = characterOf(event.key, false);
      if (character === undefined) return undefined;
      text += character;
    }
    if (down.none) {
      return { gesture: { from: events[at].t, to: event.t, type: "text", text } as Gesture, next: i + 1 };
    }
  }
  return undefined;
}

/** Follows keys that are tapped. */
class KeysDown {
  readonly #since = new Map<string, number>();

  get none(): boolean {
    return this.#since.size === 0;
  }

  /** @returns Whether it is still no more than tapping: no key goes down twice or stays down for long. */
  follow({ key, down, t }: Extract<RecordedEvent, { type: "key" }>): boolean {
    const since = this.#since.get(key);
    if (down) this.#since.set(key, t);
    else this.#since.delete(key);
    return down ? since === undefined : since !== undefined && t - since < HOLD_MS;
  }
}

function keysGesture(keys: string[], from: number, to: number, asText: boolean): Gesture | undefined {
  const shift = keys.length === 2 && /shift$/.test(keys[0]);
  const text = asText && (keys.length === 1 || shift) ? characterOf(keys.at(-1)!, shift) : undefined;
  if (text !== undefined) return { from, to, type: "text", text };
  // In a combination a capital stands for its key.
  if (keys.length > 1 && keys.some((key) => key !== key.toLowerCase())) return undefined;
  return { from, to, type: "combination", keys: keys.map((key) => key === "+" ? "plus" : key).join("+") };
}

/** What a key types; with Shift only letters are the same on every keyboard. */
function characterOf(key: string, shift: boolean): string | undefined {
  if (key === "space" && !shift) return " ";
  if ([...key].length !== 1) return undefined;
  if (!shift) return key;
  const capital = key.toUpperCase();
  return capital !== key && [...capital].length === 1 ? capital : undefined;
}

/** Makes one gesture of two where they belong together; changes the first. */
function joined(last: Gesture | undefined, next: Gesture): boolean {
  if (last === undefined) return false;
  if (last.type === "text" && next.type === "text" && next.from - last.to < TEXT_MS) {
    Object.assign(last, { text: last.text + next.text, to: next.to });
    return true;
  }
  if (last.type === "click" && next.type === "click" && last.button === next.button && last.count < 3) {
    const near = distance(next, last) <= CLICK_SLACK;
    if (!near || next.from - last.to >= DOUBLE_CLICK_MS) return false;
    Object.assign(last, { count: last.count + 1, to: next.to });
    return true;
  }
  if (last.type === "scroll" && next.type === "scroll" && last.direction === next.direction) {
    const same = last.x === next.x && last.y === next.y && last.amount + next.amount <= 1000;
    if (!same || next.from - last.to >= WHEEL_MS) return false;
    Object.assign(last, { amount: last.amount + next.amount, to: next.to });
    return true;
  }
  return false;
}
