/** Whether a list of windows is still valid, from the X server's events about changes. */

import type { ActiveWatch, ActiveWindow, Point, WindowInfo } from "../../control/desktop/desktop.ts";
import {
  askActive,
  describeClient,
  type ManagedWindows,
  toldWindows,
  WINDOW_ATOMS,
  type WindowAtoms,
} from "./window_rows.ts";
import { IdleTimer } from "../../core/until.ts";
import { XcbConnection } from "./xcb_connection.ts";
import { Poller } from "../linux/libc.ts";
import { openLibraries } from "./libraries.ts";
import { PROPERTY_CHANGE } from "./selection_connection.ts";

/** PropertyChangeMask, and StructureNotifyMask: a window's size (X11 protocol, "SETofEVENT"). */
const PROPERTIES = 0x400000, STRUCTURE = 0x20000;
/** Types of events. */
const ERROR = 0, PROPERTY_NOTIFY = 28;
/**
 * The time that events are taken after the last question, in milliseconds: the server stores those that are not read.
 */
const IDLE_MS = 5000;

/** The properties that a list of windows is made of. */
const LISTED = [
  "WM_NAME",
  "WM_CLASS",
  "WM_STATE",
  "_GTK_FRAME_EXTENTS",
  "_NET_CURRENT_DESKTOP",
  "_NET_FRAME_EXTENTS",
  "_NET_SUPPORTED",
  "_NET_SUPPORTING_WM_CHECK",
  "_NET_WM_DESKTOP",
  "_NET_WM_NAME",
  "_NET_WM_PID",
  "_NET_WM_STATE",
  "_NET_WM_WINDOW_TYPE",
] as const satisfies readonly (keyof WindowAtoms)[];
/** The properties with the manager's lists of windows, which Openbox writes at each click even if nothing changed. */
const TOLD = ["_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST", "_NET_CLIENT_LIST_STACKING"] as const;

/**
 * Keeps the list of windows of a window manager. A question costs one exchange with the server instead of four, and two
 * functions of C for each window instead of twenty-two.
 */
export class WindowWatch {
  readonly #listed: ReadonlySet<number>;
  readonly #told: ReadonlySet<number>;
  #kept: readonly WindowInfo[] | undefined;
  /** The windows whose events are selected. */
  #watched: readonly number[] = [];
  /** The window manager's list of windows, as read before the windows were described. */
  #managed: Omit<ManagedWindows, "manager"> = { ids: [], active: 0 };
  /** The places of the windows before the list was made. */
  #places: readonly (Point | undefined)[] = [];
  readonly #idle = new IdleTimer(IDLE_MS, () => this.#end());

  constructor(readonly xcb: XcbConnection, readonly atoms: WindowAtoms) {
    this.#listed = new Set(LISTED.map((name) => atoms[name]));
    this.#told = new Set(TOLD.map((name) => atoms[name]));
  }

