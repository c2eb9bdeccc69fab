/** An X11 desktop's windows: through EWMH as far as the window manager supports it, and without a manager. */

import type {
  ActiveWatch,
  ActiveWindow,
  Point,
  Region,
  WindowChange,
  WindowInfo,
  Windows,
} from "../../control/desktop/desktop.ts";
import { delay } from "@std/async/delay";
import { StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { ActiveWatches, WindowWatch } from "./window_watch.ts";
import { InputHandled } from "./handled/questions.ts";
import {
  askActive,
  describeReceiver,
  describeWindows,
  extents,
  findManager,
  ICONIC,
  managedWindows,
  PAGER,
  type Receiving,
  shownPopups,
  WINDOW_ATOMS,
  type WindowAtoms,
  type WindowManager,
} from "./window_rows.ts";
import { createOwnWindow, WINDOW_CLASS, XcbConnection } from "./xcb_connection.ts";

// Waits until a window manager has handled all requests.

/**
 * Number of questions asked after a request. A manager handles messages in order, so its answer to the first
 * means that it has handled the request. The X server's resulting events, such as a focus change, are then in
 * the manager's queue before the second question.
 */
const QUESTIONS = 2;
/**
 * Time after which a manager that has answered no question counts as one that lists the question but ignores
 * it, as Fluxbox does, in milliseconds.
 */
const UNANSWERED_MS = { idle: 500, most: 1500 } as const;

/**
 * Asks a window manager for the frame of one of deskhand's own windows (EWMH, _NET_REQUEST_FRAME_EXTENTS).
 * The answer indicates that the manager has handled all earlier requests.
 */
export class ManagerFence {
  readonly #window: number;
  /** Questions still to be answered, and whether one is pending. */
  #left = 0;
  #isAsked = false;
  /** When the question was asked, by `performance.now()`. */
  #askedAt = 0;
  /** Whether the manager has answered a question, or has not answered in time; undefined before. */
  #answers: boolean | undefined;
  /** The asked manager's check window: another manager does not answer its questions. */
  #manager: number | undefined;

  constructor(readonly xcb: XcbConnection, readonly atoms: WindowAtoms) {
    this.#window = createOwnWindow(xcb, WINDOW_CLASS.inputOutput);
  }

  /**
   * Begins to wait for all requests sent so far.
   * @param manager The manager; if it does not support the question, all requests count as handled.
   */
  raise(manager: WindowManager): void {
    if (manager.window !== this.#manager) {
      this.#manager = manager.window;
      this.#left = 0;
      this.#isAsked = false;
      this.#answers = undefined;
    }
    if (!manager.supports.has(this.atoms._NET_REQUEST_FRAME_EXTENTS) || this.#answers === false) return;
    // The answer to an older question does not cover the new request.
    this.#left = QUESTIONS + (this.#isAsked ? 1 : 0);
    if (!this.#isAsked) this.#ask();
  }

  /** Whether the manager has handled everything; asks the next question after an answer. Never waits. */
  isPassed(): boolean {
    if (this.#left === 0) return true;
    if (!this.xcb.property(this.xcb.askProperty(this.#window, this.atoms._NET_FRAME_EXTENTS, 4, true))) {
      if (
        this.#answers ||
        performance.now() - this.#askedAt < timeByLoad(UNANSWERED_MS.idle, UNANSWERED_MS.most)
      ) {
        return false;
      }
      this.#answers = false;
      this.#left = 0;
      return true;
    }
    this.#answers = true;
    this.#isAsked = false;
    if (--this.#left > 0) this.#ask();
    return this.#left === 0;
  }

  #ask(): void {
    this.#isAsked = true;
    this.#askedAt = performance.now();
    this.xcb.sendMessage(this.#window, this.atoms._NET_REQUEST_FRAME_EXTENTS, []);
  }
}

/** Interval between checks whether the manager has handled a press, in milliseconds. */
const PRESS_LOOK_MS = 2;
/** Maximum time for a window to leave a screen-filling state, in milliseconds; longer on a busy machine. */
const LEAVE_MS = 1000;

/** Whether a window fills the screen. A full-screen window may be maximized as well. */
const isLarge = ({ state }: WindowInfo) => state === "maximized" || state === "fullscreen";

/** _NET_MOVERESIZE_WINDOW: NorthWest gravity, source pager, and a flag for each given value. */
const MOVE_RESIZE = {
  northWest: 1,
  pager: PAGER << 12,
  x: 1 << 8,
  y: 1 << 9,
  width: 1 << 10,
  height: 1 << 11,
};
/** ConfigureWindow's value mask (X11 protocol). */
const CONFIGURE = { x: 1, y: 2, width: 4, height: 8, stack: 64 };
const STACK_ABOVE = 0;
const FOCUS_TO_PARENT = 2;

/**
 * Whether a window manager that supports EWMH is running.
 * @param display The name of the display, such as `:0`.
 */
export function hasWindowManager(display: string): boolean {
  using xcb = new XcbConnection(display);
  return findManager(xcb, xcb.atoms(WINDOW_ATOMS)) !== undefined;
}

/** Windows over their own connection, which is opened on first use. */
export class X11Windows implements Windows {
  #xcb: XcbConnection | undefined;
  #atoms!: WindowAtoms;
  #fence: ManagerFence | undefined;
  #watch: WindowWatch | undefined;
  #isManaged: boolean | undefined;
  readonly #handled: InputHandled;
  readonly #active: ActiveWatches;
  /** The difference between each listed region and the program's own window. */
  readonly #frames = new Map<string, Region>();

  /**
   * @param display The name of the display, such as `:0`.
   * @param xlib Returns an open `Display *`, for texts of old types.
   */
  constructor(readonly display: string, readonly xlib: () => Deno.PointerObject) {
    this.#handled = new InputHandled(display);
    this.#active = new ActiveWatches(display);
  }

  /**
   * Whether a window manager that supports EWMH was running when the windows were last listed, or is now if
   * they never were.
   * @throws DesktopUnavailableError if the server is gone.
   */
  get isManaged(): boolean {
    if (this.#isManaged !== undefined) return this.#isManaged;
    const xcb = this.#connected();
    return this.#isManaged = findManager(xcb, this.#atoms) !== undefined;
  }

  list(): Promise<WindowInfo[]> {
    return Promise.try(() => {
      const xcb = this.#connected(), watch = this.#watch!, kept = watch.current();
      if (kept) return kept;
      watch.begin();
      const managed = managedWindows(xcb, this.#atoms);
      this.#isManaged = managed.manager !== undefined;
      watch.follow(managed);
      this.#frames.clear();
      const windows = describeWindows(xcb, this.#atoms, managed, this.xlib, this.#frames).reverse();
      watch.keep(windows);
      return windows;
    });
  }

  isSame(listed: readonly WindowInfo[]): Promise<boolean> {
    return Promise.try(() => {
      this.#connected();
      return this.#watch!.isCurrent(listed);
    });
  }

  /** The position and size of a listed window within its frame; undefined if it was not in the last list. */
  ownPart(window: WindowInfo): Region | undefined {
    const frame = this.#frames.get(window.id);
    return frame && {
      x: window.x - frame.x,
      y: window.y - frame.y,
      width: window.width - frame.width,
      height: window.height - frame.height,
    };
  }

  /**
   * Describes the program of a window that receives input.
   * @throws DesktopUnavailableError if the server is gone.
   */
  describe(window: number): Receiving {
    return describeReceiver(this.#connected(), this.#atoms, window);
  }

  /**
   * The windows that are in no list, as described by `shownPopups`.
   * @throws DesktopUnavailableError if the server is gone.
   */
  popups(): ReturnType<typeof shownPopups> {
    return shownPopups(this.#connected(), this.#atoms);
  }

  /**
   * The root window's child at a position; 0 if there is none.
   * @throws DesktopUnavailableError if the server is gone.
   */
  childAt(point: Point): number {
    return this.#connected().childAt(point);
  }

  async change(window: WindowInfo, change: WindowChange): Promise<void> {
    const xcb = this.#connected(), id = Number(window.id);
    const manager = findManager(xcb, this.#atoms);
    if (!manager) return this.#changeUnmanaged(xcb, id, change);
    this.#ask(xcb, window, change, manager);
    if (change.to === "placed") {
      // A large window's frame is narrower, or absent: its width is known after the window has left that
      // state.
      if (isLarge(window)) await this.#untilHandled(this.#raised(xcb, manager), timeByLoad(LEAVE_MS));
      this.#place(xcb, id, change.region, manager);
    }
    this.#raised(xcb, manager);
  }

  /**
   * Sets the address of the accessibility bus as the root window's AT_SPI_BUS property, which tells Qt 5
   * programs to expose their elements. at-spi2-core sets the property too, but not if it was started without
   * the display.
   * @throws DesktopUnavailableError if the server is gone.
   */
  announceAccessibility(address: string): void {
    const xcb = this.#connected(), { AT_SPI_BUS, STRING } = xcb.atoms(["AT_SPI_BUS", "STRING"]);
    xcb.setProperty(xcb.root, AT_SPI_BUS, STRING, 8, new TextEncoder().encode(address));
    xcb.flush();
  }

  isHandled(): boolean {
    return this.#fence?.isPassed() ?? true;
  }

  async pressHandled(ms: number): Promise<void> {
    const xcb = this.#connected(), manager = findManager(xcb, this.#atoms);
    if (!manager) return;
    await this.#untilHandled(this.#raised(xcb, manager), ms);
  }

  async #untilHandled(fence: ManagerFence, ms: number): Promise<void> {
    for (const end = performance.now() + ms; !fence.isPassed() && performance.now() < end;) {
      await delay(PRESS_LOOK_MS);
    }
  }

  async hasHandled({ id }: WindowInfo, ms: number): Promise<boolean | undefined> {
    return await this.#handled.ask(Number(id), ms);
  }

  async dialogOver(window: WindowInfo, windows: readonly WindowInfo[]): Promise<WindowInfo | undefined> {
    const { dialogOver } = await import("./dialogs.ts");
    return dialogOver(this.#connected(), window, windows);
  }

  watchActive(instead?: (active: ActiveWindow) => WindowInfo | undefined): ActiveWatch | undefined {
    return this.isManaged ? this.#active.begin(instead) : undefined;
  }

  close(): void {
    this.#handled.close();
    this.#active.close();
    this.#watch?.close();
    this.#xcb?.close();
  }

  /** @throws DesktopUnavailableError if the server is gone. */
  #connected(): XcbConnection {
    if (this.#xcb && !this.#xcb.isBroken) return this.#xcb;
    this.#watch?.close();
    this.#xcb?.close();
    this.#xcb = this.#fence = this.#watch = undefined;
    const xcb = new XcbConnection(this.display);
    this.#atoms = xcb.atoms(WINDOW_ATOMS);
    this.#watch = new WindowWatch(xcb, this.#atoms);
    return this.#xcb = xcb;
  }

  /** The manager's fence, raised after all requests sent so far. */
  #raised(xcb: XcbConnection, manager: WindowManager): ManagerFence {
    this.#fence ??= new ManagerFence(xcb, this.#atoms);
    this.#fence.raise(manager);
    return this.#fence;
  }

  /** Requests a change from the window manager, except for other bounds. */
  #ask(xcb: XcbConnection, window: WindowInfo, change: WindowChange, manager: WindowManager): void {
    const atoms = this.#atoms, id = Number(window.id);
    const setState = (on: boolean, first: number, second = 0) =>
      xcb.sendMessage(id, atoms._NET_WM_STATE, [on ? 1 : 0, first, second, PAGER]);
    const { _NET_WM_STATE_MAXIMIZED_VERT: vertical, _NET_WM_STATE_MAXIMIZED_HORZ: horizontal } = atoms;
    const leaveFullScreen = () => {
      if (window.state === "fullscreen") setState(false, atoms._NET_WM_STATE_FULLSCREEN);
    };
    const becomeNormal = () => {
      leaveFullScreen();
      if (isLarge(window)) setState(false, vertical, horizontal);
    };
    const activate = () => {
      this.#showWorkspace(xcb, id, window, manager);
      askActive(xcb, atoms, id);
    };
    switch (change.to) {
      case "active":
        requireAtoms(manager, "activate", atoms._NET_ACTIVE_WINDOW);
        return activate();
      case "closed":
        requireAtoms(manager, "close", atoms._NET_CLOSE_WINDOW);
        return xcb.sendMessage(id, atoms._NET_CLOSE_WINDOW, [0, PAGER]);
      case "minimized":
        // Tiling window managers do not list a window's allowed actions.
        if (!manager.supports.has(atoms._NET_WM_ALLOWED_ACTIONS)) {
          requireAtoms(manager, "minimize", atoms._NET_WM_ACTION_MINIMIZE);
        }
        return xcb.sendMessage(id, atoms.WM_CHANGE_STATE, [ICONIC]);
      case "normal":
        return window.state === "minimized" ? activate() : becomeNormal();
      case "maximized":
        requireAtoms(manager, "maximize", vertical, horizontal);
        if (window.state === "minimized") activate();
        leaveFullScreen();
        return setState(true, vertical, horizontal);
      case "fullscreen":
        requireAtoms(manager, "make fullscreen", atoms._NET_WM_STATE_FULLSCREEN);
        if (window.state === "minimized") activate();
        return setState(true, atoms._NET_WM_STATE_FULLSCREEN);
      case "placed":
        requireAtoms(manager, "move", atoms._NET_MOVERESIZE_WINDOW);
        if (manager.name === "i3" && !xcb.property(xcb.askProperty(id, atoms.I3_FLOATING_WINDOW))) {
          throw new StateError(
            "the window manager (i3) tiles this window; only floating windows can be moved",
          );
        }
        becomeNormal();
    }
  }

  /**
   * Switches to a window's workspace, like a pager: some managers otherwise only mark the window as urgent.
   */
  #showWorkspace(
    xcb: XcbConnection,
    id: number,
    { elsewhere }: WindowInfo,
    { supports }: WindowManager,
  ): void {
    const { _NET_WM_DESKTOP, _NET_CURRENT_DESKTOP } = this.#atoms;
    if (!elsewhere || !supports.has(_NET_CURRENT_DESKTOP)) return;
    const [desktop] = xcb.numbers(xcb.askProperty(id, _NET_WM_DESKTOP));
    if (desktop !== undefined) xcb.sendMessage(xcb.root, _NET_CURRENT_DESKTOP, [desktop, 0]);
  }

  /** Moves and resizes: the manager expects the frame's corner, but the size of the window within it. */
  #place(xcb: XcbConnection, id: number, region: Partial<Region>, manager: WindowManager): void {
    const atoms = this.#atoms;
    const asked = xcb.askProperty(id, atoms._NET_FRAME_EXTENTS),
      shadowed = xcb.askProperty(id, atoms._GTK_FRAME_EXTENTS);
    const read = extents(xcb.numbers(asked)), shadow = extents(xcb.numbers(shadowed));
    const frame = manager.supports.has(atoms._NET_FRAME_EXTENTS) ? read : extents([]);
    const { x, y, width, height } = region;
    let flags = MOVE_RESIZE.northWest | MOVE_RESIZE.pager;
    for (const name of ["x", "y", "width", "height"] as const) {
      if (region[name] !== undefined) flags |= MOVE_RESIZE[name];
    }
    xcb.sendMessage(id, atoms._NET_MOVERESIZE_WINDOW, [
      flags,
      (x ?? 0) - shadow.left,
      (y ?? 0) - shadow.top,
      Math.max(1, (width ?? 0) - frame.left - frame.right + shadow.left + shadow.right),
      Math.max(1, (height ?? 0) - frame.top - frame.bottom + shadow.top + shadow.bottom),
    ]);
  }

  /** Changes a window without a window manager, as far as possible. */
  #changeUnmanaged(xcb: XcbConnection, id: number, change: WindowChange): void {
    const { xcb: { xcb_configure_window_checked, xcb_set_input_focus_checked }, connection } = xcb;
    const configure = (mask: number, values: number[]) =>
      xcb.isDone(xcb_configure_window_checked(connection, id, mask, Int32Array.from(values)));
    switch (change.to) {
      case "active":
        configure(CONFIGURE.stack, [STACK_ABOVE]);
        xcb.isDone(xcb_set_input_focus_checked(connection, FOCUS_TO_PARENT, id, 0));
        return;
      case "placed": {
        const { border = 0 } = xcb.geometry(xcb.askGeometry(id)) ?? {};
        const names = (["x", "y", "width", "height"] as const).filter((name) =>
          change.region[name] !== undefined
        );
        configure(
          names.reduce((mask, name) => mask | CONFIGURE[name], 0),
          names.map((name) => {
            const value = change.region[name]!; // the position includes the border, the size does not
            return name === "x" || name === "y" ? value : Math.max(1, value - 2 * border);
          }),
        );
        return;
      }
      case "closed":
        return this.#closeUnmanaged(xcb, id);
      case "normal":
        return; // without a manager, every window is
      default:
        throw new StateError(`cannot make the window ${change.to}: no window manager is running`);
    }
  }

  /** Asks a program to close its window (ICCCM section 4.2.8.1). */
  #closeUnmanaged(xcb: XcbConnection, id: number): void {
    const { WM_PROTOCOLS, WM_DELETE_WINDOW } = this.#atoms;
    if (!xcb.numbers(xcb.askProperty(id, WM_PROTOCOLS)).includes(WM_DELETE_WINDOW)) {
      throw new StateError(
        "cannot close the window: no window manager is running, and the program does not accept close requests",
      );
    }
    xcb.sendMessage(id, WM_PROTOCOLS, [WM_DELETE_WINDOW, 0], id);
  }
}

/** @throws StateError if a manager does not support atoms that a change needs. */
function requireAtoms({ name, supports }: WindowManager, change: string, ...needed: number[]): void {
  if (needed.every((atom) => supports.has(atom))) return;
  throw new StateError(`the window manager${name && ` (${name})`} cannot ${change} a window`);
}
