/** Whether a list of windows is still valid, according to the X server's change events. */

import type { ActiveWatch, ActiveWindow, Point, WindowInfo } from "../../control/desktop/desktop.ts";
import {
  askActive,
  describeClient,
  DESCRIBED,
  type ManagedWindows,
  toldWindows,
  WINDOW_ATOMS,
  type WindowAtoms,
} from "./window_rows.ts";
import { IdleTimer } from "../../core/until.ts";
import { EVENT, PROPERTY_CHANGE, STRUCTURE_NOTIFY, XcbConnection } from "./xcb_connection.ts";
import { Poller } from "../linux/libc.ts";
import { openLibraries } from "./libraries.ts";

/** How long events are received after the last question, in milliseconds: the server stores unread ones. */
const IDLE_MS = 5000;

/** The properties from which a list of windows is made: those of each window, and of the root window. */
const LISTED = [
  ...Object.values(DESCRIBED),
  ...["_NET_CURRENT_DESKTOP", "_NET_SUPPORTED", "_NET_SUPPORTING_WM_CHECK"] as const,
];
/**
 * The properties with the manager's window lists, which Openbox writes at each click even if nothing changed.
 */
const TOLD = ["_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST", "_NET_CLIENT_LIST_STACKING"] as const;

/**
 * Caches the list of a window manager's windows. A question costs one round trip instead of four, and two C
 * calls per window instead of twenty-two.
 */
export class WindowWatch {
  readonly #listed: ReadonlySet<number>;
  readonly #told: ReadonlySet<number>;
  #kept: readonly WindowInfo[] | undefined;
  /** The lists equal to the kept one. */
  #given = new WeakSet<readonly WindowInfo[]>();
  /** The windows whose events are selected. */
  #watched: readonly number[] = [];
  /** The window manager's list of windows, as read before the windows were described. */
  #managed: Omit<ManagedWindows, "manager"> = { ids: [], active: 0 };
  /** The windows' positions before the list was made. */
  #places: readonly (Point | undefined)[] = [];
  readonly #idle = new IdleTimer(IDLE_MS, () => this.#end());

  constructor(readonly xcb: XcbConnection, readonly atoms: WindowAtoms) {
    this.#listed = new Set(LISTED.map((name) => atoms[name]));
    this.#told = new Set(TOLD.map((name) => atoms[name]));
  }

  /** The last list of windows, if no window has changed since. */
  current(): WindowInfo[] | undefined {
    if (!this.#isKept()) return undefined;
    const listed = this.#kept!.map((window) => ({ ...window }));
    this.#given.add(listed);
    return listed;
  }

  /** Whether no window has changed since a list was made. */
  isCurrent(listed: readonly WindowInfo[]): boolean {
    return this.#given.has(listed) && this.#isKept();
  }

  #isKept(): boolean {
    if (!this.#kept) return false;
    this.#idle.touch();
    // Queries the positions, since windows in a manager's frame move without an event. The replies come after
    // all earlier events.
    const places = this.#placesOf(this.#watched);
    const arePlaced = this.#places.every((place, i) =>
      place && place.x === places[i]?.x && place.y === places[i]?.y
    );
    const change = this.#readChange();
    if (arePlaced && (change === "none" || change === "told" && this.#isToldAgain())) return true;
    this.#kept = undefined;
    return false;
  }

  /** Requests events of the root window; must be called before a list is begun. */
  begin(): void {
    this.#readChange();
    this.xcb.select(this.xcb.root, PROPERTY_CHANGE);
  }

  /**
   * Requests events of windows, and reads their positions; must be called before the windows are described,
   * so that changes in the meantime are noticed.
   */
  follow({ manager, ids, active }: ManagedWindows): void {
    this.#managed = { ids, active };
    const watched = manager ? [...ids, manager.window] : [];
    const now = new Set(watched);
    for (const id of this.#watched) if (!now.has(id)) this.xcb.select(id, 0);
    // Selects every window again, since an id may now belong to another window.
    for (const id of watched) this.xcb.select(id, PROPERTY_CHANGE | STRUCTURE_NOTIFY); // the latter reports its size
    this.#watched = watched;
    this.#places = this.#placesOf(watched);
    this.#idle.touch();
  }

  /**
   * Stores the list that was made after {@linkcode follow}; without a manager, no events report its changes.
   */
  keep(windows: readonly WindowInfo[]): void {
    if (!this.#watched.length) return;
    this.#kept = windows.map((window) => ({ ...window }));
    this.#given = new WeakSet([windows]);
  }

  /** Ends the watch by closing the connection. */
  close(): void {
    this.#idle.cancel();
    this.#kept = undefined;
  }

  /** Reads the windows' positions on the root window; undefined for one that is gone. */
  #placesOf(windows: readonly number[]): (Point | undefined)[] {
    // Takes every reply, since XCB stores a reply in memory until it is taken.
    return windows.map((window) => this.xcb.askOrigin(window)).map((cookie) => this.xcb.origin(cookie));
  }

  /** Whether the manager's list contains the same windows as before, in the same order. */
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
      if (type === EVENT.error) continue; // the window was gone before its events were selected
      if (type !== EVENT.propertyNotify || this.#listed.has(atom)) change = "any";
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

// Reports immediately that the window manager has activated another window.

/** The watches of one display, over their own connection, which is open while there are any. */
export class ActiveWatches {
  readonly #watches = new Set<X11ActiveWatch>();
  #poller: Poller | undefined;

  /** @param display The name of the display, such as `:0`. */
  constructor(readonly display: string) {}

  /**
   * Begins a watch.
   * @param instead As for `watchActive`.
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
    xcb.focus(); // with this reply, the server has begun to report changes
    const fd = xcb.xcb.xcb_get_file_descriptor(xcb.connection);
    const poller = this.#poller = new Poller(openLibraries().c, () => [fd]);
    const changedAt = () => {
      let at: number | undefined;
      for (let event = xcb.event(); event; event = xcb.event()) {
        const isActive = event.getUint8(0) === EVENT.propertyNotify &&
          event.getUint32(8, true) === atoms._NET_ACTIVE_WINDOW;
        if (isActive) at = event.getUint32(12, true);
      }
      return at;
    };
    const onReady = () => {
      if (xcb.isBroken) poller.stop();
      let isChanged = poller.isStopped;
      // The round trips read further events, for which the file descriptor does not become ready again.
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
   * Activates what the watches want instead of the active window. Two round trips: while a program draws its
   * new window, each takes milliseconds, and a list of all windows ten times as long.
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
