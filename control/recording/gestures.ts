/** Recognises gestures, such as clicks and typed text, in runs of events. */

import { type Point, SCROLL_LIMIT } from "../desktop.ts";
import { pressName } from "../held.ts";
import type { RecordedEvent } from "./format.ts";
import { type Gesture, GESTURE_EVENTS, TEXT_MS } from "./gesture.ts";
import { keyGesture } from "./key_gestures.ts";
import { buttonGesture, CLICK_SLACK, distance } from "./pointer_gestures.ts";

/** Clicks on one place within this time are one double click, in milliseconds. */
const DOUBLE_CLICK_MS = 500;
/** Notches within this time are one turn of the wheel. */
const WHEEL_MS = 300;
/** The time that a pointer must rest at a place on its way so that the place counts, in milliseconds. */
const REST_MS = 300;
/** The longest text of one gesture, in UTF-16 code units: as JSON it fits into the body of one request. */
const TEXT_LIMIT = 8000;

/**
 * Recognises gestures.
 * @param batches The events, balanced.
 * @returns The gestures in order, some after each batch.
 */
export function* gestureBatches(batches: Iterable<RecordedEvent[]>): Generator<Gesture[], void> {
  const recognition = new Recognition();
  for (const batch of batches) yield recognition.read(batch);
  yield recognition.rest();
}

/** Reads events in order and joins gestures that belong together. */
class Recognition {
  /** Events that were not read yet; reading an event may look at later events. */
  #events: RecordedEvent[] = [];
  #next = 0;
  /** Recognised gestures; the last two may still be joined with later events. */
  #gestures: Gesture[] = [];
  /** Keys and buttons that stay down around other gestures. */
  readonly #held = new Set<string>();
  #pointer: Point | undefined;

  /** @returns The gestures that later events cannot change; each is returned once. */
  read(batch: readonly RecordedEvent[]): Gesture[] {
    this.#events = [...this.#events.slice(this.#next), ...batch];
    this.#next = 0;
    while (this.#next + GESTURE_EVENTS < this.#events.length) this.#read();
    return this.#gestures.splice(0, this.#gestures.length - 2);
  }

  /** @returns The gestures that were not given yet. */
  rest(): Gesture[] {
    while (this.#next < this.#events.length) this.#read();
    return this.#gestures;
  }

  #read() {
    const events = this.#events;
    const name = pressName(events[this.#next]);
    // A key that is down already is only released. Typing as text would release the held keys.
    const found = name === undefined || this.#held.has(name)
      ? undefined
      : buttonGesture(events, this.#next) ?? keyGesture(events, this.#next, this.#held.size === 0);
    if (found) {
      this.#add(found.gesture);
      this.#next = found.next;
      return;
    }
    const event = events[this.#next++];
    const moves = event.type === "button" && !(this.#pointer && distance(this.#pointer, event) === 0);
    if (moves) this.#add({ from: event.t, to: event.t, type: "move", x: event.x, y: event.y });
    this.#add(single(event));
    if (name !== undefined) this.#held[(event as { down: boolean }).down ? "add" : "delete"](name);
  }

  #add(gesture: Gesture) {
    // The pointer's path matters only while a button or key is down.
    if (!this.#held.size && isOnTheWay(this.#gestures.at(-1), gesture)) this.#gestures.pop();
    if (!joined(this.#gestures.at(-1), gesture)) this.#gestures.push(gesture);
    this.#pointer = placeOf(gesture) ?? this.#pointer;
  }
}

/** The place to which a gesture itself moves the pointer; undefined if it does not move the pointer. */
function placeOf(gesture: Gesture): Point | undefined {
  if (gesture.type === "drag") return gesture.end;
  return "x" in gesture ? gesture : undefined;
}

/** Tells whether a motion is a part of the way to the next gesture. */
function isOnTheWay(last: Gesture | undefined, next: Gesture): boolean {
  return last?.type === "move" && placeOf(next) !== undefined && next.from - last.to < REST_MS;
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

/** Makes one gesture of two where they belong together; changes the first. */
function joined(last: Gesture | undefined, next: Gesture): boolean {
  if (last === undefined) return false;
  if (last.type === "text" && next.type === "text") {
    const text = last.text + next.text;
    if (next.from - last.to >= TEXT_MS || text.length > TEXT_LIMIT) return false;
    Object.assign(last, { text, to: next.to });
    return true;
  }
  if (last.type === "click" && next.type === "click" && last.button === next.button && last.count < 3) {
    const near = distance(next, last) <= CLICK_SLACK;
    if (!near || next.from - last.to >= DOUBLE_CLICK_MS) return false;
    Object.assign(last, { count: last.count + 1, to: next.to });
    return true;
  }
  if (last.type === "scroll" && next.type === "scroll" && last.direction === next.direction) {
    const same = last.x === next.x && last.y === next.y && last.amount + next.amount <= SCROLL_LIMIT;
    if (!same || next.from - last.to >= WHEEL_MS) return false;
    Object.assign(last, { amount: last.amount + next.amount, to: next.to });
    return true;
  }
  return false;
}
