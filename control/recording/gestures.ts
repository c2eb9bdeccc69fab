/** Recognizes gestures, such as clicks and typed text, in sequences of events. */

import { type Button, type Direction, type Point, SCROLL_LIMIT } from "../desktop/desktop.ts";
import type { RecordedElement, RecordedText } from "../desktop/input.ts";
import { isArea } from "../elements/query.ts";
import { namedKey, typedCharacter } from "../desktop/keys.ts";
import { pressName } from "../operator/held.ts";
import type { RecordedEvent } from "./format.ts";

// Gestures: sequences of events that a person performs as one, such as a click, a drag or typed text.

/**
 * A gesture, with its start and end in milliseconds from the start of the recording; for a motion, its
 * arrival.
 */
export type Gesture = { from: number; to: number } & GestureKind;

/** Kinds of gestures. Anything else is a separate press, move or release. */
type GestureKind =
  | { type: "move" } & Point
  | { type: "click"; button: Button; count: number; element?: RecordedElement; text?: RecordedText } & Point
  | { type: "drag"; button: Button; start: Point; end: Point }
  | { type: "scroll"; direction: Direction; amount: number } & Point
  | { type: "text"; text: string }
  | { type: "combination"; keys: string }
  | { type: "press" | "release"; key: string }
  | { type: "press" | "release"; button: Button };

/** The element or text that a click is saved as; undefined for a click at a position. */
export function targetOf(
  { element, text }: Extract<Gesture, { type: "click" }>,
): RecordedElement | RecordedText | undefined {
  return element && !isArea(element) ? element : text;
}

/** A recognized gesture, and the index of the first event after it. */
interface Found {
  gesture: Gesture;
  next: number;
}

/** Maximum number of events in a gesture: a longer sequence is not recognized. */
const GESTURE_EVENTS = 5000;
/** Maximum time between letters of one text, in milliseconds. */
const TEXT_MS = 1000;

// Typed text and key combinations: keys that go down and up.

/** Time from which a held key is more than a letter: it repeats. In milliseconds. */
const HOLD_MS = 500;
/** Maximum number of keys that a person holds down at the same time. */
const FINGERS = 10;
const SHIFT_KEYS: readonly string[] = ["shift", "rightshift"];

type KeyEvent = Extract<RecordedEvent, { type: "key" }>;

/**
 * Recognizes keys that go down and up again.
 * @param at Index of the event that may start the gesture.
 * @param asText Whether the keys may be text; otherwise, they are a combination or no gesture.
 */
function keyGesture(events: readonly RecordedEvent[], at: number, asText: boolean): Found | undefined {
  const first = events[at];
  if (first.type !== "key" || !first.down) return undefined;
  return (asText ? typedText(events, at) : undefined) ?? combination(events, at);
}

/**
 * Text in the order in which its keys went down. Keys may overlap, as in fast typing, and modifiers may stay
 * down for several of them.
 */
function typedText(events: readonly RecordedEvent[], at: number): Found | undefined {
  const down = new KeysDown();
  let text = "", pressedAt = events[at].t;
  for (const [event, next] of keysFrom(events, at)) {
    if (event.t - pressedAt >= TEXT_MS || !down.follow(event, isModifier(event.key))) return undefined;
    if (event.down && !isModifier(event.key)) {
      const character = characterOf(event, down);
      if (character === undefined) return undefined;
      text += character;
    }
    if (event.down) pressedAt = event.t;
    if (!down.none) continue;
    return text ? { gesture: { from: events[at].t, to: event.t, type: "text", text }, next } : undefined;
  }
  return undefined;
}

/** Modifiers and one other key, which all go down before any comes up. */
function combination(events: readonly RecordedEvent[], at: number): Found | undefined {
  const down = new KeysDown(), keys: string[] = [];
  let isComplete = false, released = false;
  for (const [event, next] of keysFrom(events, at)) {
    if (!down.follow(event)) return undefined;
    if (event.down) {
      const types = !isModifier(event.key);
      if (released || isComplete && types) return undefined;
      isComplete ||= types;
      keys.push(event.key);
    } else released = true;
    if (!down.none) continue;
    // In a combination, a capital letter stands for its key.
    if (keys.length > 1 && keys.some((key) => key !== key.toLowerCase())) return undefined;
    const names = keys.map((key) => key === "+" ? "plus" : key).join("+");
    return { gesture: { from: events[at].t, to: event.t, type: "combination", keys: names }, next };
  }
  return undefined;
}

/** The key events up to the first other event, each with the index of the next event. */
function* keysFrom(events: readonly RecordedEvent[], at: number): Generator<[event: KeyEvent, next: number]> {
  const end = Math.min(events.length, at + GESTURE_EVENTS);
  for (let i = at; i < end; i++) {
    const event = events[i];
    if (event.type !== "key") return;
    yield [event, i + 1];
  }
}

/**
 * The character that a press types: the recorded one, otherwise the one that the key types on every keyboard.
 */
