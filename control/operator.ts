/**
 * Whole actions on a desktop, one at a time: two callers who click at once never mix their moves and presses,
 * and what was pressed is let go of, however an action ends.
 */

import { type Button, contains, type Desktop, type Direction, type Frame, type Point } from "./desktop.ts";
import type { Picture, Region, ScreenLayout } from "./desktop.ts";
import { type Held, HeldDown } from "./held.ts";
import { BusyError, DesktopUnavailableError, InputError, StateError } from "../core/errors.ts";
import { CoalescedRead } from "../core/coalesced_read.ts";
import { Mutex } from "../core/mutex.ts";

/** Actions that may wait for their turn; one more is refused. */
const WAITING_LIMIT = 1000;
/** Between two steps of a drag, in milliseconds: programs that sample the pointer must see it move. */
const DRAG_STEP_MS = 5;
/** The length of a step of a drag, in pixels, between the least and the most number of steps. */
const DRAG_STEP = { pixels: 20, least: 8, most: 60 };
/** What one call of scroll may turn, in notches. */
export const SCROLL_LIMIT = 1000;

/** See the module's comment. Looking (position, capture) never waits for its turn. */
export class Operator {
  readonly #turns = new Mutex(WAITING_LIMIT);
  readonly #held: HeldDown;
  readonly #look = new CoalescedRead(() => this.position());
  #reservedFor: string | undefined;

  constructor(readonly desktop: Desktop) {
    this.#held = new HeldDown(desktop);
  }

  /** Where the pointer is now. */
  position(): Point {
    return this.#tried(() => this.desktop.pointer.position());
  }

  /** The same for many who ask at one moment. */
  sharedPosition(): Promise<Point> {
    return this.#look.get();
  }

  /** Size and displays. */
  screen(): ScreenLayout {
    return this.#tried(() => this.desktop.screen.layout());
  }

  /**
   * Takes a picture; see {@linkcode Frame} for how long it is valid.
   * @param region The whole screen if left out; may lack any field, which then reaches to the edge.
   * @throws InputError if the region is not wholly on the screen.
   */
  capture(region: Partial<Region> = {}, cursor = false): Frame {
    const whole = this.region(region);
    return this.#tried(() => this.desktop.screen.capture(whole, cursor));
  }

  /** Takes a picture that stays as it is until it is released; the region is as in {@linkcode capture}. */
  picture(region: Partial<Region>, cursor: boolean): Picture {
    const whole = this.region(region);
    return this.#tried(() => this.desktop.screen.picture(whole, cursor));
  }

  /**
   * Completes a region to the screen's edges.
   * @throws InputError naming the field that leaves the screen and the range allowed.
   */
  region(partial: Partial<Region>): Region {
    const screen = this.screen();
    const x = partial.x ?? screen.x, y = partial.y ?? screen.y;
    const right = screen.x + screen.width, bottom = screen.y + screen.height;
    inRange("x", x, screen.x, right - 1);
    inRange("y", y, screen.y, bottom - 1);
    const { width = right - x, height = bottom - y } = partial;
    inRange("width", width, 1, right - x);
    inRange("height", height, 1, bottom - y);
    return { x, y, width, height };
  }

  /**
   * Checks that a place is on the desktop.
   * @throws InputError naming the coordinate and its range.
   */
  checkPoint(point: Point, name = ""): void {
    const screen = this.screen();
    if (contains(screen, point)) return;
    inRange(`${name}x`, point.x, screen.x, screen.x + screen.width - 1);
    inRange(`${name}y`, point.y, screen.y, screen.y + screen.height - 1);
  }

  /** Puts the pointer at a place. */
  move(point: Point): void | Promise<void> {
    this.checkPoint(point);
    return this.#act(() => this.desktop.pointer.move(point));
  }

