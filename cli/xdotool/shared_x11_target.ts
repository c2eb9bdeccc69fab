/**
 * An X server that a running deskhand controls as well: deskhand runs the commands that have the same effect in both
 * programs.
 */

import type { Button, Point } from "../../control/desktop/desktop.ts";
import { canonicalKey, namedKey } from "../../control/desktop/keys.ts";
import type { XdoSession } from "../../ffi/x11/xdotool/session.ts";
import type { Running } from "../running.ts";
import type { Calls, WindowCall } from "./calls.ts";
import { callsOf, RefusedError, type StepCalls } from "./calls_http.ts";
import { ALIASES, BUTTONS, DEFAULT_DELAY, WHEEL } from "./desktop_target.ts";
import type { Printer } from "./output.ts";
import { Steps } from "./steps.ts";
import type { InputTarget, KeyWay, Later, WindowAct } from "./target.ts";
import { waitUntil } from "./wait_until.ts";
import { X11Input, X11Target } from "./x11_target.ts";

// Combinations of keys as xdotool presses them, in deskhand's names.

/** The symbols (keysyms) of an X server. */
export interface Symbols {
  /** The symbol of a key's name; 0 if Xlib does not know the name. */
  symbolOf(name: string): number;
  /** The symbol without Shift on the key of a symbol that needs Shift. */
  unshifted(symbol: number): number | undefined;
}

/** The order in which xdotool releases modifiers: the order of their bits. */
const RELEASED = [
  "shift",
  "rightshift",
  "ctrl",
  "rightctrl",
  "alt",
  "rightalt",
  "super",
  "rightsuper",
  "altgr",
];

/** Names of keys that no keyboard map has above another key: the symbols of a server need not be asked for them. */
const NEVER_SHIFTED = /^(?:[a-z]|ctrl|shift|alt|super)$/;

/**
 * Reads a combination.
 * @returns For each name the keys that are pressed, in order; undefined if a name is not a symbol's, such as a keycode.
 */
export function strokesOf(combination: string, symbols: Symbols): string[][] | undefined {
  const strokes: string[][] = [];
  for (const name of combination.split("+").filter(Boolean)) {
    if (NEVER_SHIFTED.test(name)) {
      strokes.push([name]);
      continue;
    }
    const symbol = symbols.symbolOf(ALIASES[name.toLowerCase()] ?? name);
    if (!symbol) return undefined;
    const base = symbols.unshifted(symbol);
    strokes.push(base === undefined ? [keyOfSymbol(symbol, name)] : ["shift", keyOfSymbol(base)]);
  }
  return strokes.length ? strokes : undefined;
}

/**
 * The keys of strokes in the order in which xdotool's `key` releases them.
 * @example
 * modifiersFirst([["ctrl"], ["shift", "t"]]); // [["shift", "ctrl"], ["t"]]
 */
export function modifiersFirst(strokes: readonly string[][]): string[][] {
  const pressed = new Set(strokes.flat()), modifiers = RELEASED.filter((key) => pressed.has(key));
  const others = strokes.map((stroke) => stroke.filter((key) => !RELEASED.includes(key)));
  return others.map((keys, i) => i ? keys : [...modifiers, ...keys]);
}

/**
 * deskhand's name of a key, by its symbol: the same name may stand for another key there.
 * @param symbol A keysym.
 * @param name How xdotool's command line names it.
 * @example
 * keyOfSymbol(0xff0d, "Return"); // "enter"
 * keyOfSymbol(0xffe7, "meta"); // "keysym:0xffe7"
 * keyOfSymbol(0x61); // "a"
 */
export function keyOfSymbol(symbol: number, name = ""): string {
  // The symbols of ASCII and Latin-1 are their characters.
  const key = canonicalKey(symbol < 0x100 ? String.fromCodePoint(symbol) : name);
  const isIt = key !== undefined && (symbol < 0x100 || namedKey(key)?.keysym === symbol);
  return isIt ? key : `keysym:0x${symbol.toString(16)}`;
}

// The pointer and the keyboard of an X server that a running deskhand controls too. deskhand sends the input,
// so that input of different callers does not mix, and logs and traces have it. Input that deskhand would
// send differently than xdotool goes directly to the X server: input for one window, keycodes, buttons
// without a name.

/** The status of an answer to a wrong input, such as a character that deskhand cannot type. */
const WRONG_INPUT = 400;
/** Num Lock, as a bit of X11: it changes no letter. */
const NUM_LOCK = 1 << 4;

/** Input by deskhand, or by libxdo. */
class SharedInput implements InputTarget {
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

/** Changes of windows that deskhand asks for with the same messages. */
const SHARED: Partial<Record<WindowAct, WindowCall>> = {
  activate: "activate",
  minimize: "minimize",
  quit: "close",
};
/** Statuses of answers: deskhand does not list the window; the change has not shown in time. */
const NOT_FOUND = 404, TIME_LIMIT = 408;

/** xdotool's actions on X11: by deskhand where the result is the same, otherwise by libxdo. */
export class SharedX11Target extends X11Target {
  override readonly steps: Steps;
  readonly #session: XdoSession;

  constructor(session: XdoSession, print: Printer, readonly calls: Calls & StepCalls) {
    const steps = new Steps(calls);
    super(session, print, new SharedInput(new X11Input(session), calls, steps));
    this.steps = steps;
    this.#session = session;
  }

  /** A display whose input goes to a running deskhand. */
  static of(running: Running, session: XdoSession, print: Printer): SharedX11Target {
    return new SharedX11Target(session, print, callsOf(running));
  }

  override act(act: WindowAct, window: number): Later<number> {
    const change = this.#isOther(act, window) ? undefined : SHARED[act];
    return change ? this.#ask(act, change, window) : super.act(act, window);
  }

  /** Tells whether xdotool refuses the change, or changes more: the workspace. */
  #isOther(act: WindowAct, window: number): boolean {
    const session = this.#session, root = session.root(0);
    if (session.number(root, "_NET_SUPPORTING_WM_CHECK") === undefined) return true;
    if (act !== "activate") return false;
    const desktop = session.number(window, "_NET_WM_DESKTOP");
    return desktop !== session.number(root, "_NET_CURRENT_DESKTOP");
  }

  async #ask(act: WindowAct, change: WindowCall, window: number): Promise<number> {
    try {
      await this.calls.changeWindow(`0x${window.toString(16)}`, change);
      return 0;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (error.status === TIME_LIMIT) return 0; // xdotool asks, and does not look
      if (error.status === NOT_FOUND) return await super.act(act, window);
      throw error;
    }
  }

  override async close(): Promise<void> {
    await this.calls.close();
    super.close();
  }
}
