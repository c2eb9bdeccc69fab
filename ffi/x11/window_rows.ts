/** Describes a list of windows from their properties: sends all requests first, then collects all replies. */

import type { Point, Region, WindowInfo, WindowState } from "../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { type Libraries, openLibraries } from "./libraries.ts";
import { numbersOf, type Property, type XcbConnection } from "./xcb_connection.ts";

// Window texts.

/** XTextProperty of Xutil.h: value, encoding, format, nitems. */
export const TEXT_PROPERTY = { size: 32, encoding: 8, format: 16, items: 24 };

/** Decodes a text in one of the two simple types: UTF-8, or Latin-1 for STRING (ICCCM section 2.7.1). */
function decodeTitle({ type, data }: Property, atoms: Pick<WindowAtoms, "UTF8_STRING">): string {
  const end = data.indexOf(0);
  const text = end < 0 ? data : data.subarray(0, end);
  return new TextDecoder(type === atoms.UTF8_STRING ? "utf-8" : "latin1").decode(text);
}

/** How messages refer to a window without a title. */
const UNTITLED = "without a title";

/** A connection, and the server's numbers of the atoms. */
export interface WindowReader {
  xcb: XcbConnection;
  atoms: WindowAtoms;
}

/** A window's title, as used in messages. */
export function titleOf({ xcb, atoms }: WindowReader, window: number): string {
  return describeClient(xcb, atoms, window).title;
}

/**
 * Decodes a text of any type, including COMPOUND_TEXT (Xutf8TextPropertyToTextList(3)).
 * @param display An open `Display *`.
 */
function decodeAnyTitle(property: Property, atoms: WindowAtoms, display: Deno.PointerObject): string {
  if (property.format !== 8) return "";
  if (property.type === atoms.UTF8_STRING || property.type === atoms.STRING) {
    return decodeTitle(property, atoms);
  }
  const { x11 } = openLibraries();
  const value = new Uint8Array(property.data.length + 1);
  value.set(property.data);
  const text = new DataView(new ArrayBuffer(TEXT_PROPERTY.size));
  text.setBigUint64(0, Deno.UnsafePointer.value(Deno.UnsafePointer.of(value)), true);
  text.setBigUint64(TEXT_PROPERTY.encoding, BigInt(property.type), true);
  text.setInt32(TEXT_PROPERTY.format, 8, true);
  text.setBigUint64(TEXT_PROPERTY.items, BigInt(property.data.length), true);
  const list = new BigUint64Array(1), count = new Int32Array(1);
  const status = x11.Xutf8TextPropertyToTextList(display, new Uint8Array(text.buffer), list, count);
  return status < 0 || !count[0] ? "" : firstOf(list[0], x11);
}

/** The first string in a list, which is freed. */
function firstOf(address: bigint, x11: Libraries["x11"]): string {
  const list = Deno.UnsafePointer.create(address)!;
  try {
    const first = Deno.UnsafePointer.create(new Deno.UnsafePointerView(list).getBigUint64());
    return first ? Deno.UnsafePointerView.getCString(first) : "";
  } finally {
    x11.XFreeStringList(list);
  }
}

/** WM_STATE of a minimized window, and the value in WM_CHANGE_STATE that minimizes it (ICCCM 4.1.3.1). */
export const ICONIC = 3;

/** _NET_WM_DESKTOP of a window on all workspaces (EWMH). */
const ON_ALL = 0xffffffff;

/** The properties from which a window is described. */
export const DESCRIBED = {
  desktop: "_NET_WM_DESKTOP",
  name: "_NET_WM_NAME",
  oldName: "WM_NAME",
  class: "WM_CLASS",
  pid: "_NET_WM_PID",
  states: "_NET_WM_STATE",
  state: "WM_STATE",
  types: "_NET_WM_WINDOW_TYPE",
  frame: "_NET_FRAME_EXTENTS",
  shadow: "_GTK_FRAME_EXTENTS",
} as const satisfies Record<string, keyof WindowAtoms>;
const DESCRIBED_ATOMS = Object.entries(DESCRIBED) as [keyof typeof DESCRIBED, keyof WindowAtoms][];

/** A window's properties, and its place; those that a vanished window lacks are undefined. */
interface Reply extends Record<keyof typeof DESCRIBED, Property | undefined> {
  id: number;
  geometry: ReturnType<XcbConnection["geometry"]>;
  origin: Point | undefined;
}

