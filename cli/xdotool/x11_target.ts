/** The X server of DISPLAY. */

import { cString } from "../../ffi/linux/libc.ts";
import type { PointerPlace, PointerPlaces } from "../../ffi/x11/xdotool/pointer_places.ts";
import { searchWindows } from "../../ffi/x11/xdotool/search.ts";
import { big, MAP_STATE, type XdoSession } from "../../ffi/x11/xdotool/session.ts";
import type { Printer } from "./output.ts";
import type { Steps } from "./steps.ts";
import {
  type CommandNames,
  type Edge,
  type InputTarget,
  type KeyWay,
  type Later,
  type Target,
  WINDOW_TEXTS,
  type WindowAct,
  type WindowEvent,
  type WindowProperties,
  type WindowSearch,
  type WindowText,
  type WindowWait,
} from "./target.ts";
import { waitUntil } from "./wait_until.ts";

// The pointer and the keyboard of an X server, by libxdo.

/** Milliseconds between a press and a release, as in libxdo. */
const CLICK_PAUSE_MS = 0.012;

/** Sends keys and clicks as xdotool does. */
export class X11Input implements InputTarget {
  /** @param session The session; its creator closes the connection. */
  constructor(readonly session: XdoSession) {}

  get #xdo() {
    return this.session.libraries.xdo;
  }

  location = () => this.session.location();

  move = (x: number, y: number, screen: number) => this.#xdo.xdo_move_mouse(this.session.xdo, x, y, screen);

  moveBy = (x: number, y: number) => this.#xdo.xdo_move_mouse_relative(this.session.xdo, x, y);

  button(window: number, button: number, isDown: boolean) {
    const send = isDown ? this.#xdo.xdo_mouse_down : this.#xdo.xdo_mouse_up;
    return send(this.session.xdo, big(window), button);
  }

  /** The time of the requests counts as part of a delay, so that a script takes no longer than by xdotool. */
  click(window: number, button: number, times: number, delay: number, isLast = false) {
    for (let time = 1; time <= times; time++) {
      const began = performance.now(), code = this.button(window, button, true);
      if (code) return code;
      waitUntil(performance.now() + CLICK_PAUSE_MS);
      this.button(window, button, false);
      if (!isLast || time < times) waitUntil(began + delay / 1000);
    }
    return 0;
  }

  keys(way: KeyWay, window: number, keys: string, delay: number, isLast = false): number {
    if (way === "key" && !window && !keys.includes("+")) {
      const began = performance.now(), down = this.keys("keydown", 0, keys, 0);
      waitUntil(began + delay / 2000);
      const up = this.keys("keyup", 0, keys, 0);
      if (!isLast) waitUntil(began + delay / 1000);
      return down + up;
    }
    const send = {
      key: this.#xdo.xdo_send_keysequence_window,
      keydown: this.#xdo.xdo_send_keysequence_window_down,
      keyup: this.#xdo.xdo_send_keysequence_window_up,
    }[way];
    return send(this.session.xdo, big(window), cString(keys), delay);
  }

  type(window: number, text: string, delay: number) {
    return this.#xdo.xdo_enter_text_window(this.session.xdo, big(window), cString(text), delay);
  }

  clearModifiers = (window: number) => this.session.clearModifiers(window);
}

/** Properties of texts (ICCCM). */
const TEXT_PROPERTY: Record<WindowText, string> = {
  "name": "WM_NAME",
  "icon-name": "WM_ICON_NAME",
  "role": "WM_WINDOW_ROLE",
};

/** The number of places of the pointer that are asked for together: some milliseconds of answers. */
const PLACES_AT_ONCE = 256;

/** Commands that need functions of later versions. */
const LATER = {
  getwindowclassname: "xdo_get_window_classname",
  windowlower: "xdo_lower_window",
  windowquit: "xdo_quit_window",
  windowstate: "xdo_window_state",
} as const;

