/**
 * The desktop of xdotool commands: one that this process opens, or that of a running deskhand. Commands
 * become deskhand actions. Windows are numbers; 0 is the window with the focus or under the pointer. Results
 * are exit codes: 0 for success, with a message already printed for others. A desktop that does not support a
 * command throws `ExpectedError`.
 */

import type {
  Button,
  Direction,
  Held,
  Point,
  Region,
  ScreenLayout,
  WindowInfo,
} from "../../control/desktop/desktop.ts";
import { contains } from "../../control/desktop/geometry.ts";
import { canonicalKey } from "../../control/desktop/keys.ts";
import { attempt, StateError, UnsupportedError } from "../../core/errors.ts";
import { openLibc } from "../../ffi/linux/libc.ts";
import type { Printer } from "./output.ts";

// xdotool's words and numbers, in deskhand's terms.

/** Buttons by xdotool's numbers. */
const BUTTONS: Readonly<Record<number, Button>> = {
  1: "left",
  2: "middle",
  3: "right",
  8: "back",
  9: "forward",
};
/** Wheel directions by xdotool's numbers. */
const WHEEL: Readonly<Record<number, Direction>> = { 4: "up", 5: "down", 6: "left", 7: "right" };
/** Names of modifier keys. */
const MODIFIERS = [
  "ctrl",
  "shift",
  "alt",
  "super",
  "rightctrl",
  "rightshift",
  "rightalt",
  "rightsuper",
  "altgr",
];
/**
 * Maximum delay to ignore, in microseconds: such delays are meant for programs that lose keys, and deskhand
 * has other ways to wait for those.
 */
const DEFAULT_DELAY = 12_000;

/** Window changes as deskhand actions. */
const ACTS: Readonly<Record<WindowAct, WindowCall>> = {
  activate: "activate",
  focus: "activate",
  raise: "activate",
  map: "restore",
  minimize: "minimize",
  close: "close",
  quit: "close",
};

/** Window states (EWMH) that deskhand supports. */
const STATES: Readonly<Record<string, WindowCall>> = {
  FULLSCREEN: "fullscreen",
  MAXIMIZED_VERT: "maximize",
  MAXIMIZED_HORZ: "maximize",
  HIDDEN: "minimize",
};

// xdotool's key names, in deskhand's terms.

/** Key names that xdotool supports in addition to those of X11. */
const ALIASES: Readonly<Record<string, string>> = {
  alt: "Alt_L",
  ctrl: "Control_L",
  control: "Control_L",
  meta: "Meta_L",
  super: "Super_L",
  shift: "Shift_L",
};

/** Characters that a combination must not contain. */
const WRONG = /[ \t\n.\-[\]{}\\|]/;

/**
 * Parses a combination such as `ctrl+Return`.
 * @param unknown Receives each name that is not a key; such names are skipped.
 * @returns deskhand's names in order; undefined if the combination is invalid.
 * @example
 * keysOf("ctrl+Return", () => {}); // ["ctrl", "enter"]
 * keysOf("a.b", () => {}); // undefined
 */
export function keysOf(combination: string, unknown: (name: string) => void): string[] | undefined {
  if (WRONG.test(combination)) return undefined;
  return combination.split("+").filter(Boolean).flatMap((name) => {
    const key = canonicalKey(ALIASES[name.toLowerCase()] ?? name);
    if (key === undefined) unknown(name);
    return key ?? [];
  });
}

// Converts POSIX regular expressions to those of JavaScript.

/** Character classes (regex(7)). */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: "\\p{L}\\p{N}",
  alpha: "\\p{L}",
  blank: " \\t",
  cntrl: "\\p{Cc}",
  digit: "0-9",
  graph: "\\p{L}\\p{N}\\p{P}\\p{S}",
  lower: "\\p{Ll}",
  print: "\\p{L}\\p{N}\\p{P}\\p{S} ",
  punct: "\\p{P}\\p{S}",
  space: "\\s",
  upper: "\\p{Lu}",
  xdigit: "0-9A-Fa-f",
};

