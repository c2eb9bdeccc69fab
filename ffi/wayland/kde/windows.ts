/** A KDE desktop's windows. */

import {
  isSameRegion,
  type Region,
  type WindowChange,
  type WindowInfo,
  type WindowState,
} from "../../../control/desktop/desktop.ts";
import { StateError, UnsupportedError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { until } from "../../../core/until.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import type { RemoteObject } from "../../linux/dbus/message.ts";
import type { PlacedWindows, Session } from "../way.ts";
import { type BackgroundConnection, OnDemand } from "../wire/background_connection.ts";
import type { Connection } from "../wire/connection.ts";
import type { Link } from "../wire/link.ts";
import { logicalSides, Outputs, scaledRegion } from "../wire/outputs.ts";
import {
  DESKTOP_MANAGEMENT,
  PLASMA_WINDOW,
  STACKING_ORDER,
  VIRTUAL_DESKTOP,
  WINDOW_MANAGEMENT,
  WINDOW_STATE,
} from "./keys.ts";

// KWin's windows (org_kde_plasma_window_management), as described by its events.

/** A window. */
interface PlasmaWindow {
  object: number;
  /** KWin's own id of the window, with which it captures pictures. */
  uuid: string;
  /** Counted from 1; stays the same while the window exists. */
  number: number;
  title: string;
  appId: string;
  pid: number;
  /** Bits of {@linkcode WINDOW_STATE}. */
  state: number;
  /** The window's region in logical pixels, including its frame. */
  region: Region;
  /** The workspaces that contain the window; empty if it is on all. */
  desktops: Set<string>;
  /** Whether the window's description is complete. */
  isKnown: boolean;
}

/** KWin's workspaces, one of which is shown (org_kde_plasma_virtual_desktop_management). */
class VirtualDesktops {
  readonly #shown = new Set<string>();
  /** Whether every workspace's state has been received. */
  isKnown = true;

  constructor({ registry, connection }: BackgroundConnection) {
    const { name, created, getVirtualDesktop } = DESKTOP_MANAGEMENT;
    if (!registry.version(name)) return;
    const manager = registry.bindFirst(name, 1, (opcode, args) => {
      if (opcode !== created) return;
      const id = args.string();
      const object = connection.newId((opcode) => {
        if (opcode === VIRTUAL_DESKTOP.activated) this.#shown.add(id);
        else if (opcode === VIRTUAL_DESKTOP.deactivated || opcode === VIRTUAL_DESKTOP.removed) {
          this.#shown.delete(id);
        }
      });
      connection.request(manager, getVirtualDesktop, object, id);
      this.isKnown = false;
    });
  }

  /** Whether a window that is only on these workspaces is hidden. */
  hide({ desktops }: PlasmaWindow): boolean {
    return desktops.size > 0 && this.#shown.size > 0 && this.#shown.isDisjointFrom(desktops);
  }
}

/** The windows of one connection. */
export class PlasmaWindows {
  readonly #windows = new Map<string, PlasmaWindow>();
  readonly #manager: number;
  readonly #asksForOrder: boolean;
  readonly desktops: VirtualDesktops;
  /** Window names from the bottom up. */
  #order: string[] = [];
  #isOrderOld = true;
  /** Runs until KWin has described the order, or new windows and workspaces. */
  #ordering: Promise<void> | undefined;
  #describing: Promise<void> | undefined;
  #count = 0;

  private constructor(readonly background: BackgroundConnection) {
    const { registry } = background, { name, least, newest, ordersAskedFor } = WINDOW_MANAGEMENT;
    if (registry.version(name) < least) {
      throw new UnsupportedError(
        `KWin does not allow deskhand to list windows (it does not offer ${name} ${least}); ` +
          "deskhand doctor names what is missing",
      );
    }
    this.#asksForOrder = registry.version(name) >= ordersAskedFor;
    this.desktops = new VirtualDesktops(background);
    this.#manager = registry.bindFirst(name, newest, (opcode, args) => {
      if (opcode === WINDOW_MANAGEMENT.windowWithUuid) {
        args.uint(); // the window's number, which newer versions do not use
        this.#add(args.string());
      } else if (opcode === WINDOW_MANAGEMENT.stackingOrderUuids) {
        this.#order = args.string().split(";");
      } else if (opcode === WINDOW_MANAGEMENT.stackingOrderChanged) this.#isOrderOld = true;
    });
  }

  /** @throws UnsupportedError if KWin does not offer the protocol. */
  static async open(background: BackgroundConnection): Promise<PlasmaWindows> {
    const windows = new PlasmaWindows(background);
    await background.connection.handled();
    return windows;
  }

  /** Every window that a user can switch to, topmost first. */
  async list(): Promise<PlasmaWindow[]> {
    await this.#update();
    if (this.#asksForOrder && this.#isOrderOld) {
      this.#ordering = this.#askForOrder().finally(() => this.#ordering = undefined);
    }
    await this.#ordering; // maybe another caller's
    const places = new Map(this.#order.map((name, i) => [name, i]));
    return [...this.#windows]
      .filter(([, { isKnown, state }]) => isKnown && isSwitchedTo(state))
      .sort(([a], [b]) => (places.get(b) ?? -1) - (places.get(a) ?? -1))
      .map(([, window]) => window);
  }

  /** The active window, which may be a panel or the like. */
  async active(): Promise<PlasmaWindow | undefined> {
    await this.#update();
    return [...this.#windows.values()].find(({ isKnown, state }) => isKnown && state & WINDOW_STATE.active);
  }

  /**
   * Applies changes. A new window or workspace must be requested; its description is in the second answer.
   */
  async #update(): Promise<void> {
    const { background: { connection }, desktops } = this;
    await connection.handled();
    if (!desktops.isKnown || [...this.#windows.values()].some(({ isKnown }) => !isKnown)) {
      desktops.isKnown = true;
      this.#describing = connection.handled()?.finally(() => this.#describing = undefined);
    }
    await this.#describing; // maybe another caller's
  }

  async #askForOrder(): Promise<void> {
    const { connection } = this.background, order: string[] = [];
    const object = connection.newId((opcode, args) => {
      if (opcode === STACKING_ORDER.window) order.push(args.string());
      else this.#order = order;
    });
    connection.request(this.#manager, WINDOW_MANAGEMENT.getStackingOrder, object);
    this.#isOrderOld = false;
    await connection.handled();
  }

  #add(name: string): void {
    const { connection } = this.background;
    const window: PlasmaWindow = {
      object: 0,
      uuid: name,
      number: ++this.#count,
      title: "",
      appId: "",
      pid: 0,
      state: 0,
      region: { x: 0, y: 0, width: 0, height: 0 },
      desktops: new Set(),
      isKnown: false,
    };
    window.object = connection.newId((opcode, args) => {
      if (opcode === PLASMA_WINDOW.title) window.title = args.string();
      else if (opcode === PLASMA_WINDOW.appId) window.appId = args.string();
      else if (opcode === PLASMA_WINDOW.pid) window.pid = args.uint();
      else if (opcode === PLASMA_WINDOW.state) window.state = args.uint();
      else if (opcode === PLASMA_WINDOW.initialState) window.isKnown = true;
      else if (opcode === PLASMA_WINDOW.desktopEntered) window.desktops.add(args.string());
      else if (opcode === PLASMA_WINDOW.desktopLeft) window.desktops.delete(args.string());
      else if (opcode === PLASMA_WINDOW.geometry) {
        window.region = { x: args.int(), y: args.int(), width: args.uint(), height: args.uint() };
      } else if (opcode === PLASMA_WINDOW.unmapped) {
        this.#windows.delete(name);
        connection.request(window.object, PLASMA_WINDOW.destroy);
      }
    });
    this.#windows.set(name, window);
    connection.request(this.#manager, WINDOW_MANAGEMENT.getWindowByUuid, window.object, name);
    connection.flush();
  }
}

/**
 * Whether a user can switch to a window. KWin does not close or minimize panels and desktops
 * (`XdgToplevelWindow::isCloseable` and `isMinimizable`).
 * @param state Bits of {@linkcode WINDOW_STATE}.
 */
export function isSwitchedTo(state: number): boolean {
  const { closeable, minimizable, skipSwitcher } = WINDOW_STATE;
  return (state & (closeable | minimizable)) !== 0 && !(state & skipSwitcher);
}

/** A window's state: a minimized window that was maximized counts as minimized. */
export function stateOf({ state }: PlasmaWindow): WindowState {
  for (const name of ["minimized", "fullscreen", "maximized"] as const) {
    if (state & WINDOW_STATE[name]) return name;
  }
  return "normal";
}

/** The flag for a window that supports a state. */
const ABLE: Record<Exclude<WindowState, "normal">, number> = {
  minimized: WINDOW_STATE.minimizable,
  maximized: WINDOW_STATE.maximizable,
  fullscreen: WINDOW_STATE.fullscreenable,
};
const ALL_STATES = WINDOW_STATE.minimized | WINDOW_STATE.maximized | WINDOW_STATE.fullscreen;
/** Maximum time for a program to redraw a resized window, in milliseconds; longer on a busy machine. */
const DRAWN_MS = 500;
/** Interval between checks during a wait, in milliseconds. */
const LOOK_MS = 10;

/** Lists and changes windows over a connection that is opened on first use. */
export class KwinWindows implements PlacedWindows {
  readonly #kwin: OnDemand<{ windows: PlasmaWindows; outputs: Outputs }>;

  /** @param link A connection to use instead of a new one. */
  constructor(readonly session: Session, link?: Link) {
    const make = async (background: BackgroundConnection) => ({
      windows: await PlasmaWindows.open(background),
      outputs: await Outputs.open(background.connection, background.registry),
    });
    this.#kwin = new OnDemand(session.socket, make, link);
  }

  async scale(): Promise<number> {
    return (await this.#kwin.get()).outputs.arrangement().scale;
  }

  async list(): Promise<WindowInfo[]> {
    const { windows, outputs } = await this.#kwin.get(), listed = await windows.list();
    const { scale } = outputs.arrangement();
    return listed.map((window) => ({
      id: idOf(window),
      title: window.title,
      class: window.appId,
      ...(window.pid ? { pid: window.pid } : {}),
      state: stateOf(window),
      ...(windows.desktops.hide(window) ? { elsewhere: true } : {}),
      active: (window.state & WINDOW_STATE.active) !== 0,
      ...scaledRegion(window.region, scale),
    }));
  }

  async change(window: WindowInfo, change: WindowChange): Promise<void> {
    if (change.to === "placed") await this.#place(window, change.region);
    else await this.#change(window, change.to);
  }

  async serverId(window: WindowInfo): Promise<string | undefined> {
    return (await this.#find(window))?.window.uuid;
  }

  close(): void {
    this.#kwin.close();
  }

  async #place(listed: WindowInfo, region: Partial<Region>): Promise<void> {
    const found = await this.#find(listed);
    if (!found) return; // the window has already been closed
    const { window, setState, connection } = found, { state, region: before } = window;
    if (state & ALL_STATES) {
      setState(ALL_STATES, 0);
      const isResized = (state & (WINDOW_STATE.maximized | WINDOW_STATE.fullscreen)) !== 0;
      const isNormal = () =>
        !(window.state & ALL_STATES) && !(isResized && isSameRegion(window.region, before));
      await untilDrawn(connection, isNormal);
    }
    const wanted: Region = { ...window.region, ...logicalSides(region, await this.scale()) };
    await runScript(this.session, placingScript(window.uuid, wanted));
    await untilDrawn(connection, () => isSameRegion(window.region, wanted));
  }

  /** Finds a listed window, with the connection that knows it; undefined if it is closed. */
  async #find({ id }: WindowInfo) {
    const { windows } = await this.#kwin.get(), { connection } = windows.background;
    const window = (await windows.list()).find((one) => idOf(one) === id);
    return window && {
      window,
      connection,
      setState: (flags: number, state: number) =>
        connection.request(window.object, PLASMA_WINDOW.setState, flags, state),
    };
  }

  async #change(listed: WindowInfo, to: Exclude<WindowChange["to"], "placed">): Promise<void> {
    const found = await this.#find(listed);
    if (!found) return; // the window has already been closed
    const { window, setState, connection } = found;
    if (to === "closed") connection.request(window.object, PLASMA_WINDOW.close);
    else if (to === "active") {
      setState(WINDOW_STATE.minimized, 0);
      setState(WINDOW_STATE.active, WINDOW_STATE.active);
    } else {
      if (to !== "normal" && !(window.state & ABLE[to])) {
        throw new StateError(`this window cannot be ${to}; it is still ${stateOf(window)}`);
      }
      const before = stateOf(window);
      setState(...stepTo(before, to));
      // A window restored from the task bar is active, as after a person's click there.
      if (before === "minimized" && to !== "minimized") {
        setState(WINDOW_STATE.active, WINDOW_STATE.active);
      }
    }
    await connection.handled();
  }
}

/** Waits a while until a program has drawn its window as requested by KWin; it may choose other bounds. */
async function untilDrawn(connection: Connection, isDrawn: () => boolean): Promise<void> {
  const check = async () => {
    await connection.handled();
    return isDrawn();
  };
  await until(check, { ms: timeByLoad(DRAWN_MS), every: LOOK_MS });
}

/**
 * The bits that differ between two states, and their values. A restored window returns to its previous state.
 */
function stepTo(from: WindowState, to: WindowState): [flags: number, state: number] {
  if (to === "minimized") return [WINDOW_STATE.minimized, WINDOW_STATE.minimized];
  if (to === "normal") return from === "minimized" ? [WINDOW_STATE.minimized, 0] : [ALL_STATES, 0];
  return [ALL_STATES, WINDOW_STATE[to]];
}

function idOf({ number }: PlasmaWindow): string {
  return `0x${number.toString(16)}`;
}

// KWin scripts (https://develop.kde.org/docs/plasma/kwin/), since no Plasma protocol moves windows.

const SCRIPTING: RemoteObject = {
  destination: "org.kde.KWin",
  path: "/Scripting",
  interface: "org.kde.kwin.Scripting",
};
/** Maximum time for KWin to run a script, in milliseconds. */
const SCRIPT_MS = 2000;

/**
 * A script that changes a window's bounds. It first moves the window, since KWin delays a move combined with
 * a new size until the program has drawn that size.
 * @param uuid KWin's id for the window.
 * @param region In logical pixels.
 */
function placingScript(uuid: string, region: Region): string {
  return `
    // Plasma 6 and 5
    const windows = workspace.windowList ? workspace.windowList() : workspace.clientList();
    const window = windows.find((one) => String(one.internalId) === ${JSON.stringify(uuid)});
    if (window) {
      const { width, height } = window.frameGeometry;
      window.frameGeometry = { x: ${region.x}, y: ${region.y}, width, height };
      window.frameGeometry = ${JSON.stringify(region)};
    }`;
}

/**
 * Runs a script in KWin. KWin reads it from a file and does not report its end, so the script unloads itself.
 * @throws StateError if KWin does not run it in time; DesktopUnavailableError if KWin does not answer.
 */
async function runScript({ socket, buses }: Session, script: string): Promise<void> {
  const name = `deskhand-${crypto.randomUUID()}`,
    path = `${socket.slice(0, socket.lastIndexOf("/"))}/${name}.js`;
  const bus = await Bus.openAside(buses);
  const call = <Reply extends "" | "b" | "i">(member: string, reply: Reply, ...args: string[]) =>
    bus.callAsync(SCRIPTING, member, "s".repeat(args.length), args, reply);
  const isUnloaded = async () => !(await call("isScriptLoaded", "b", name))[0];
  const { destination, interface: scripting } = SCRIPTING;
  const unload = [destination, SCRIPTING.path, scripting, "unloadScript", name].map((text) =>
    JSON.stringify(text)
  );
  try {
    await Deno.writeTextFile(path, `${script}\ncallDBus(${unload});\n`, { createNew: true, mode: 0o600 });
    await call("loadScript", "i", path, name);
    await call("start", "");
    if (await until(isUnloaded, { ms: timeByLoad(SCRIPT_MS), every: LOOK_MS })) return;
    await call("unloadScript", "b", name);
    throw new StateError("KWin did not run the script that moves the window");
  } finally {
    bus.close();
    await Deno.remove(path).catch(() => {});
  }
}