function characterOf({ key, text }: KeyEvent, down: KeysDown): string | undefined {
  if (text !== undefined) return text;
  const modifiers = down.modifiers;
  if (modifiers.some((name) => !SHIFT_KEYS.includes(name))) return undefined;
  return typedCharacter(key, modifiers.length > 0);
}

function isModifier(key: string): boolean {
  return namedKey(key)?.modifier ?? false;
}

/** Tracks tapped keys. */
class KeysDown {
  readonly #since = new Map<string, number>();

  get none(): boolean {
    return this.#since.size === 0;
  }

  /** The modifiers that are down. */
  get modifiers(): string[] {
    return [...this.#since.keys()].filter(isModifier);
  }

  /**
   * Processes an event.
   * @param mayStay Whether the key may stay down for long.
   * @returns Whether the keys are still only tapped: no key goes down twice or stays down for long, and not
   * too many are down at the same time.
   */
  follow({ key, down, t }: KeyEvent, mayStay = false): boolean {
    const since = this.#since.get(key);
    if (down) this.#since.set(key, t);
    else this.#since.delete(key);
    if (down) return since === undefined && this.#since.size <= FINGERS;
    return since !== undefined && (mayStay || t - since < HOLD_MS);
  }
}

// Clicks and drags: a button that goes down and up.

/** Maximum distance that a shaking hand moves during a click, in pixels. */
const CLICK_SLACK = 3;

/** Maximum deviation from a straight drag, as a share of its length. */
const DRAG_STRAY = 0.1;

type ButtonEvent = Extract<RecordedEvent, { type: "button" }>;
type TimedPoint = Point & { t: number };

/** The distance between two places, in pixels. */
function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/**
 * Recognizes a button that goes down and up with nothing but motion in between.
 * @param at Index of the event that may start the gesture.
 */
function buttonGesture(events: readonly RecordedEvent[], at: number): Found | undefined {
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

/** @param way The path from the press to the release. */
function clickOrDrag(
  { button, x, y, element, text }: ButtonEvent,
  way: readonly TimedPoint[],
): Gesture | undefined {
  const down = way[0], up = way[way.length - 1];
  const time = { from: down.t, to: up.t };
  if (rests(way)) return undefined;
  if (way.every((place) => distance(place, down) <= CLICK_SLACK)) {
    const on = { ...(element ? { element } : {}), ...(text ? { text } : {}) };
    return { ...time, type: "click", button, count: 1, x, y, ...on };
  }
  return isStraight(way)
    ? { ...time, type: "drag", button, start: { x, y }, end: { x: up.x, y: up.y } }
    : undefined;
}

/** Whether the pointer stays at one place for long. */
function rests(way: readonly TimedPoint[]): boolean {
  let since = way[0];
  return way.some((place, i) => {
    const isLong = place.t - since.t >= HOLD_MS;
    if (distance(place, since) <= CLICK_SLACK && i < way.length - 1) return false;
    since = place;
    return isLong;
  });
}

/** Whether a path leads straight from its start to its end. */
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

/** Maximum time between clicks of a double click, in milliseconds. */
const DOUBLE_CLICK_MS = 500;
/** Maximum time between notches of one wheel turn, in milliseconds. */
const WHEEL_MS = 300;
/** How long a pointer must rest at a place along its path for the place to count, in milliseconds. */
const REST_MS = 300;
/** Maximum length of text in one gesture, in UTF-16 code units: as JSON it fits in one request's body. */
const TEXT_LIMIT = 8000;

/**
 * Recognizes gestures.
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
  /** Events not yet read; reading an event may look at later ones. */
  #events: RecordedEvent[] = [];
  #next = 0;
  /** Recognized gestures; the last two may still be merged with later events. */
  #gestures: Gesture[] = [];
  /** Keys and buttons that stay down around other gestures. */
  readonly #held = new Set<string>();
  #pointer: Point | undefined;

  /** @returns Gestures that later events cannot change; each is returned once. */
  read(batch: readonly RecordedEvent[]): Gesture[] {
    this.#events = [...this.#events.slice(this.#next), ...batch];
    this.#next = 0;
    while (this.#next + GESTURE_EVENTS < this.#events.length) this.#read();
    return this.#gestures.splice(0, this.#gestures.length - 2);
  }

  /** @returns The remaining gestures. */
  rest(): Gesture[] {
    while (this.#next < this.#events.length) this.#read();
    return this.#gestures;
  }

  #read() {
    const events = this.#events;
    const name = pressName(events[this.#next]);
    // A key that is already down is only released. Typing it as text would release the held keys.
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

/** The place to which a gesture itself moves the pointer; undefined if it does not. */
function placeOf(gesture: Gesture): Point | undefined {
  if (gesture.type === "drag") return gesture.end;
  return "x" in gesture ? gesture : undefined;
}

/** Whether a motion is part of the path to the next gesture. */
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

/** Merges two gestures that belong together into the first. */
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
