/** Input that callers did not request, as entries: a person's and a replay's. Keys are counted, not named. */

import { printable } from "../../core/printable.ts";
import { isShown, type Region, type ScreenLock, type Watch, type WindowInfo } from "../desktop/desktop.ts";
import type { Button, InputAction, ObservedAction, Point } from "../desktop/input.ts";
import type { Operator } from "../operator/operator.ts";
import { activeOf, listWindows, quotedTitle } from "../windows/list.ts";
import type { PersonEntry, TraceEntry } from "./entry.ts";

/** Maximum pointer distance between press and release of a click, in pixels. */
const CLICK_DISTANCE = 4;
/** Maximum time between keys, or wheel turns, of one entry, in milliseconds. */
const TOGETHER_MS = 1000;

/** Combines observed input into entries. Pure: times come with the input. */
export class PersonInput {
  readonly #pressed = new Map<Button, { t: number; at: Point }>();
  #keys: { t: number; last: number; count: number; isReplay: boolean } | undefined;
  #wheel:
    | { t: number; last: number; direction: string; amount: number; at: Point; isReplay: boolean }
    | undefined;

  /** @param add Receives each entry. */
  constructor(readonly add: (entry: PersonEntry) => void) {}

  /**
   * Processes input.
   * @param t In milliseconds from the start of the trace.
   * @param isReplay Whether a replay performs it.
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

  /** Whether an entry is still being composed. */
  get isPending(): boolean {
    return this.#keys !== undefined || this.#wheel !== undefined;
  }

  /** Adds the entry being composed. */
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

  /** Adds the entry being composed if it is old enough. */
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
 * Whether a trace records observed input as such: that of a person or a replay. A trace records other program
 * input as actions.
 */
export function isOwn({ injected }: ObservedAction, isPlaying: boolean): boolean {
  return !injected || isPlaying;
}

// Watches a desktop's input while a trace is recorded, and waits for the first picture.

/**
 * Watches input.
 * @param take Receives observed input.
 * @param failed Receives the reason why input is not watched, or was not watched for a while.
 * @returns undefined if input cannot be watched.
 */
export async function watchInput(
  { desktop }: Operator,
  take: (batch: ObservedAction[]) => void,
  failed: (why: string) => void,
): Promise<Watch | undefined> {
  try {
    return await desktop.observer.watch({ actions: take, problem: (_, message) => failed(message) });
  } catch (error) {
    failed((error as Error).message);
    return undefined;
  }
}

/** A promise that also resolves after a timeout, in milliseconds. */
export function firstWithin(ms: number): { promise: Promise<void>; resolve: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>(), timer = setTimeout(resolve, ms);
  return {
    promise,
    resolve: () => {
      clearTimeout(timer);
      resolve();
    },
  };
}

// Pauses a trace while the screen is locked, since the input is then a password.

/** The reason for a pause by the screen lock, as in its entry. */
const LOCKED = "the screen is locked";

/** A trace that can pause. */
interface Pausable {
  readonly isPaused: boolean;
  /** The reason for the pause; undefined if a caller paused. */
  readonly pausedFor?: string;
  pause(why: string): void;
  resume(): void;
}

/**
 * Pauses a trace whenever the screen is locked, and resumes it afterwards, unless a caller has also paused
 * it.
 * @param lock The screen lock; left out if the desktop does not report it.
 * @param changed Called after each pause and resume.
 * @returns A function that ends the watch.
 */
export function pauseWhileLocked(
  trace: Pausable,
  lock: ScreenLock | undefined,
  changed: () => void,
): () => void {
  const end = lock?.watch((isLocked) => {
    if (isLocked ? trace.isPaused : trace.pausedFor !== LOCKED) return;
    if (isLocked) trace.pause(LOCKED);
    else trace.resume();
    changed();
  });
  return () => end?.();
}

// The active window as a trace records it, and the excluded windows.

/** Delay between an action and the look at the windows, and between two looks, in milliseconds. */
const LOOK_MS = 250, APART_MS = 1000;
/** Maximum length of a stored title. */
const TITLE_LIMIT = 300;
/** The title of an excluded window. */
const HIDDEN = "(hidden)";

/**
 * Converts a title pattern, such as `KeePass*`, to a regular expression: `*` stands for any text; case is
 * ignored.
 */
export function titlePattern(text: string): RegExp {
  const parts = text.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`, "iu");
}

/** Checks which window is active, at most once per second. */
export class ActiveWindow {
  /** The last recorded window. */
  last: (TraceEntry & { kind: "window" }) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lookedAt = -Infinity;
  #note: ((id: string, title: string) => void) | undefined;
  /** The titles of excluded windows, whole and as messages quote them. */
  readonly #hidden = new Set<string>();

  /** @param patterns Title patterns of excluded windows. */
  constructor(readonly operator: Operator, readonly patterns: readonly RegExp[]) {}

  /** Starts following. @param note Receives each change. */
  open(note: (id: string, title: string) => void): void {
    this.#note = note;
    this.#lookedAt = -Infinity;
    this.lookSoon();
  }

  lookSoon(): void {
    if (this.#timer !== undefined || !this.#note) return;
    const wait = Math.max(LOOK_MS, this.#lookedAt + APART_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, wait);
  }

  /** Stops following. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#note = undefined;
  }

  /** Removes the titles of excluded windows from a text. */
  readonly veil = (text: string): string => {
    if (!this.patterns.length) return text;
    if (this.#isHidden(text)) return HIDDEN;
    return [...this.#hidden].reduce((rest, title) => rest.replaceAll(title, HIDDEN), text);
  };

  /** The regions of excluded windows; undefined if any of them is unknown. */
  hiddenRegions(windows: readonly WindowInfo[]): Region[] | undefined {
    const all = windows.filter(({ title }) => this.#isHidden(title)), hidden = all.filter(isShown);
    for (const { title } of all) if (title) this.#hidden.add(title).add(quotedTitle({ title }));
    if (hidden.some(({ width, height }) => !width || !height)) return undefined;
    return hidden.map(({ x, y, width, height }) => ({ x, y, width, height }));
  }

  #isHidden(title: string): boolean {
    return this.patterns.some((pattern) => pattern.test(title));
  }

  async #look(): Promise<void> {
    this.#lookedAt = performance.now();
    let active: WindowInfo | undefined;
    try {
      active = activeOf(await listWindows(this.operator));
    } catch {
      return; // this desktop's windows are unavailable now
    }
    if (!this.#note) return; // paused or ended meanwhile
    const id = active?.id ?? "", title = active ? printable(this.veil(active.title), TITLE_LIMIT) : "";
    if (this.last?.id === id && this.last.title === title) return;
    this.last = { kind: "window", t: 0, id, title };
    this.#note(id, title);
  }
}