/** xdotool's actions, done by libxdo. */
export class X11Target implements Target {
  readonly steps: Steps | undefined;
  readonly #session: XdoSession;

  /**
   * @param print Receives the lines that xdotool prints for watched events.
   * @param input The pointer and the keyboard.
   */
  constructor(
    session: XdoSession,
    readonly print: Printer,
    readonly input: InputTarget = new X11Input(session),
  ) {
    this.#session = session;
  }

  readonly lacks: CommandNames = {
    has: (command) =>
      Object.hasOwn(LATER, command) && this.#session.lacks(LATER[command as keyof typeof LATER]),
  };

  get version() {
    return this.#session.version;
  }

  get #xdo() {
    return this.#session.libraries.xdo;
  }

  location = () => this.input.location();
  move = (x: number, y: number, screen: number) => this.input.move(x, y, screen);
  moveBy = (x: number, y: number) => this.input.moveBy(x, y);
  button = (window: number, button: number, isDown: boolean) => this.input.button(window, button, isDown);
  click = (window: number, button: number, times: number, delay: number, isLast?: boolean) =>
    this.input.click(window, button, times, delay, isLast);
  keys = (way: KeyWay, window: number, keys: string, delay: number, isLast?: boolean) =>
    this.input.keys(way, window, keys, delay, isLast);
  type = (window: number, text: string, delay: number) => this.input.type(window, text, delay);
  clearModifiers = (window: number) => this.input.clearModifiers(window);

  screenSize = (screen: number) => this.#session.screenSize(screen);
  pointer = () => this.#session.pointer();

  /** A separate connection, which the first question for many places opens. */
  #places: PointerPlaces | undefined;

  async pointers(count: number): Promise<PointerPlace[]> {
    const { PointerPlaces } = await import("../../ffi/x11/xdotool/pointer_places.ts");
    this.#places ??= new PointerPlaces(this.#session);
    return this.#places.ask(Math.min(count, PLACES_AT_ONCE));
  }

  geometry = (window: number) => this.#session.geometry(window);
  rootSize = (window: number) => this.#session.size(this.#session.root(window));
  placeOf = (window: number, x: number, y: number) => this.#session.placeOf(window, x, y);
  search = (search: WindowSearch) => searchWindows(this.#session, search);
  active = () => this.#session.window("xdo_get_active_window");
  focused = (isTop: boolean) =>
    this.#session.window(isTop ? "xdo_get_focused_window_sane" : "xdo_get_focused_window");
  select = () => this.#session.window("xdo_select_window_with_click");
  name = (window: number) => this.#session.name(window);
  className = (window: number) => this.#session.className(window);
  pid = (window: number) => this.#xdo.xdo_get_pid_window(this.#session.xdo, big(window));

  act(act: WindowAct, window: number): Later<number> {
    const xdo = this.#xdo;
    const acts = {
      activate: xdo.xdo_activate_window,
      focus: xdo.xdo_focus_window,
      map: xdo.xdo_map_window,
      unmap: xdo.xdo_unmap_window,
      minimize: xdo.xdo_minimize_window,
      raise: xdo.xdo_raise_window,
      lower: xdo.xdo_lower_window,
      close: xdo.xdo_close_window,
      quit: xdo.xdo_quit_window,
      kill: xdo.xdo_kill_window,
    };
    return acts[act]!(this.#session.xdo, big(window));
  }

  waitFor(wait: WindowWait, window: number) {
    const xdo = this.#xdo, session = this.#session.xdo, id = big(window);
    if (wait === "activate") xdo.xdo_wait_for_window_active(session, id, 1);
    else if (wait === "focus") xdo.xdo_wait_for_window_focus(session, id, 1);
    else {
      const state = wait === "map" ? MAP_STATE.viewable : MAP_STATE.unmapped;
      xdo.xdo_wait_for_window_map_state(session, id, state);
    }
  }

  place = (window: number, x: number, y: number) =>
    this.#xdo.xdo_move_window(this.#session.xdo, big(window), x, y);
  hinted = (window: number, width: number, height: number) => this.#session.hinted(window, width, height);
  resize = (window: number, width: number, height: number) =>
    this.#xdo.xdo_set_window_size(this.#session.xdo, big(window), width, height, 0);
  waitForResize = (window: number, before: { width: number; height: number }) =>
    this.#session.waitForResize(window, before);
  reparent = (window: number, parent: number) =>
    this.#xdo.xdo_reparent_window(this.#session.xdo, big(window), big(parent));

  set(window: number, properties: WindowProperties) {
    const xdo = this.#xdo, session = this.#session.xdo, id = big(window);
    const { texts, class: name, className, overrideRedirect, urgency } = properties;
    for (const text of WINDOW_TEXTS) {
      const value = texts[text];
      if (value === undefined) continue;
      xdo.xdo_set_window_property(session, id, cString(TEXT_PROPERTY[text]), cString(value));
    }
    if (name !== undefined || className !== undefined) {
      xdo.xdo_set_window_class(session, id, optional(className), optional(name));
    }
    if (overrideRedirect !== undefined) {
      xdo.xdo_set_window_override_redirect(session, id, Number(overrideRedirect));
    }
    if (urgency !== undefined) xdo.xdo_set_window_urgency(session, id, Number(urgency));
  }

  setState = (window: number, how: 0 | 1 | 2, state: string) =>
    this.#xdo.xdo_window_state!(
      this.#session.xdo,
      big(window),
      BigInt(how),
      cString(`_NET_WM_STATE_${state}`),
    );

  desktopCount = () => this.#session.long("xdo_get_number_of_desktops");
  setDesktopCount = (count: number) => this.#xdo.xdo_set_number_of_desktops(this.#session.xdo, BigInt(count));
  desktop = () => this.#session.long("xdo_get_current_desktop");
  setDesktop = (desktop: number) => this.#xdo.xdo_set_current_desktop(this.#session.xdo, BigInt(desktop));
  desktopOf = (window: number) => this.#session.desktopOf(window);
  setDesktopOf = (window: number, desktop: number) =>
    this.#xdo.xdo_set_desktop_for_window(this.#session.xdo, big(window), BigInt(desktop));
  viewport = () => this.#session.viewport();
  setViewport = (x: number, y: number) => this.#xdo.xdo_set_desktop_viewport(this.#session.xdo, x, y);

  async watch(
    windows: number[],
    event: WindowEvent,
    happened: (window: number) => void | Promise<void>,
  ): Promise<never> {
    const { watchWindows } = await import("../../ffi/x11/xdotool/events.ts");
    return await watchWindows(this.#session, windows, event, happened, this.#unexpected);
  }

  async watchEdge(
    edge: Edge,
    delay: number,
    quiesce: number,
    happened: () => void | Promise<void>,
  ): Promise<never> {
    const { watchEdge } = await import("../../ffi/x11/xdotool/events.ts");
    return await watchEdge(this.#session, {
      isAt: (x, y, size) => isAtEdge(edge, x, y, size),
      delay,
      quiesce,
      happened,
      timedOut: () => this.print.out("Timeout"),
      unexpected: this.#unexpected,
    });
  }

  #unexpected = (type: number) => this.print.out(`Unexpected event: ${type}`);

  close(): Later<void> {
    this.#places?.close();
    this.#session.close();
  }
}

/** A C string, or NULL. */
const optional = (text: string | undefined) => text === undefined ? null : cString(text);

/** Tells whether a place is at an edge, such as `right`, or in a corner, such as `bottom-left`. */
function isAtEdge(
  edge: Edge,
  x: number,
  y: number,
  { width, height }: { width: number; height: number },
): boolean {
  const at: Record<string, boolean> = {
    left: x === 0,
    right: x === width - 1,
    top: y === 0,
    bottom: y === height - 1,
  };
  return edge.split("-").every((side) => at[side]);
}
