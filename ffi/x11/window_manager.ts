/** The window manager that runs now, and the windows that it manages. */

import type { WindowAtoms } from "./window_atoms.ts";
import { decodeTitle } from "./window_title.ts";
import type { XcbConnection } from "./xcb_connection.ts";

/** A window manager that follows EWMH. */
export interface WindowManager {
  /** The window manager's check window, which goes with it. */
  window: number;
  /** The window manager's name, for messages. */
  name: string;
  /** The atoms that the manager supports; those that an earlier manager left on windows do not count. */
  supports: ReadonlySet<number>;
}

/** The windows to list, and which has the keyboard. */
export interface ManagedWindows {
  manager: WindowManager | undefined;
  /** The windows from the bottom up. */
  ids: number[];
  /** The active window; 0 if there is none. */
  active: number;
}

/** Levels of frames between a child of the root window and a program's window, under a manager without EWMH. */
const FRAME_LEVELS = 3;
/** The most levels of windows that are searched for the focus; a bound against trees that change during the walk. */
const TREE_LEVELS = 32;

/**
 * Finds the window manager.
 * @returns undefined if no manager runs that follows EWMH. A killed manager leaves its properties on the root window,
 * but its check window, which must point to itself, is gone.
 */
export function findManager(xcb: XcbConnection, atoms: WindowAtoms): WindowManager | undefined {
  const check = xcb.askProperty(xcb.root, atoms._NET_SUPPORTING_WM_CHECK);
  const supported = xcb.askProperty(xcb.root, atoms._NET_SUPPORTED);
  const [window] = xcb.numbers(check), supports = new Set(xcb.numbers(supported));
  if (!window) return undefined;
  const own = xcb.askProperty(window, atoms._NET_SUPPORTING_WM_CHECK);
  const name = xcb.askProperty(window, atoms._NET_WM_NAME);
  const [same] = xcb.numbers(own), property = xcb.property(name);
  return same === window
    ? { window, name: property ? decodeTitle(property, atoms) : "", supports }
    : undefined;
}

/** Finds the windows that a person can switch to. */
export function managedWindows(xcb: XcbConnection, atoms: WindowAtoms): ManagedWindows {
  const manager = findManager(xcb, atoms);
  if (!manager) return { manager, ids: unmanagedWindows(xcb, atoms), active: focusedWindow(xcb, atoms) };
  return { manager, ...toldWindows(xcb, atoms) };
}

/** The windows in a manager's list. */
export function toldWindows(xcb: XcbConnection, atoms: WindowAtoms): Omit<ManagedWindows, "manager"> {
  const stacking = xcb.askProperty(xcb.root, atoms._NET_CLIENT_LIST_STACKING);
  const clients = xcb.askProperty(xcb.root, atoms._NET_CLIENT_LIST);
  const active = xcb.askProperty(xcb.root, atoms._NET_ACTIVE_WINDOW);
  const stacked = xcb.numbers(stacking), listed = xcb.numbers(clients);
  return { ids: stacked.length ? stacked : listed, active: xcb.numbers(active)[0] ?? 0 };
}

/**
 * The windows of a desktop without a manager that lists them: visible children of the root window, or, where a
 * manager without EWMH frames them, the first window in each that has WM_STATE (ICCCM section 4.1.3.1).
 */
function unmanagedWindows(xcb: XcbConnection, atoms: WindowAtoms): number[] {
  const children = xcb.tree(xcb.askTree(xcb.root))?.children ?? [];
  const asked = children.map((window) => xcb.askAttributes(window));
  const attributes = asked.map((cookie) => xcb.attributes(cookie));
  const shown = children.filter((_, i) => attributes[i]?.isViewable && attributes[i]?.isInputOutput);
  const clients = framedClients(xcb, atoms, shown);
  const own = new Set(children.filter((_, i) => attributes[i] && !attributes[i]!.isUnmanaged));
  return shown.map((window) => clients.get(window) ?? (own.has(window) ? window : 0)).filter(Boolean);
}

/** The programs' windows in frames, by the frame. */
function framedClients(xcb: XcbConnection, atoms: WindowAtoms, frames: number[]): Map<number, number> {
  const clients = new Map<number, number>();
  let level = frames.map((frame) => ({ window: frame, frame }));
  for (let depth = 0; depth < FRAME_LEVELS && level.length; depth++) {
    const asked = level.map(({ window }) => ({
      state: xcb.askProperty(window, atoms.WM_STATE, 0),
      tree: xcb.askTree(window),
    }));
    const next: typeof level = [];
    level.forEach(({ window, frame }, i) => {
      // Takes both replies in any case, since XCB keeps a reply in memory until it is taken.
      const state = xcb.property(asked[i].state), tree = xcb.tree(asked[i].tree);
      if (state && !clients.has(frame)) clients.set(frame, window);
      else next.push(...(tree?.children ?? []).map((child) => ({ window: child, frame })));
    });
    level = next.filter(({ frame }) => !clients.has(frame));
  }
  return clients;
}

/** The window that has the keyboard, as {@linkcode unmanagedWindows} lists it; 0 if no window has it. */
function focusedWindow(xcb: XcbConnection, atoms: WindowAtoms): number {
  let window = xcb.focus(), client = 0;
  for (let level = 0; window > 1 && level < TREE_LEVELS; level++) {
    const state = xcb.askProperty(window, atoms.WM_STATE, 0), asked = xcb.askTree(window);
    if (xcb.property(state)) client = window;
    const tree = xcb.tree(asked);
    if (!tree) return 0;
    if (tree.parent === xcb.root || !tree.parent) return client || window;
    window = tree.parent;
  }
  return client;
}