/**
 * Converts an extended POSIX regular expression, ignoring case.
 * @returns undefined if the pattern is invalid.
 * @example
 * posixPattern("^[[:alpha:]]+$")?.test("Größe"); // true
 * posixPattern("(a"); // undefined
 */
export function posixPattern(text: string): RegExp | undefined {
  const plain = text.replace(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole);
  // POSIX allows a backslash before any character; JavaScript's Unicode mode rejects most of them.
  return attempt(() => new RegExp(plain, "iu")) ?? attempt(() => new RegExp(plain, "i"));
}

/** Waits until a pause that began at a time, in milliseconds, is over: requests since then are part of it. */
const pause = (began: number, microseconds: number) => pauseUntil(began + microseconds / 1000);

/** The desktop. */
export class DesktopTarget {
  /** Modifiers held by `keydown`. */
  readonly #down = new Set<string>();

  /** @param print Receives messages that xdotool prints in the middle of a command. */
  constructor(readonly calls: Calls, readonly print: Printer) {}

  async location(): Promise<Location> {
    return { ...await this.calls.position(), screen: 0 };
  }

  #screen: ScreenLayout | undefined;

  /** Clamps a position outside of the screen to the nearest one on it, as X11 does. */
  async move(x: number, y: number): Promise<void> {
    const { x: left, y: top, width, height } = this.#screen ??= await this.calls.screen();
    await this.calls.move({
      x: Math.min(Math.max(x, left), left + width - 1),
      y: Math.min(Math.max(y, top), top + height - 1),
    });
  }

  async moveBy(x: number, y: number): Promise<void> {
    const from = await this.calls.position();
    await this.move(from.x + x, from.y + y);
  }

  async button(window: number, button: number, isDown: boolean): Promise<void> {
    await this.#checkWindow(window);
    const direction = WHEEL[button], name = BUTTONS[button];
    if (direction) {
      if (isDown) await this.calls.scroll(direction);
      return;
    }
    if (!name) throw new UnsupportedError(`button must be from 1 to 9, not ${button}`);
    const held: Held = ["button", name];
    await (isDown ? this.calls.press(held) : this.calls.release(held));
  }

  async click(window: number, button: number, times: number, delay: number, isLast = false): Promise<void> {
    for (let time = 1; time <= times; time++) {
      const began = performance.now();
      await this.button(window, button, true);
      await this.button(window, button, false);
      if (!isLast || time < times) await pause(began, delay);
    }
  }

  async keys(
    way: KeyWay,
    window: number,
    combination: string,
    delay: number,
    isLast = false,
  ): Promise<number> {
    await this.#checkWindow(window);
    const halves = way === "key" ? [true, false] : [way === "keydown"];
    let failures = 0;
    for (const isDown of halves) {
      const unknown = (name: string) => this.print.err(`(symbol) No such key name '${name}'. Ignoring it.`);
      const keys = keysOf(combination, unknown);
      if (!keys) {
        this.print.err(
          `Error: Invalid key sequence '${combination}'\n` +
            `Failure converting key sequence '${combination}' to keycodes`,
        );
        failures++;
        continue;
      }
      for (const [index, key] of keys.entries()) {
        const began = performance.now();
        await this.#key(key, isDown);
        if (isLast && !isDown && index === keys.length - 1) break;
        await pause(began, way === "key" ? delay / 2 : delay);
      }
    }
    return failures;
  }