  /**
   * Clicks at a place.
   * @param count Presses and releases at one place, 1 to 3: 2 is a double click.
   */
  click(point: Point, button: Button, count = 1): void | Promise<void> {
    this.checkPoint(point);
    return this.#act(() => {
      this.desktop.pointer.move(point);
      for (let i = 0; i < count; i++) this.#whileDown([["button", button]], () => {});
    });
  }

  /**
   * Turns the wheel.
   * @param amount Notches, 1 to {@linkcode SCROLL_LIMIT}.
   * @param point Where to move first; where the pointer is if left out.
   */
  scroll(direction: Direction, amount: number, point?: Point): void | Promise<void> {
    if (point) this.checkPoint(point);
    return this.#act(() => {
      if (point) this.desktop.pointer.move(point);
      this.desktop.pointer.scroll(direction, amount);
    });
  }

  /**
   * Presses a button or key and keeps it down until it is released.
   * @param point Where to move first; where the pointer is if left out.
   */
  press(what: { button: Button } | { key: string }, point?: Point): void | Promise<void> {
    if (point) this.checkPoint(point);
    return this.#act(() => {
      if (point) this.desktop.pointer.move(point);
      this.#held.press("button" in what ? ["button", what.button] : ["key", what.key]);
    });
  }

  /**
   * Lets go of a button or key, of everything held if nothing is named.
   * @param point Where to move first; where the pointer is if left out.
   */
  release(
    what: { button: Button } | { key: string } | Record<never, never>,
    point?: Point,
  ): void | Promise<void> {
    if (point) this.checkPoint(point);
    return this.#act(() => {
      if (point) this.desktop.pointer.move(point);
      if ("button" in what) this.#held.release(["button", what.button]);
      else if ("key" in what) this.#held.release(["key", what.key]);
      else this.#held.releaseAll();
    });
  }

  /**
   * Lets go of what somebody held who does so no longer, or is gone. Never refused: an action under way is waited for,
   * a replay is not.
   * @param point Where to move first, unless a replay has the pointer or it is off the desktop.
   */
  letGo(held: readonly Held[], point?: Point): void | Promise<void> {
    return this.#turns.run(() =>
      this.#tried(() => {
        const moves = point && this.#reservedFor === undefined && contains(this.screen(), point);
        if (moves) this.desktop.pointer.move(point);
        this.#held.releaseEach(held);
      })
    );
  }

  /**
   * Presses a button at one place, moves on a straight line to another, lets go.
   * @param signal Ends the drag where it is; the button is let go of there.
   */
  drag(from: Point, to: Point, button: Button = "left", signal?: AbortSignal): void | Promise<void> {
    this.checkPoint(from, "from.");
    this.checkPoint(to, "to.");
    const distance = Math.hypot(to.x - from.x, to.y - from.y);
    const steps = Math.max(DRAG_STEP.least, Math.min(DRAG_STEP.most, Math.ceil(distance / DRAG_STEP.pixels)));
    return this.#act(() => {
      this.desktop.pointer.move(from);
      return this.#whileDown([["button", button]], async () => {
        for (let step = 1; step <= steps; step++) {
          await new Promise((resolve) => setTimeout(resolve, DRAG_STEP_MS));
          signal?.throwIfAborted();
          this.desktop.pointer.move({
            x: Math.round(from.x + (to.x - from.x) * step / steps),
            y: Math.round(from.y + (to.y - from.y) * step / steps),
          });
        }
      });
    }, signal);
  }

  /**
   * Presses keys one after the other and lets go of them in reverse.
   * @param keys Canonical keys, as `parseCombination` gives them.
   */
  combination(keys: readonly string[]): void | Promise<void> {
    return this.#act(() => this.#whileDown(keys.map((key) => ["key", key]), () => {}));
  }

  /**
   * Types text; see {@linkcode Keyboard.type}.
   * @param signal Stops after the character under way.
   */
  type(text: string, signal?: AbortSignal): void | Promise<void> {
    return this.#act(() => this.desktop.keyboard.type(text, signal), signal);
  }

  /** Lets go of everything that is held, at once, whoever has the turn. Never throws: it is used on the way out. */
  releaseAll(): void {
    try {
      this.#held.releaseAll();
    } catch {
      // A desktop that is gone holds nothing.
    }
  }

  /** What is held down by deskhand now. */
  held(): Held[] {
    return this.#held.sure;
  }

  /**
   * Keeps every other action out, for what takes long (a replay): they are refused at once, not queued. Those that
   * came before have their turn first, and what they keep of the keyboard is given back.
   * @param reason What others are told, with how to end it.
   * @throws StateError if it is reserved already.
   */
  reserve(reason: string): Reservation {
    if (this.#reservedFor !== undefined) throw new StateError(this.#reservedFor);
    this.#reservedFor = reason;
    let reserved = true;
    return {
      begun: this.#turns.run(() => this.desktop.keyboard.restore()),
      end: () => {
        if (reserved) this.#reservedFor = undefined;
        reserved = false;
      },
    };
  }

  /** Runs an action when it is its turn: at once, without a promise, if nobody else acts. */
  #act(action: () => void | Promise<void>, signal?: AbortSignal): void | Promise<void> {
    if (this.#reservedFor !== undefined) throw new StateError(this.#reservedFor);
    return this.#turns.run(() => {
      signal?.throwIfAborted();
      return this.#tried(action);
    }, () => new BusyError(`${WAITING_LIMIT} actions are waiting already; try again later`));
  }

  /** Asks something of the desktop, and takes note if that is gone: what was held then may not be later. */
  #tried<T>(ask: () => T): T {
    const failed = (error: unknown): never => {
      if (error instanceof DesktopUnavailableError) this.#held.doubt();
      throw error;
    };
    try {
      const answer = ask();
      return answer instanceof Promise ? answer.catch(failed) as T : answer;
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * Presses in order, runs, and lets go in reverse, however it ends. A key that was held before stays so; a button
   * comes up, as it does when a finger that holds it clicks.
   */
  #whileDown(keys: Held[], run: () => void | Promise<void>): void | Promise<void> {
    const pressed: Held[] = [];
    const letGo = () => this.#held.releaseEach(pressed);
    let done: void | Promise<void>;
    try {
      for (const held of keys) {
        if (held[0] === "key" && this.#held.isDown(held)) continue;
        this.#held.press(held);
        pressed.push(held);
      }
      done = run();
    } catch (error) {
      letGo();
      throw error;
    }
    if (done) return done.finally(letGo);
    letGo();
  }
}

/** Keeps others out. */
export interface Reservation {
  /** Resolves when nobody else acts any more, and nothing is kept of the keyboard; undefined if that is so already. */
  begun: void | Promise<void>;
  /** Lets others in again; safe to call twice. */
  end(): void;
}

function inRange(name: string, value: number, least: number, most: number) {
  if (value < least || value > most) {
    throw new InputError(`${name} must be from ${least} to ${most} (the desktop), not ${value}`);
  }
}
