/** What a person meant by a run of events: a click, a drag, a word typed. */

import type { Button, Direction, Point } from "../desktop.ts";
import { namedKey } from "../keys.ts";
import type { RecordedEvent } from "./format.ts";

/** A gesture, and when it began and ended in milliseconds from the start. */
export type Gesture = { from: number; to: number } & GestureKind;

/** What can be recognised. What cannot is a press or release of its own. */
export type GestureKind =
  | { type: "move" } & Point
  | { type: "click"; button: Button; count: number } & Point
  | { type: "drag"; button: Button; start: Point; end: Point }
  | { type: "scroll"; direction: Direction; amount: number } & Point
  | { type: "text"; text: string }
  | { type: "combination"; keys: string[] }
  | { type: "press" | "release"; key: string }
  | { type: "press" | "release"; button: Button };

/** A hand shakes by this many pixels in a click. */
const CLICK_SLACK = 3;
/** Clicks on one place within this time are one double click, in milliseconds. */
const DOUBLE_CLICK_MS = 500;
/** Notches within this time are one turn of the wheel. */
const WHEEL_MS = 300;
/** Letters within this time are one text. */
const TEXT_MS = 1000;

type Down = Extract<RecordedEvent, { type: "button" }>;

/**
 * Recognises gestures.
 * @param events Balanced.
 */
export function gesturesOf(events: readonly RecordedEvent[]): Gesture[] {
  const gestures: Gesture[] = [];
  const add = (gesture: Gesture) => {
    if (!joined(gestures.at(-1), gesture)) gestures.push(gesture);
  };
  /** Keys that stay down around other gestures: typing as text would let go of them. */
  const held = new Set<string>();
  for (let i = 0; i < events.length;) {
    const found = buttonGesture(events, i) ?? keyGesture(events, i, held.size === 0);
    if (found) {
      add(found.gesture);
      i = found.next;
      continue;
    }
    const event = events[i++];
    if (event.type === "key") held[event.down ? "add" : "delete"](event.key);
    add(single(event));
  }
  return gestures.filter((gesture, i) => !(gesture.type === "move" && includesMove(gestures[i + 1])));
}

/** Whether a gesture goes to its place by itself. */
function includesMove(gesture: Gesture | undefined): boolean {
  return gesture !== undefined && ["move", "click", "drag", "scroll"].includes(gesture.type);
}

function single(event: RecordedEvent): Gesture {
  const { t } = event, time = { from: t, to: t };
  if (event.type === "move") return { ...time, type: "move", x: event.x, y: event.y };
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
  for (let i = at + 1; i < events.length; i++) {
    const event = events[i];
    if (event.type === "move") continue;
    if (event.type !== "button" || event.down || event.button !== down.button) return undefined;
    return { gesture: clickOrDrag(down, event), next: i + 1 };
  }
  return undefined;
}

function clickOrDrag(down: Down, up: Down): Gesture {
  const time = { from: down.t, to: up.t };
  const { button, x, y } = down;
  if (Math.hypot(up.x - x, up.y - y) <= CLICK_SLACK) {
    return { ...time, type: "click", button, count: 1, x, y };
  }
  return { ...time, type: "drag", button, start: { x, y }, end: { x: up.x, y: up.y } };
}

/** Keys that go down and up with nothing but motion and other keys in between, until none is down. */
function keyGesture(events: readonly RecordedEvent[], at: number, asText: boolean) {
  const first = events[at];
  if (first.type !== "key" || !first.down) return undefined;
  const down = new Set<string>(), order: string[] = [];
  let typed: string | undefined;
  for (let i = at; i < events.length; i++) {
    const event = events[i];
    if (event.type === "move" && i > at) continue;
    if (event.type !== "key") return undefined;
    if (event.down) {
      // A second key while another that is no modifier is down: fast typing, letter by letter.
      if (typed !== undefined && down.has(typed) && !namedKey(event.key)?.modifier) {
        return asText ? rollover(events, at) : undefined;
      }
      if (typed !== undefined && !down.has(typed)) return undefined;
      if (!namedKey(event.key)?.modifier) typed = event.key;
      order.push(event.key);
      down.add(event.key);
    } else down.delete(event.key);
    if (!down.size) return { gesture: keysGesture(order, first.t, event.t, asText), next: i + 1 };
  }
  return undefined;
}

/** Keys whose presses overlap, without modifiers: text in the order in which they went down. */
function rollover(events: readonly RecordedEvent[], at: number) {
  const down = new Set<string>();
  let text = "";
  for (let i = at; i < events.length; i++) {
    const event = events[i];
    if (event.type === "move") continue;
    if (event.type !== "key") return undefined;
    if (event.down) {
      const character = characterOf(event.key, false);
      if (character === undefined) return undefined;
      text += character;
      down.add(event.key);
    } else down.delete(event.key);
    if (!down.size) {
      return { gesture: { from: events[at].t, to: event.t, type: "text", text } as Gesture, next: i + 1 };
    }
  }
  return undefined;
}

function keysGesture(keys: string[], from: number, to: number, asText: boolean): Gesture {
  const shift = keys.length === 2 && /shift$/.test(keys[0]);
  const text = asText && (keys.length === 1 || shift) ? characterOf(keys.at(-1)!, shift) : undefined;
  return text === undefined ? { from, to, type: "combination", keys } : { from, to, type: "text", text };
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
  if (last.type === "move" && next.type === "move" && next.from - last.to < WHEEL_MS) {
    Object.assign(last, { x: next.x, y: next.y, to: next.to });
    return true;
  }
  if (last.type === "text" && next.type === "text" && next.from - last.to < TEXT_MS) {
    Object.assign(last, { text: last.text + next.text, to: next.to });
    return true;
  }
  if (last.type === "click" && next.type === "click" && last.button === next.button && last.count < 3) {
    const near = Math.hypot(next.x - last.x, next.y - last.y) <= CLICK_SLACK;
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