  async #key(key: string, isDown: boolean): Promise<void> {
    await (isDown ? this.calls.press(["key", key]) : this.calls.release(["key", key]));
    if (!MODIFIERS.includes(key)) return;
    if (isDown) this.#down.add(key);
    else this.#down.delete(key);
  }

  async type(window: number, text: string, delay: number): Promise<void> {
    await this.#checkWindow(window);
    if (delay <= DEFAULT_DELAY) {
      if (text) await this.calls.type(text);
      return;
    }
    for (const character of text) {
      const began = performance.now();
      await this.calls.type(character);
      await pause(began, delay);
    }
  }

  /**
   * Releases the modifiers that this chain holds. xdotool does not know of others here; deskhand releases
   * those when it types.
   */
  async clearModifiers(): Promise<() => Promise<void>> {
    const down = [...this.#down];
    for (const key of down) await this.#key(key, false);
    return async () => {
      for (const key of down) await this.#key(key, true);
    };
  }

  /** Checks that a window is the active one, because no other receives input. */
  async #checkWindow(window: number): Promise<void> {
    if (!window || (await this.#info(window)).active) return;
    throw new StateError(
      `only the active window receives input here: run windowactivate ${window} first`,
    );
  }

  async screenSize(screen: number): Promise<{ width: number; height: number } | undefined> {
    const { displays } = await this.calls.screen();
    if (displays[screen]) return displays[screen];
    this.print.err(`Invalid screen number ${screen} outside range 0 - ${displays.length - 1}`);
    return undefined;
  }

  /** The topmost window at the pointer position. */
  async pointer(): Promise<Location & { window: number }> {
    const place = await this.location(), { x, y } = place;
    // Prints the position even if windows cannot be listed.
    const windows = await this.calls.windows().catch(() => []);
    const over = windows.find((window) => window.state !== "minimized" && contains(window, { x, y }));
    return { ...place, window: over ? numberOf(over) : 0 };
  }

  async #info(window: number): Promise<WindowInfo> {
    const found = (await this.calls.windows()).find((info) => numberOf(info) === window);
    if (found) return found;
    throw new StateError(`there is no window ${window}`);
  }

  async geometry(window: number): Promise<Geometry> {
    const { x, y, width, height } = await this.#info(window);
    if (width) return { x, y, width, height, screen: 0 };
    throw new UnsupportedError("this desktop does not report where its windows are");
  }

  rootSize = () => this.calls.screen();

  async placeOf(window: number, x: number, y: number): Promise<Location> {
    const geometry = await this.geometry(window);
    return { x: geometry.x + x, y: geometry.y + y, screen: 0 };
  }

  async search(search: WindowSearch): Promise<number[]> {
    if (search.desktop !== undefined) {
      throw new UnsupportedError("deskhand cannot list workspaces; on X11, run xdotool itself");
    }
    const pattern = search.pattern === undefined ? undefined : posixPattern(search.pattern);
    if (search.pattern !== undefined && !pattern) {
      this.print.err(`Failed to compile regex (return code 1): '${search.pattern}'`);
      return [];
    }
    if (search.depth === 0) return [];
    const windows = (await this.calls.windows()).toReversed();
    const found = windows.filter((window) => matches(window, search, pattern)).map(numberOf);
    return search.limit ? found.slice(0, search.limit) : found;
  }

  async active(): Promise<number | undefined> {
    const window = (await this.calls.windows()).find(({ active }) => active);
    return window && numberOf(window);
  }

  name = async (window: number) => (await this.#info(window)).title;
  className = async (window: number) => (await this.#info(window)).class;
  pid = async (window: number) => (await this.#info(window)).pid ?? 0;

  async act(act: WindowAct, window: number): Promise<void> {
    await this.calls.changeWindow((await this.#info(window)).id, ACTS[act]);
  }

  async place(window: number, x: number, y: number): Promise<void> {
    await this.calls.placeWindow((await this.#info(window)).id, { x, y });
  }

  async resize(window: number, width: number, height: number): Promise<void> {
    const size = { ...(width ? { width } : {}), ...(height ? { height } : {}) };
    await this.calls.placeWindow((await this.#info(window)).id, size);
  }

  async setState(window: number, how: 0 | 1 | 2, state: string): Promise<void> {
    const call = STATES[state], info = await this.#info(window);
    if (!call) throw new UnsupportedError(`the window state ${state} cannot be changed here`);
    const isSet = call === "minimize"
      ? info.state === "minimized"
      : info.state.startsWith(call.replace("maximize", "maximized"));
    const wanted = how === 2 ? !isSet : how === 1;
    if (wanted !== isSet) await this.calls.changeWindow(info.id, wanted ? call : "restore");
  }

  async close(): Promise<void> {
    await this.calls.close();
  }
}

/** A window's ID in xdotool's format. */
const numberOf = ({ id }: WindowInfo) => Number(id);

function matches(window: WindowInfo, search: WindowSearch, pattern: RegExp | undefined): boolean {
  if (search.isVisible && window.state === "minimized") return false;
  const texts = [
    ...(search.name ? [window.title] : []),
    ...(search.class || search.className ? [window.class] : []),
  ];
  const conditions = [
    ...texts.map((text) => pattern!.test(text)),
    ...(search.pid === undefined ? [] : [window.pid === search.pid]),
  ];
  return search.isAll ? conditions.every(Boolean) : conditions.some(Boolean);
}

/** A pointer position. */
export interface Location {
  x: number;
  y: number;
  screen: number;
}

/** A position and size. */
interface Geometry extends Location {
  width: number;
  height: number;
}

export interface WindowSearch {
  /** An extended POSIX regular expression. */
  pattern?: string;
  /** Whether the pattern applies to the window title. */
  name: boolean;
  /** Whether the pattern applies to the window class. */
  class: boolean;
  /** Whether the pattern applies to the class instance name, which is the class here. */
  className: boolean;
  pid?: number;
  desktop?: number;
  isVisible: boolean;
  /** Whether all conditions must match, rather than any. */
  isAll: boolean;
  /** Maximum depth of the search below the root window; 0 finds nothing. */
  depth: number;
  /** Maximum number of windows to find; 0 for all. */
  limit: number;
}

/** How to send keys: press and release, or only one of them. */
export type KeyWay = "key" | "keydown" | "keyup";

/** A window change without a value. */
export type WindowAct = "activate" | "focus" | "map" | "minimize" | "raise" | "close" | "quit";

export type WindowCall = "activate" | "minimize" | "maximize" | "fullscreen" | "restore" | "close";

/** The calls. Each rejects with an `ExpectedError` if it fails. */
export interface Calls {
  position(): Promise<Point>;
  move(point: Point): Promise<void>;
  press(held: Held): Promise<void>;
  release(held: Held): Promise<void>;
  scroll(direction: Direction): Promise<void>;
  type(text: string): Promise<void>;
  screen(): Promise<ScreenLayout>;
  /** The windows, topmost first. */
  windows(): Promise<readonly WindowInfo[]>;
  changeWindow(id: string, change: WindowCall): Promise<void>;
  placeWindow(id: string, region: Partial<Region>): Promise<void>;
  /**
   * Releases what these calls hold, before the program stops or ends.
   * @param continued As for `Operator.letGo`.
   */
  letGo(continued: Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Linux ends a sleep 30 to 90 us late, and a key has two pauses. The thread therefore busy-waits for the last
 * part of a pause, in milliseconds.
 */
const AWAKE_MS = 0.1;

/** Waits until a time on the clock, in milliseconds. */
function waitUntil(time: number): void {
  const left = time - performance.now() - AWAKE_MS;
  if (left > 0) openLibc().usleep(Math.round(left * 1000));
  while (performance.now() < time);
}

/** Maximum pause without a timer, in milliseconds: the first use of a timer takes 4 to 10 ms (Deno 2.9.6). */
const BRIEF_MS = 20;

/** Waits until a time on the clock, in milliseconds; lets other work run during a long pause. */
async function pauseUntil(time: number): Promise<void> {
  const left = time - performance.now();
  if (left <= BRIEF_MS && Deno.build.os === "linux") waitUntil(time);
  else await new Promise((resolve) => setTimeout(resolve, Math.max(0, left)));
}
