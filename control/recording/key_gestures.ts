/** Typed text and combinations: keys that go down and come up. */

import { namedKey, typedCharacter } from "../keys.ts";
import type { RecordedEvent } from "./format.ts";
import { type Found, GESTURE_EVENTS, TEXT_MS } from "./gesture.ts";

/** A key that is down this long means more than a letter: it repeats. In milliseconds. */
const HOLD_MS = 500;
/** The most keys that a person has down at once. */
const FINGERS = 10;
const SHIFT_KEYS: readonly string[] = ["shift", "rightshift"];

type KeyEvent = Extract<RecordedEvent, { type: "key" }>;

/**
 * Recognises keys that go down and come up again.
 * @param at Index of the event that may begin the gesture.
 * @param asText Whether the keys may be text; if not, they are a combination or no gesture.
 */
export function keyGesture(events: readonly RecordedEvent[], at: number, asText: boolean): Found | undefined {
  const first = events[at];
  if (first.type !== "key" || !first.down) return undefined;
  return (asText ? typedText(events, at) : undefined) ?? combination(events, at);
}

/**
 * Text in the order in which its keys went down. Keys may overlap, as they do in fast typing, and modifiers may stay
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

/** Modifiers and one other key, of which all go down and then all come up. */
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
    // In a combination a capital stands for its key.
    if (keys.length > 1 && keys.some((key) => key !== key.toLowerCase())) return undefined;
    const names = keys.map((key) => key === "+" ? "plus" : key).join("+");
    return { gesture: { from: events[at].t, to: event.t, type: "combination", keys: names }, next };
  }
  return undefined;
}

/** Key events up to the first event of another kind, each with the index of the event after it. */
function* keysFrom(events: readonly RecordedEvent[], at: number): Generator<[event: KeyEvent, next: number]> {
  const end = Math.min(events.length, at + GESTURE_EVENTS);
  for (let i = at; i < end; i++) {
    const event = events[i];
    if (event.type !== "key") return;
    yield [event, i + 1];
  }
}

/**
 * The character that a press types: the recorded character, otherwise the character that the key types on every
 * keyboard.
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

/** Follows keys that are tapped. */
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
   * Notes an event.
   * @param mayStay Whether the key may stay down for long.
   * @returns Whether the keys are still only tapped: no key goes down twice or stays down for long, and not too many
   * are down at once.
   */
  follow({ key, down, t }: KeyEvent, mayStay = false): boolean {
    const since = this.#since.get(key);
    if (down) this.#since.set(key, t);
    else this.#since.delete(key);
    if (down) return since === undefined && this.#since.size <= FINGERS;
    return since !== undefined && (mayStay || t - since < HOLD_MS);
  }
}