/** Space around a window, in pixels. */
interface Extents {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/**
 * Describes windows that a user can switch to: without panels, the desktop itself, and windows that taskbars
 * and pagers skip. A window that vanishes meanwhile is also skipped.
 * @param xlib Returns an open `Display *`, for texts of old types.
 * @param frames Receives, by id, how the described region differs from the program's own window.
 * @returns In the order of the ids.
 * @throws DesktopUnavailableError if the server is gone.
 */
export function describeWindows(
  xcb: XcbConnection,
  atoms: WindowAtoms,
  { manager, ids, active }: ManagedWindows,
  xlib: () => Deno.PointerObject,
  frames?: Map<string, Region>,
): WindowInfo[] {
  const supports = (atom: number) => manager?.supports.has(atom) ?? false;
  const [shownDesktop] = xcb.numbers(xcb.askProperty(xcb.root, atoms._NET_CURRENT_DESKTOP));
  const replies = repliesOf(xcb, atoms, ids);
  if (xcb.isBroken) throw new DesktopUnavailableError(`the X server of display ${xcb.display} is gone`);
  return replies.flatMap((reply): WindowInfo[] => {
    const { id, geometry, origin } = reply, [pid] = numbersOf(reply.pid), [state] = numbersOf(reply.state);
    const states = supports(atoms._NET_WM_STATE) ? numbersOf(reply.states) : [];
    if (!geometry || !origin || manager && !isSwitchedTo(numbersOf(reply.types), states, atoms)) return [];
    const elsewhere = supports(atoms._NET_CURRENT_DESKTOP) &&
      isElsewhere(numbersOf(reply.desktop)[0], shownDesktop);
    const key = `0x${id.toString(16)}`, name = reply.name ?? reply.oldName;
    const framed = supports(atoms._NET_FRAME_EXTENTS) ? numbersOf(reply.frame) : [];
    // Without a window manager, the window's border is its frame; a manager removes the border.
    const around = extents(manager ? framed : new Array(4).fill(geometry.border));
    const frame = frameAround(around, extents(numbersOf(reply.shadow)));
    frames?.set(key, frame);
    return [{
      id: key,
      title: name ? decodeAnyTitle(name, atoms, xlib()) : "",
      class: className(reply.class),
      ...(pid === undefined ? {} : { pid }),
      x: origin.x + frame.x,
      y: origin.y + frame.y,
      width: geometry.width + frame.width,
      height: geometry.height + frame.height,
      state: stateOf(state, states, atoms, elsewhere && supports(atoms._NET_WM_STATE_HIDDEN)),
      ...(elsewhere ? { elsewhere } : {}),
      active: id === active,
    }];
  });
}

/**
 * Reads windows' properties and places, all requests first. Takes every reply, even for a window that is
 * gone, since XCB stores a reply in memory until it is taken.
 */
function repliesOf(xcb: XcbConnection, atoms: WindowAtoms, ids: readonly number[]): Reply[] {
  const asked = ids.map((id) => ({
    id,
    geometry: xcb.askGeometry(id),
    origin: xcb.askOrigin(id),
    properties: DESCRIBED_ATOMS.map(([name, atom]) => [name, xcb.askProperty(id, atoms[atom])] as const),
  }));
  return asked.map(({ id, properties, ...cookies }) => ({
    ...Object.fromEntries(properties.map(([name, cookie]) => [name, xcb.property(cookie)])) as Omit<
      Reply,
      "id" | "geometry" | "origin"
    >,
    id,
    geometry: xcb.geometry(cookies.geometry),
    origin: xcb.origin(cookies.origin),
  }));
}

/** How a window's region with its frame, and without its own shadow, differs from the program's window. */
function frameAround(frame: Extents, shadow: Extents): Region {
  return {
    x: shadow.left - frame.left,
    y: shadow.top - frame.top,
    width: frame.left + frame.right - shadow.left - shadow.right,
    height: frame.top + frame.bottom - shadow.top - shadow.bottom,
  };
}

/** The extents in a property, in pixels; all 0 if it is missing. */
export function extents([left = 0, right = 0, top = 0, bottom = 0]: number[]): Extents {
  return { left, right, top, bottom };
}

/** The class in WM_CLASS: an instance and a class, each terminated by a zero (ICCCM section 4.1.2.5). */
function className(property: Property | undefined): string {
  return property ? new TextDecoder("latin1").decode(property.data).split("\0")[1] ?? "" : "";
}

/** Whether a user can switch to a window (EWMH, _NET_WM_WINDOW_TYPE and _NET_WM_STATE). */
function isSwitchedTo(types: readonly number[], states: readonly number[], atoms: WindowAtoms): boolean {
  // Only the first type that the manager knows is used.
  const { _NET_WM_WINDOW_TYPE_DESKTOP, _NET_WM_WINDOW_TYPE_DOCK, _NET_WM_WINDOW_TYPE_SPLASH } = atoms;
  const others = [_NET_WM_WINDOW_TYPE_DESKTOP, _NET_WM_WINDOW_TYPE_DOCK, _NET_WM_WINDOW_TYPE_SPLASH];
  if (others.includes(types[0])) return false;
  return !states.includes(atoms._NET_WM_STATE_SKIP_TASKBAR) ||
    !states.includes(atoms._NET_WM_STATE_SKIP_PAGER);
}

/** Whether a window is on another workspace than the current one (EWMH, _NET_WM_DESKTOP). */
function isElsewhere(desktop: number | undefined, shown: number | undefined): boolean {
  return desktop !== undefined && shown !== undefined && desktop !== ON_ALL && desktop !== shown;
}

/** @param tellsHidden Whether the manager marks all windows on a hidden workspace as minimized. */
function stateOf(
  state: number | undefined,
  states: readonly number[],
  atoms: WindowAtoms,
  tellsHidden: boolean,
): WindowState {
  const has = (...all: number[]) => all.every((atom) => states.includes(atom));
  if (state === ICONIC && (!tellsHidden || has(atoms._NET_WM_STATE_HIDDEN))) return "minimized";
  if (has(atoms._NET_WM_STATE_FULLSCREEN)) return "fullscreen";
  const isMaximized = has(atoms._NET_WM_STATE_MAXIMIZED_VERT, atoms._NET_WM_STATE_MAXIMIZED_HORZ);
  return isMaximized ? "maximized" : "normal";
}

// The running window manager, and the windows that it manages.

/** A window manager that supports EWMH. */
export interface WindowManager {
  /** The window manager's check window, which is destroyed with it. */
  window: number;
  /** The window manager's name, for messages. */
  name: string;
  /** The atoms that the manager supports; those that an earlier manager left on windows are ignored. */
  supports: ReadonlySet<number>;
}

/** The windows to list, and which one is active. */
export interface ManagedWindows {
  manager: WindowManager | undefined;
  /** The windows from the bottom up. */
  ids: number[];
  /** The active window; 0 if there is none. */
  active: number;
}

/** Maximum number of frame levels around a program's window, under a manager without EWMH. */
const FRAME_LEVELS = 3;

/**
 * Finds the window manager.
 * @returns undefined if no manager that supports EWMH is running. A killed manager leaves its properties on
 * the root window, but its check window, which must point to itself, is gone.
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

/** Finds the windows that a user can switch to. */
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
 * The windows of a desktop without a manager that lists them: visible children of the root window or, if a
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

/**
 * The windows that programs show without the window manager, such as menus and tooltips.
 * @returns Their regions without their borders, from the bottom up.
 */
export function shownPopups(xcb: XcbConnection, atoms: WindowAtoms): (Region & { window: number })[] {
  const children = xcb.tree(xcb.askTree(xcb.root))?.children ?? [];
  const asked = children.map((window) => xcb.askAttributes(window));
  const shown = asked.map((cookie) => xcb.attributes(cookie)).flatMap((attributes, i) =>
    attributes?.isViewable && attributes.isInputOutput && attributes.isUnmanaged ? [children[i]] : []
  );
  const places = shown.map((window) => ({
    window,
    geometry: xcb.askGeometry(window),
    origin: xcb.askOrigin(window),
  }));
  const all = places.flatMap(({ window, ...cookies }) => {
    const geometry = xcb.geometry(cookies.geometry), origin = xcb.origin(cookies.origin);
    return geometry && origin ? [{ window, ...origin, width: geometry.width, height: geometry.height }] : [];
  });
  const frames = framedClients(xcb, atoms, all.map(({ window }) => window)); // frames are unmanaged, too
  return all.filter(({ window }) => !frames.has(window));
}

/** The programs' windows in frames, by frame. */
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
      // Always takes both replies, since XCB stores a reply in memory until it is taken.
      const state = xcb.property(asked[i].state), tree = xcb.tree(asked[i].tree);
      if (state && !clients.has(frame)) clients.set(frame, window);
      else next.push(...(tree?.children ?? []).map((child) => ({ window: child, frame })));
    });
    level = next.filter(({ frame }) => !clients.has(frame));
  }
  return clients;
}

