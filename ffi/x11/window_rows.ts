/** Describes a list of windows by their properties: sends all requests first, and then takes all replies. */

import type { WindowInfo, WindowState } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import type { WindowAtoms } from "./window_atoms.ts";
import type { ManagedWindows } from "./window_manager.ts";
import { decodeAnyTitle } from "./window_title.ts";
import type { Property, XcbConnection } from "./xcb_connection.ts";

/** WM_STATE of a minimized window, and the value by which WM_CHANGE_STATE minimizes one (ICCCM section 4.1.3.1). */
export const ICONIC = 3;

/** Space around a window, in pixels. */
export interface Extents {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/**
 * Describes windows that a person can switch to: without panels, the desktop itself, and windows that taskbars and
 * pagers leave out. A window that vanishes during the reading is left out, too.
 * @param xlib Gives an open `Display *`, for texts of old types.
 * @returns In the order of the ids.
 * @throws DesktopUnavailableError if the server is gone.
 */
export function describeWindows(
  xcb: XcbConnection,
  atoms: WindowAtoms,
  { manager, ids, active }: ManagedWindows,
  xlib: () => Deno.PointerObject,
): WindowInfo[] {
  const title = (property: Property | undefined) => property ? decodeAnyTitle(property, atoms, xlib()) : "";
  const supports = (atom: number) => manager?.supports.has(atom) ?? false;
  const asked = ids.map((id) => ({
    id,
    geometry: xcb.askGeometry(id),
    origin: xcb.askOrigin(id),
    name: xcb.askProperty(id, atoms._NET_WM_NAME),
    oldName: xcb.askProperty(id, atoms.WM_NAME),
    class: xcb.askProperty(id, atoms.WM_CLASS),
    pid: xcb.askProperty(id, atoms._NET_WM_PID),
    states: xcb.askProperty(id, atoms._NET_WM_STATE),
    state: xcb.askProperty(id, atoms.WM_STATE),
    types: xcb.askProperty(id, atoms._NET_WM_WINDOW_TYPE),
    frame: xcb.askProperty(id, atoms._NET_FRAME_EXTENTS),
    shadow: xcb.askProperty(id, atoms._GTK_FRAME_EXTENTS),
  }));
  // Takes every reply, also for a window that is gone, since XCB keeps a reply in memory until it is taken.
  const replies = asked.map((cookies) => ({
    id: cookies.id,
    geometry: xcb.geometry(cookies.geometry),
    origin: xcb.origin(cookies.origin),
    name: xcb.property(cookies.name),
    oldName: xcb.property(cookies.oldName),
    class: xcb.property(cookies.class),
    pid: xcb.numbers(cookies.pid)[0],
    states: xcb.numbers(cookies.states),
    state: xcb.numbers(cookies.state)[0],
    types: xcb.numbers(cookies.types),
    frame: extents(xcb.numbers(cookies.frame)),
    shadow: extents(xcb.numbers(cookies.shadow)),
  }));
  if (xcb.isBroken) throw new DesktopUnavailableError(`the X server of display ${xcb.display} is gone`);
  return replies.flatMap((reply): WindowInfo[] => {
    const { id, geometry, origin, frame, shadow } = reply;
    if (!geometry || !origin) return [];
    // Without a window manager the window's border is its frame; a manager removes the border.
    const outer = manager ? supports(atoms._NET_FRAME_EXTENTS) ? frame : NO_EXTENTS : border(geometry.border);
    const states = supports(atoms._NET_WM_STATE) ? reply.states : [];
    if (manager && !isSwitchedTo(reply.types, states, atoms)) return [];
    return [{
      id: `0x${id.toString(16)}`,
      title: title(reply.name ?? reply.oldName),
      class: className(reply.class),
      ...(reply.pid === undefined ? {} : { pid: reply.pid }),
      x: origin.x - outer.left + shadow.left,
      y: origin.y - outer.top + shadow.top,
      width: geometry.width + outer.left + outer.right - shadow.left - shadow.right,
      height: geometry.height + outer.top + outer.bottom - shadow.top - shadow.bottom,
      state: stateOf(reply.state, states, atoms),
      active: id === active,
    }];
  });
}

/** Extents of a window without a frame. */
export const NO_EXTENTS: Extents = { left: 0, right: 0, top: 0, bottom: 0 };

/** The extents in a property; all 0 if it is missing. */
export function extents([left = 0, right = 0, top = 0, bottom = 0]: number[]): Extents {
  return { left, right, top, bottom };
}

/** The border around a window that no manager has framed. */
function border(width: number): Extents {
  return { left: width, right: width, top: width, bottom: width };
}

/** The class of WM_CLASS, which holds an instance and a class, each ending in a zero (ICCCM section 4.1.2.5). */
function className(property: Property | undefined): string {
  return property ? new TextDecoder("latin1").decode(property.data).split("\0")[1] ?? "" : "";
}

/** Tells whether a person can switch to a window (EWMH, _NET_WM_WINDOW_TYPE and _NET_WM_STATE). */
function isSwitchedTo(types: readonly number[], states: readonly number[], atoms: WindowAtoms): boolean {
  // The first type that the manager knows counts.
  if (types[0] === atoms._NET_WM_WINDOW_TYPE_DOCK || types[0] === atoms._NET_WM_WINDOW_TYPE_DESKTOP) {
    return false;
  }
  return !states.includes(atoms._NET_WM_STATE_SKIP_TASKBAR) ||
    !states.includes(atoms._NET_WM_STATE_SKIP_PAGER);
}

function stateOf(state: number | undefined, states: readonly number[], atoms: WindowAtoms): WindowState {
  const has = (...all: number[]) => all.every((atom) => states.includes(atom));
  if (state === ICONIC) return "minimized";
  if (has(atoms._NET_WM_STATE_FULLSCREEN)) return "fullscreen";
  const isMaximized = has(atoms._NET_WM_STATE_MAXIMIZED_VERT, atoms._NET_WM_STATE_MAXIMIZED_HORZ);
  return isMaximized ? "maximized" : "normal";
}
