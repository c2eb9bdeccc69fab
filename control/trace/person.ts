/** Input that callers did not ask for, as entries: a person's, and a replay's. Keys are counted and not named. */

import type { Button, InputAction, ObservedAction, Point } from "../input.ts";
import type { PersonEntry } from "./entry.ts";

/** The distance that the pointer may move between press and release of a click, in pixels. */
const CLICK_DISTANCE = 4;
/** Keys and turns of the wheel within this time are one entry, in milliseconds. */
const TOGETHER_MS = 1000;

/** Puts observed input together to entries. Pure: times come with the input. */
export class PersonInput {
  readonly #pressed = new Map<Button, { t: number; at: Point }>();
  #keys: { t: number; last: number; count: number; isReplay: boolean } | undefined;
  #wheel:
    | { t: number; last: number; direction: string; amount: number; at: Point; isReplay: boolean }
    | undefined;

  /** @param add Gets each entry. */
  constructor(readonly add: (entry: PersonEntry) => void) {}

  /**
   * Takes input.
   * @param t In milliseconds from the start of the trace.
   * @param isReplay Whether a replay does it.
   */
  take(action: InputAction, t: number, isReplay: boolean): void {
    if (action.type === "key") return action.down ? this.#key(t, isReplay) : undefined;
    if (action.type === "scroll") return this.#scroll(action, t, isReplay);
    if (action.type !== "button") return;
    const { button, down, x, y } = action;
    this.flush();
    if (down) return void this.#pressed.set(button, { t, at: { x, y } });
    const pressed = this.#pressed.get(button);
    this.#pressed.delete(button);
    if (!pressed) return;
    const { at } = pressed, isClick = Math.hypot(at.x - x, at.y - y) <= CLICK_DISTANCE;
    this.add({
      kind: "person",
      t: pressed.t,
      ...by(isReplay),
      ...isClick ? { what: "click", button, at } : { what: "drag", button, at, to: { x, y } },
    });
  }

  /** Tells whether an entry is still being composed. */
  get isPending(): boolean {
    return this.#keys !== undefined || this.#wheel !== undefined;
  }

  /** Adds the entry that is still being put together. */
  flush(): void {
    const keys = this.#keys, wheel = this.#wheel;
    this.#keys = this.#wheel = undefined;
    if (keys) {
      const { t, last, count, isReplay } = keys;
      this.add({ kind: "person", t, ...by(isReplay), what: "keys", count, ms: Math.round(last - t) });
    }
    if (wheel) {
      const { t, direction, amount, at, isReplay } = wheel;
      this.add({ kind: "person", t, ...by(isReplay), what: "scroll", direction, amount, at });
    }
  }

  /** Adds the entry that was put together if it is old enough. */
  flushOlder(now: number): void {
    if (Math.min(this.#keys?.t ?? now, this.#wheel?.t ?? now) < now - TOGETHER_MS) this.flush();
  }

  #key(t: number, isReplay: boolean): void {
    const keys = this.#keys;
    if (this.#wheel || keys && (t - keys.t > TOGETHER_MS || keys.isReplay !== isReplay)) this.flush();
    if (!this.#keys) this.#keys = { t, last: t, count: 1, isReplay };
    else Object.assign(this.#keys, { last: t, count: this.#keys.count + 1 });
  }

  #scroll({ direction, amount, x, y }: InputAction & { type: "scroll" }, t: number, isReplay: boolean): void {
    const wheel = this.#wheel;
    const isOther = wheel &&
      (t - wheel.t > TOGETHER_MS || wheel.direction !== direction || wheel.isReplay !== isReplay);
    if (this.#keys || isOther) this.flush();
    if (!this.#wheel) this.#wheel = { t, last: t, direction, amount, at: { x, y }, isReplay };
    else Object.assign(this.#wheel, { last: t, amount: this.#wheel.amount + amount });
  }
}

const by = (isReplay: boolean) => isReplay ? { by: "replay" as const } : {};

/**
 * Tells whether a trace notes observed input: input of a person or of a replay. A trace notes other input of
 * programs as actions.
 */
export function isOwn({ injected }: ObservedAction, isPlaying: boolean): boolean {
  return !injected || isPlaying;
}