/** The focused window, as listed by {@linkcode unmanagedWindows}; 0 if there is none. */
function focusedWindow(xcb: XcbConnection, atoms: WindowAtoms): number {
  const focus = xcb.focus();
  let client = 0;
  for (const { window, value, parent } of xcb.around(focus > 1 ? focus : 0, atoms.WM_STATE, 0)) {
    if (parent === undefined) return 0;
    if (value) client = window;
    if (parent === xcb.root) return client || window;
  }
  return client;
}

/** The program's window for a window that receives input, with facts about its program. */
export interface Receiving {
  /** The program's own window: within a frame, or around a part of a window. */
  window: number;
  title: string;
  class: string;
  /** The process named by the program. */
  pid?: number;
}

/**
 * Describes the program of a window that receives input: the nearest enclosing window with WM_STATE,
 * otherwise the one that it frames, otherwise the window itself, such as a menu. A click on a frame is
 * attributed to the framed window, not to the window manager.
 */
export function describeReceiver(xcb: XcbConnection, atoms: WindowAtoms, window: number): Receiving {
  const client = clientAround(xcb, atoms, window) ?? framedClients(xcb, atoms, [window]).get(window) ??
    window;
  return { window: client, ...describeClient(xcb, atoms, client) };
}

/** Describes a program's own window, in one round trip. */
export function describeClient(
  xcb: XcbConnection,
  atoms: WindowAtoms,
  window: number,
): Omit<Receiving, "window"> {
  const named = xcb.askProperty(window, atoms.WM_CLASS), told = xcb.askProperty(window, atoms._NET_WM_PID);
  const title = xcb.askProperty(window, atoms._NET_WM_NAME),
    oldTitle = xcb.askProperty(window, atoms.WM_NAME);
  const name = className(xcb.property(named)), [pid] = xcb.numbers(told);
  const now = xcb.property(title), old = xcb.property(oldTitle), text = now ?? old;
  return { title: text ? decodeTitle(text, atoms) : UNTITLED, class: name, ...(pid ? { pid } : {}) };
}

