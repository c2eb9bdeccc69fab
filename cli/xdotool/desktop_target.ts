/**
 * A desktop that is no X server: Wayland's, Windows', or the desktop of a running deskhand. The target supports the
 * commands that deskhand's actions can do, and refuses all others with the reason.
 */

import type { Held, ScreenLayout, WindowInfo } from "../../control/desktop.ts";
import { StateError, UnsupportedError } from "../../core/errors.ts";
import type { Calls } from "./calls.ts";
import { ACTS, BUTTONS, DEFAULT_DELAY, MODIFIERS, REFUSED, STATES, WHEEL } from "./desktop_words.ts";
import { keysOf } from "./key_names.ts";
import type { Printer } from "./output.ts";
import { posixPattern } from "./patterns.ts";
import type { Geometry, KeyWay, Location, Target, WindowAct, WindowSearch } from "./target.ts";
import { VERSION } from "./version.ts";
import { pauseUntil } from "./wait_until.ts";

/** Waits until a pause is over that began at a time, in milliseconds: the requests since then count as part of it. */
const pause = (began: number, microseconds: number) => pauseUntil(began + microseconds / 1000);

/** The desktop. */
export class DesktopTarget implements Target {
  readonly version = VERSION;
  readonly lacks: ReadonlySet<string> = new Set();
  /** Modifiers that `keydown` holds. */
  readonly #down = new Set<string>();

  /** @param print Gets messages that xdotool prints in the middle of a command. */
  constructor(readonly calls: Calls, readonly print: Printer) {}

  async location(): Promise<Location> {
    return { ...await this.calls.position(), screen: 0 };
  }

  #screen: ScreenLayout | undefined;

  /** Replaces a place outside the screen by the nearest place on it, as X11 does. */
  async move(x: number, y: number): Promise<number> {
    const { x: left, y: top, width, height } = this.#screen ??= await this.calls.screen();
    await this.calls.move({
      x: Math.min(Math.max(x, left), left + width - 1),
      y: Math.min(Math.max(y, top), top + height - 1),
    });
    return 0;
  }

  async moveBy(x: number, y: number): Promise<number> {
    const from = await this.calls.position();
    return await this.move(from.x + x, from.y + y);
  }

  async button(window: number, button: number, isDown: boolean): Promise<number> {
    await this.#checkWindow(window);
    const direction = WHEEL[button], name = BUTTONS[button];
    if (direction) {
      if (isDown) await this.calls.scroll(direction);
      return 0;
    }
    if (!name) throw new UnsupportedError(`there is no button ${button} here; there are 1 to 9`);
    const held: Held = ["button", name];
    await (isDown ? this.calls.press(held) : this.calls.release(held));
    return 0;
  }

