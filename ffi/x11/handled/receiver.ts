/** The program that gets the keys now. */

import type { WindowAtoms } from "../window_atoms.ts";
import type { XcbConnection } from "../xcb_connection.ts";

/** A program that gets keys. */
export interface Receiver {
  /** The window that gets the keys. */
  window: number;
  /** The window among its ancestors whose program answers `_NET_WM_PING`; undefined if none does. */
  pinged?: number;
}

/** xcb_get_input_focus's answer for "the window below the pointer" (X11 protocol, SetInputFocus). */
const POINTER_ROOT = 1;
/** The most levels of windows that are searched; a bound against trees that change during the walk. */
const TREE_LEVELS = 32;

/** Finds the program that gets the keys now; undefined if none does. */
export function currentReceiver(xcb: XcbConnection, atoms: WindowAtoms): Receiver | undefined {
  const focus = xcb.focus();
  const window = focus === POINTER_ROOT ? windowBelowPointer(xcb) : focus;
  if (!window || window === xcb.root) return undefined;
  let ancestor: number | undefined = window;
  for (let level = 0; ancestor && ancestor !== xcb.root && level < TREE_LEVELS; level++) {
    const protocols = xcb.askProperty(ancestor, atoms.WM_PROTOCOLS), tree = xcb.askTree(ancestor);
    const answers = xcb.numbers(protocols).includes(atoms._NET_WM_PING);
    const parent: number | undefined = xcb.tree(tree)?.parent;
    if (answers) return { window, pinged: ancestor };
    ancestor = parent;
  }
  return { window };
}

/** The innermost window below the pointer; 0 if there is only the root window. */
function windowBelowPointer(xcb: XcbConnection): number {
  let window = 0, child = xcb.childBelowPointer(xcb.root);
  for (let level = 0; child && level < TREE_LEVELS; level++) {
    window = child;
    child = xcb.childBelowPointer(window);
  }
  return window;
}