  /** The last list of windows, if no window has changed since. */
  current(): WindowInfo[] | undefined {
    if (!this.#kept) return undefined;
    this.#idle.touch();
    // Asks for the places, since windows in a manager's frame move without an event. The replies come after all
    // earlier events.
    const places = this.#placesOf(this.#watched);
    const arePlaced = this.#places.every((place, i) =>
      place && place.x === places[i]?.x && place.y === places[i]?.y
    );
    const change = this.#readChange();
    if (arePlaced && (change === "none" || change === "told" && this.#isToldAgain())) {
      return this.#kept.map((window) => ({ ...window }));
    }
    this.#kept = undefined;
    return undefined;
  }

  /** Asks for events of the root window; to be called before a list is begun. */
  begin(): void {
    this.#readChange();
    this.xcb.select(this.xcb.root, PROPERTIES);
  }

  /**
   * Asks for events of windows, and reads their places; to be called before the windows are described, so that
   * changes during the description are noticed.
   */
  follow({ manager, ids, active }: ManagedWindows): void {
    this.#managed = { ids, active };
    const watched = manager ? [...ids, manager.window] : [];
    const now = new Set(watched);
    for (const id of this.#watched) if (!now.has(id)) this.xcb.select(id, 0);
    // Asks every window again, since an id may belong to another window by now.
    for (const id of watched) this.xcb.select(id, PROPERTIES | STRUCTURE);
    this.#watched = watched;
    this.#places = this.#placesOf(watched);
    this.#idle.touch();
  }

  /** Keeps the list that was made after {@linkcode follow}; without a manager no events report its changes. */
  keep(windows: readonly WindowInfo[]): void {
    if (this.#watched.length) this.#kept = windows.map((window) => ({ ...window }));
  }

  /** Ends the watch: the connection closes. */
  close(): void {
    this.#idle.cancel();
    this.#kept = undefined;
  }

  /** Reads the places of windows on the root window; undefined for one that is gone. */
  #placesOf(windows: readonly number[]): (Point | undefined)[] {
    // Takes every reply, since XCB keeps a reply in memory until it is taken.
    return windows.map((window) => this.xcb.askOrigin(window)).map((cookie) => this.xcb.origin(cookie));
  }

  /** Whether the manager's list has the same windows as before, in the same order. */
  #isToldAgain(): boolean {
    const { ids, active } = toldWindows(this.xcb, this.atoms), before = this.#managed;
    return active === before.active && ids.length === before.ids.length &&
      ids.every((id, i) => id === before.ids[i]);
  }

  /** Reads the events that have arrived. @returns Which part of the list may have changed. */
  #readChange(): "none" | "told" | "any" {
    let change: "none" | "told" | "any" = "none";
    for (let event = this.xcb.event(); event; event = this.xcb.event()) {
      const type = event.getUint8(0), atom = event.getUint32(8, true);
      if (type === ERROR) continue; // the window was gone before its events were selected
      if (type !== PROPERTY_NOTIFY || this.#listed.has(atom)) change = "any";
      else if (change === "none" && this.#told.has(atom)) change = "told";
    }
    return change;
  }

  #end(): void {
    if (this.xcb.isBroken) return;
    this.#kept = undefined;
    for (const id of [this.xcb.root, ...this.#watched]) this.xcb.select(id, 0);
    this.#watched = [];
    this.xcb.flush();
    this.#readChange();
  }
}

// Reports that the window manager made another window active, as it happens.

/** The watches of one display, over a connection of their own that is open while there is one. */
export class ActiveWatches {
  readonly #watches = new Set<X11ActiveWatch>();
  #poller: Poller | undefined;

  /** @param display The name of the display, such as `:0`. */
  constructor(readonly display: string) {}

  /**
   * Begins a watch.
   * @param instead As `watchActive` takes it.
   * @throws DesktopUnavailableError if the server is gone.
   */
  begin(instead?: (active: ActiveWindow) => WindowInfo | undefined): ActiveWatch {
    const watch = new X11ActiveWatch(() => this.#end(watch), instead);
    if (!this.#poller || this.#poller.isStopped) this.#start();
    this.#watches.add(watch);
    return watch;
  }

  /** Ends all watches. Safe to call twice. */
  close(): void {
    this.#poller?.stop();
  }

  #end(watch: X11ActiveWatch): void {
    this.#watches.delete(watch);
    if (!this.#watches.size) this.#poller?.stop();
  }

  #start(): void {
    const xcb = new XcbConnection(this.display), atoms = xcb.atoms(WINDOW_ATOMS);
    xcb.select(xcb.root, PROPERTY_CHANGE);
    xcb.focus(); // a reply: the server reports changes from now on
    const fd = xcb.xcb.xcb_get_file_descriptor(xcb.connection);
    const poller = this.#poller = new Poller(openLibraries().c, () => [fd]);
    const changedAt = () => {
      let at: number | undefined;
      for (let event = xcb.event(); event; event = xcb.event()) {
        const isActive = event.getUint8(0) === PROPERTY_NOTIFY &&
          event.getUint32(8, true) === atoms._NET_ACTIVE_WINDOW;
        if (isActive) at = event.getUint32(12, true);
      }
      return at;
    };
    const onReady = () => {
      if (xcb.isBroken) poller.stop();
      let isChanged = poller.isStopped;
      // The exchanges read further events, for which the descriptor is not ready again.
      for (let at = changedAt(); at !== undefined && !xcb.isBroken; at = changedAt()) {
        isChanged = true;
        this.#activateInstead(xcb, atoms, at);
      }
      if (isChanged) { for (const watch of this.#watches) watch.report(); }
    };
    onReady();
    void poller.run(onReady).finally(() => xcb.close());
  }

  /**
   * Activates what the watches want instead of the active window. Two exchanges with the server: while a program draws its new
   * window, each takes milliseconds, and a list of all windows ten times as long.
   */
  #activateInstead(xcb: XcbConnection, atoms: WindowAtoms, at: number): void {
    const asking = [...this.#watches].filter(({ instead }) => instead);
    if (!asking.length) return;
    const [window] = xcb.numbers(xcb.askProperty(xcb.root, atoms._NET_ACTIVE_WINDOW));
    if (!window) return;
    const active = { id: `0x${window.toString(16)}`, ...describeClient(xcb, atoms, window), at };
    for (const { instead } of asking) {
      const wanted = instead!(active);
      if (wanted) askActive(xcb, atoms, Number(wanted.id));
    }
  }
}

class X11ActiveWatch implements ActiveWatch {
  #isChanged = false;
  #report: (() => void) | undefined;

  constructor(
    readonly end: () => void,
    readonly instead?: (active: ActiveWindow) => WindowInfo | undefined,
  ) {}

  report(): void {
    this.#isChanged = true;
    this.#report?.();
  }

  async changed(ms: number): Promise<boolean> {
    if (!this.#isChanged) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#report = resolve;
      await promise;
      this.#report = undefined;
      clearTimeout(timer);
    }
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