  async click(window: number, button: number, times: number, delay: number, isLast = false): Promise<number> {
    for (let time = 1; time <= times; time++) {
      const began = performance.now();
      await this.button(window, button, true);
      await this.button(window, button, false);
      if (!isLast || time < times) await pause(began, delay);
    }
    return 0;
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

  async type(window: number, text: string, delay: number): Promise<number> {
    await this.#checkWindow(window);
    if (delay <= DEFAULT_DELAY) {
      if (text) await this.calls.type(text);
      return 0;
    }
    for (const character of text) {
      const began = performance.now();
      await this.calls.type(character);
      await pause(began, delay);
    }
    return 0;
  }

  /**
   * Releases the modifiers that this chain holds: others are unknown to xdotool here; deskhand's typing releases
   * them.
   */
  async clearModifiers(): Promise<() => Promise<void>> {
    const down = [...this.#down];
    for (const key of down) await this.#key(key, false);
    return async () => {
      for (const key of down) await this.#key(key, true);
    };
  }

  /** Input goes to the window that has the keyboard, and to no other. */
  async #checkWindow(window: number): Promise<void> {
    if (!window || (await this.#info(window)).active) return;
    throw new StateError(
      `input reaches only the active window here, and window ${window} is not: windowactivate it first`,
    );
  }

  async screenSize(screen: number): Promise<{ width: number; height: number } | undefined> {
    const { displays } = await this.calls.screen();
    if (displays[screen]) return displays[screen];
    this.print.err(`Invalid screen number ${screen} outside range 0 - ${displays.length - 1}`);
    return undefined;
  }

  /** The window in front at the pointer's place. */
  async pointer(): Promise<Location & { window: number }> {
    const place = await this.location(), { x, y } = place;
    // Prints the place even if windows cannot be listed.
    const windows = await this.calls.windows().catch(() => []);
    const over = windows.find((window) =>
      window.state !== "minimized" && x >= window.x && y >= window.y && x < window.x + window.width &&
      y < window.y + window.height
    );
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
    throw new UnsupportedError("this desktop does not tell where its windows are");
  }

  rootSize = () => this.calls.screen();

  async placeOf(window: number, x: number, y: number): Promise<Location> {
    const geometry = await this.geometry(window);
    return { x: geometry.x + x, y: geometry.y + y, screen: 0 };
  }

  async search(search: WindowSearch): Promise<number[]> {
    if (search.desktop !== undefined) throw new UnsupportedError(NO_WORKSPACES);
    const pattern = search.pattern === undefined ? undefined : posixPattern(search.pattern);
    if (search.pattern !== undefined && !pattern) {
      this.print.err(`Failed to compile regex (return code 1): '${search.pattern}'`);
      return [];
    }
    if (search.depth === 0) return [];
    const windows = (await this.calls.windows()).reverse();
    const found = windows.filter((window) => matches(window, search, pattern)).map(numberOf);
    return search.limit ? found.slice(0, search.limit) : found;
  }

  async active(): Promise<number | undefined> {
    const window = (await this.calls.windows()).find(({ active }) => active);
    return window && numberOf(window);
  }

  focused = () => this.active();

  select(): never {
    throw new UnsupportedError("no program is told here which window a person clicks on");
  }

  name = async (window: number) => (await this.#info(window)).title;
  className = async (window: number) => (await this.#info(window)).class;
  pid = async (window: number) => (await this.#info(window)).pid ?? 0;

  async act(act: WindowAct, window: number): Promise<number> {
    const call = ACTS[act];
    if (!call) throw new UnsupportedError(REFUSED[act]!);
    await this.calls.changeWindow((await this.#info(window)).id, call);
    return 0;
  }

  /** Every call waits until its change shows. */
  waitFor(): void {}
  waitForResize(): void {}

  async place(window: number, x: number, y: number): Promise<number> {
    await this.calls.placeWindow((await this.#info(window)).id, { x, y });
    return 0;
  }

  hinted(): never {
    throw new UnsupportedError("windows do not tell here in which steps their size changes");
  }

  async resize(window: number, width: number, height: number): Promise<number> {
    const size = { ...(width ? { width } : {}), ...(height ? { height } : {}) };
    await this.calls.placeWindow((await this.#info(window)).id, size);
    return 0;
  }

  reparent(): never {
    throw new UnsupportedError("no window can be put into another one here");
  }

  set(): never {
    throw new UnsupportedError("no program can change the properties of other programs' windows here");
  }

  async setState(window: number, how: 0 | 1 | 2, state: string): Promise<number> {
    const call = STATES[state], info = await this.#info(window);
    if (!call) throw new UnsupportedError(`the state ${state} of windows cannot be changed here`);
    const isSet = call === "minimize"
      ? info.state === "minimized"
      : info.state.startsWith(call.replace("maximize", "maximized"));
    const wanted = how === 2 ? !isSet : how === 1;
    if (wanted !== isSet) await this.calls.changeWindow(info.id, wanted ? call : "restore");
    return 0;
  }

  #noWorkspaces = (): never => {
    throw new UnsupportedError(NO_WORKSPACES);
  };
  desktopCount = this.#noWorkspaces;
  setDesktopCount = this.#noWorkspaces;
  desktop = this.#noWorkspaces;
  setDesktop = this.#noWorkspaces;
  desktopOf = this.#noWorkspaces;
  setDesktopOf = this.#noWorkspaces;
  viewport = this.#noWorkspaces;
  setViewport = this.#noWorkspaces;

  watch(): never {
    throw new UnsupportedError("no program is told here of the events of other programs' windows");
  }

  watchEdge(): never {
    throw new UnsupportedError("no program is told here that the pointer reaches an edge");
  }

  async close(): Promise<void> {
    await this.calls.close();
  }
}

const NO_WORKSPACES = "no program is told here of workspaces, or changes them";

/** A window's id as xdotool writes it. */
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
