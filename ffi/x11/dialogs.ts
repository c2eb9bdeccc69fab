/**
 * Modal dialogs: a program ignores presses in windows that are blocked by one of its own modal dialogs (EWMH,
 * _NET_WM_STATE_MODAL; ICCCM section 4.1.2.6, WM_TRANSIENT_FOR).
 */

import type { WindowInfo } from "../../control/desktop/desktop.ts";
import type { XcbConnection } from "./xcb_connection.ts";

/** A program's window, as described by its properties. */
interface Owned {
  window: WindowInfo;
  isModal: boolean;
  /** The id of its owner window; undefined if it has none that is listed. */
  owner: string | undefined;
}

/** Reads the windows of a window's program, in one round trip. */
function ownedWindows(xcb: XcbConnection, { pid }: WindowInfo, windows: readonly WindowInfo[]): Owned[] {
  const atoms = xcb.atoms(["WM_TRANSIENT_FOR", "_NET_WM_STATE", "_NET_WM_STATE_MODAL"]);
  const own = windows.filter((window) => window.pid === pid), ids = new Set(windows.map(({ id }) => id));
  const asked = own.map(({ id }) => ({
    owner: xcb.askProperty(Number(id), atoms.WM_TRANSIENT_FOR, 1),
    states: xcb.askProperty(Number(id), atoms._NET_WM_STATE),
  }));
  return asked.map(({ owner, states }, i) => {
    const [number = 0] = xcb.numbers(owner), id = `0x${number.toString(16)}`;
    const isModal = xcb.numbers(states).includes(atoms._NET_WM_STATE_MODAL);
    return { window: own[i], isModal, owner: ids.has(id) ? id : undefined };
  });
}

/**
 * Finds the dialog that blocks a window. A modal dialog blocks its owner windows; one without an owner blocks
 * all other windows of its program, except for modal ones in front of it.
 * @param windows All windows, topmost first.
 * @returns The last of several dialogs that block each other; undefined if the window accepts presses.
 */
export function dialogOver(
  xcb: XcbConnection,
  window: WindowInfo,
  windows: readonly WindowInfo[],
): WindowInfo | undefined {
  const rows = ownedWindows(xcb, window, windows);
  const around = (row: Owned | undefined): Owned[] => {
    const found: Owned[] = [];
    for (let at = row; at && !found.includes(at);) {
      found.push(at);
      at = rows.find(({ window: { id } }) => id === at!.owner);
    }
    return found;
  };
  const stops = (dialog: Owned, row: Owned) => {
    if (!dialog.isModal || dialog === row) return false;
    if (dialog.owner !== undefined) return around(dialog).includes(row);
    const isInFront = rows.indexOf(dialog) < rows.indexOf(row);
    return window.pid !== undefined && !around(row).includes(dialog) && (!row.isModal || isInFront);
  };
  let last = rows.find(({ window: { id } }) => id === window.id);
  for (const _ of rows) last = rows.find((dialog) => last && stops(dialog, last)) ?? last;
  return last?.window.id === window.id ? undefined : last?.window;
}