/** The nearest window with WM_STATE among a window and those around it. */
function clientAround(xcb: XcbConnection, atoms: WindowAtoms, window: number): number | undefined {
  for (const { window: around, value } of xcb.around(window, atoms.WM_STATE, 0)) if (value) return around;
}

/** Source of a request (EWMH): a pager, whose requests managers do not second-guess. */
export const PAGER = 2;

/** Asks the window manager to activate a window, without waiting. */
export function askActive(
  xcb: XcbConnection,
  atoms: Pick<WindowAtoms, "_NET_ACTIVE_WINDOW">,
  window: number,
): void {
  xcb.sendMessage(window, atoms._NET_ACTIVE_WINDOW, [PAGER, 0, 0]);
}

// Window properties and messages: ICCCM 2.0, EWMH 1.5 (Extended Window Manager Hints) and XIM.

/** Atom names, requested once per connection. */
export const WINDOW_ATOMS = [
  "UTF8_STRING",
  "STRING",
  "DESKHAND",
  "TRANSPORT",
  "XIM_SERVERS",
  "WM_NAME",
  "WM_CLASS",
  "WM_STATE",
  "WM_CHANGE_STATE",
  "WM_PROTOCOLS",
  "WM_DELETE_WINDOW",
  "_GTK_FRAME_EXTENTS",
  "I3_FLOATING_WINDOW",
  "_NET_ACTIVE_WINDOW",
  "_NET_CLIENT_LIST",
  "_NET_CLIENT_LIST_STACKING",
  "_NET_CLOSE_WINDOW",
  "_NET_CURRENT_DESKTOP",
  "_NET_FRAME_EXTENTS",
  "_NET_MOVERESIZE_WINDOW",
  "_NET_REQUEST_FRAME_EXTENTS",
  "_NET_SUPPORTED",
  "_NET_SUPPORTING_WM_CHECK",
  "_NET_WM_ACTION_MINIMIZE",
  "_NET_WM_ALLOWED_ACTIONS",
  "_NET_WM_DESKTOP",
  "_NET_WM_NAME",
  "_NET_WM_PID",
  "_NET_WM_PING",
  "_NET_WM_STATE",
  "_NET_WM_STATE_FULLSCREEN",
  "_NET_WM_STATE_HIDDEN",
  "_NET_WM_STATE_MAXIMIZED_HORZ",
  "_NET_WM_STATE_MAXIMIZED_VERT",
  "_NET_WM_STATE_SKIP_PAGER",
  "_NET_WM_STATE_SKIP_TASKBAR",
  "_NET_WM_WINDOW_TYPE",
  "_NET_WM_WINDOW_TYPE_DESKTOP",
  "_NET_WM_WINDOW_TYPE_DOCK",
  "_NET_WM_WINDOW_TYPE_SPLASH",
] as const;

/** The numbers of these atoms on one server. */
export type WindowAtoms = Record<typeof WINDOW_ATOMS[number], number>;
