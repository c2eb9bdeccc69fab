/**
 * The pointer and the keyboard of an X server that a running deskhand controls too. deskhand sends the input, so that
 * input of different callers does not mix, and logs and traces have it. Input that deskhand would send differently
 * than xdotool goes directly to the X server: input for one window, keycodes, buttons without a name.
 */

import type { Button, Point } from "../../control/desktop.ts";
import type { XdoSession } from "../../ffi/x11/xdotool/session.ts";
import type { Calls } from "./calls.ts";
import { RefusedError } from "./calls_http.ts";
import { BUTTONS, DEFAULT_DELAY, WHEEL } from "./desktop_words.ts";
import type { Steps } from "./steps.ts";
import { modifiersFirst, strokesOf } from "./strokes.ts";
import type { InputTarget, KeyWay } from "./target.ts";
import { waitUntil } from "./wait_until.ts";
import type { X11Input } from "./x11_input.ts";

/** The status of an answer to a wrong input, such as a character that deskhand cannot type. */
const WRONG_INPUT = 400;
/** Num Lock, as a bit of X11: it changes no letter. */
const NUM_LOCK = 1 << 4;

/** Input by deskhand, or by libxdo. */
export class SharedInput implements InputTarget {
  readonly #session: XdoSession;

  constructor(readonly own: X11Input, readonly calls: Calls, readonly steps: Steps) {
    this.#session = own.session;
  }

  async location() {
    await this.steps.settle();
    return this.own.location();
  }

  #size = { width: 0, height: 0 };

  /** Replaces a place outside the screen by the nearest place on it, as X11 does. */
  async move(x: number, y: number, screen: number): Promise<number> {
    if (screen) return await this.#settled(() => this.own.move(x, y, screen));
    // Asks for the size only if it may matter: a single move then needs no connection to the X server, and deskhand
    // refuses a place that is not on the screen.
    const isUnknown = !this.#size.width && x >= 0 && y >= 0;
    if (!isUnknown && !isIn({ x, y }, this.#size)) this.#size = this.#screenSize();
    const sent = isUnknown ? { x, y } : this.#onScreen(x, y);
    await this.steps.add({ action: "move", fields: sent }, () => {
      this.#size = this.#screenSize();
      const place = this.#onScreen(x, y);
      if (place.x !== sent.x || place.y !== sent.y) return { action: "move", fields: place };
      this.own.move(x, y, screen);
      this.#session.sync();
    });
    return 0;
  }

  #screenSize = () => this.#session.size(this.#session.root(0));

  #onScreen(x: number, y: number): Point {
    return { x: clamped(x, this.#size.width), y: clamped(y, this.#size.height) };
  }

  async moveBy(x: number, y: number): Promise<number> {
    const from = await this.location();
    return from.screen ? this.own.moveBy(x, y) : await this.move(from.x + x, from.y + y, 0);
  }

  async button(window: number, button: number, isDown: boolean): Promise<number> {
    const name = BUTTONS[button];
    if (window || !name) return await this.#settled(() => this.own.button(window, button, isDown));
    this.#session.sync();
    await this.#button(name, isDown);
    return 0;
  }

  async #button(name: Button, isDown: boolean): Promise<void> {
    await this.steps.add({ action: isDown ? "press" : "release", fields: { button: name } });
  }

  async click(window: number, button: number, times: number, delay: number): Promise<number> {
    const name = BUTTONS[button], direction = WHEEL[button];
    if (window || !name && !direction) {
      return await this.#settled(() => this.own.click(window, button, times, delay));
    }
    this.#session.sync();
    for (let time = 0; time < times; time++) {
      const began = this.steps.now();
      if (direction) await this.steps.add({ action: "scroll", fields: { direction, amount: 1 } });
      else {
        await this.#button(name, true);
        await this.#button(name, false);
      }
      if (delay) await this.steps.pauseUntil(began + delay / 1000);
    }
    return 0;
  }

  /** Presses and releases in xdotool's order: modifiers come up first. */
  async keys(way: KeyWay, window: number, keys: string, delay: number): Promise<number> {
    const strokes = window ? undefined : strokesOf(keys, this.#session);
    if (!strokes) return await this.#settled(() => this.own.keys(way, window, keys, delay));
    this.#session.sync();
    const pause = delay / (way === "key" ? 2000 : 1000);
    if (way !== "keyup") await this.#each("press", strokes, pause);
    const released = way === "key" ? modifiersFirst(strokes) : strokes;
    if (way !== "keydown") await this.#each("release", released, pause);
    return 0;
  }

  /** @param pause How long each stroke takes at least, in milliseconds. */
  async #each(action: "press" | "release", strokes: string[][], pause: number): Promise<void> {
    for (const stroke of strokes) {
      const began = this.steps.now();
      for (const key of stroke) await this.steps.add({ action, fields: { key } });
      if (pause) await this.steps.pauseUntil(began + pause);
    }
  }

  /** After the earlier steps, runs with xdotool's library an input that deskhand would send differently. */
  async #settled<T>(own: () => T): Promise<T> {
    await this.steps.settle();
    return own();
  }

  /** Held modifiers change a text that xdotool types, but not a text that deskhand types. */
  async type(window: number, text: string, delay: number): Promise<number> {
    await this.steps.settle();
    const own = (text: string) => this.own.type(window, text, delay);
    if (window || !text || this.#session.modifiers() & ~NUM_LOCK) return own(text);
    if (delay <= DEFAULT_DELAY) return await this.#by(() => this.calls.type(text), () => own(text));
    let failures = 0;
    for (const character of text) {
      const began = performance.now();
      failures += await this.#by(() => this.calls.type(character), () => own(character));
      waitUntil(began + delay / 1000);
    }
    return failures;
  }

  async clearModifiers(window: number): Promise<() => Promise<void>> {
    const restore = await this.#settled(() => this.own.clearModifiers(window));
    return () => this.#settled(restore);
  }

  /** Asks the running deskhand for an action; xdotool's library does actions that deskhand does not know. */
  async #by(ask: () => Promise<void>, own: () => number): Promise<number> {
    try {
      await ask();
      return 0;
    } catch (error) {
      if (error instanceof RefusedError && error.status === WRONG_INPUT) return own();
      throw error;
    }
  }
}

const isIn = ({ x, y }: Point, { width, height }: { width: number; height: number }) =>
  x >= 0 && y >= 0 && x < width && y < height;
const clamped = (place: number, size: number) => Math.min(Math.max(place, 0), size - 1);
