/**
 * The desktop of commands. An X server supports every command; other desktops throw `ExpectedError` for commands that
 * they do not support.
 *
 * Windows are numbers; 0 is the window that has the keyboard or the pointer. Results are codes: 0 for success, as
 * libxdo returns them, with a message already printed for others.
 */

import type { WindowSearch } from "../../ffi/x11/xdotool/search.ts";
import type { Steps } from "./steps.ts";

/** A value now, or later. */
export type Later<T> = T | Promise<T>;

/** The place of the pointer. */
export interface Location {
  x: number;
  y: number;
  screen: number;
}

/** A place and a size. */
export interface Geometry extends Location {
  width: number;
  height: number;
}

export type { WindowSearch };

/** Texts of a window that can be set. */
export const WINDOW_TEXTS = ["name", "icon-name", "role"] as const;
/** A text of a window: one of {@linkcode WINDOW_TEXTS}. */
export type WindowText = typeof WINDOW_TEXTS[number];

/** Properties of a window to set. */
export interface WindowProperties {
  texts: Partial<Record<WindowText, string>>;
  class?: string;
  className?: string;
  overrideRedirect?: boolean;
  urgency?: boolean;
}

/** The ways to send keys: pressed and released, or one of both. */
export type KeyWay = "key" | "keydown" | "keyup";

/** Changes of windows that need no further value. */
export const WINDOW_ACTS = [
  "activate",
  "focus",
  "map",
  "unmap",
  "minimize",
  "raise",
  "lower",
  "close",
  "quit",
  "kill",
] as const;
/** A change of a window: one of {@linkcode WINDOW_ACTS}. */
export type WindowAct = typeof WINDOW_ACTS[number];

/** Changes that `--sync` waits for. */
export type WindowWait = "activate" | "focus" | "map" | "unmap" | "minimize";

/** Events of `behave`. */
export type WindowEvent = "mouse-enter" | "mouse-leave" | "mouse-click" | "focus" | "blur";

/** Edges and corners of `behave_screen_edge`. */
export const EDGES = [
  "left",
  "top-left",
  "top",
  "top-right",
  "right",
  "bottom-left",
  "bottom",
  "bottom-right",
] as const;
/** An edge of the screen: one of {@linkcode EDGES}. */
export type Edge = typeof EDGES[number];

/** The pointer and the keyboard. */
export interface InputTarget {
  location(): Later<Location>;
  move(x: number, y: number, screen: number): Later<number>;
  moveBy(x: number, y: number): Later<number>;
  button(window: number, button: number, isDown: boolean): Later<number>;
  /**
   * Clicks, and waits behind each click.
   * @param delay Microseconds.
   * @param isLast Tells that the run ends with these clicks, so that no pause is needed behind the last one.
   */
  click(window: number, button: number, times: number, delay: number, isLast?: boolean): Later<number>;
  /**
   * Sends a combination such as `ctrl+a`.
   * @param delay Microseconds between keys.
   * @param isLast Tells that the run ends with this combination, so that no pause is needed behind it.
   */
  keys(way: KeyWay, window: number, keys: string, delay: number, isLast?: boolean): Later<number>;
  /**
   * Types a text.
   * @param delay Microseconds for each character.
   */
  type(window: number, text: string, delay: number): Later<number>;
  /**
   * Releases modifiers and buttons that are down.
   * @returns A function that presses them again.
   */
  clearModifiers(window: number): Later<() => Later<void>>;
}

/** The windows and workspaces. */
export interface WindowTarget {
  /** Size of a screen; undefined, with a message printed, if there is no such screen. */
  screenSize(screen: number): Later<{ width: number; height: number } | undefined>;
  /** The place of the pointer, and the window there; 0 is none. */
  pointer(): Later<Location & { window: number }>;
  /**
   * Answers several calls of {@linkcode pointer}together, which takes less time. It may answer fewer than `count`,
   * but at least one. Left out if single calls are as fast.
   */
  pointers?(count: number): Later<(Location & { window: number })[]>;
  /** Gives undefined for a window that is not there, with a message printed. */
  geometry(window: number): Later<Geometry | undefined>;
  /** The size of the screen that a window is on. */
  rootSize(window: number): Later<{ width: number; height: number }>;
  /** Converts a place of a window into one of its screen. */
  placeOf(window: number, x: number, y: number): Later<Location>;
  search(search: WindowSearch): Later<number[]>;
  active(): Later<number | undefined>;
  /** @param isTop Whether to return the program's window, rather than the part of it that has the keyboard focus. */
  focused(isTop: boolean): Later<number | undefined>;
  /** Waits for a click on a window. */
  select(): Later<number | undefined>;
  name(window: number): Later<string | Uint8Array<ArrayBuffer>>;
  className(window: number): Later<string | Uint8Array<ArrayBuffer>>;
  /** The process of a window; 0 if it is not known. */
  pid(window: number): Later<number>;
  act(act: WindowAct, window: number): Later<number>;
  /** Waits until a change is done, or 15 seconds have passed. */
  waitFor(wait: WindowWait, window: number): Later<void>;
  place(window: number, x: number, y: number): Later<number>;
  /** Converts a size in units of a window's own, such as characters, to pixels. */
  hinted(window: number, width: number, height: number): Later<{ width: number; height: number }>;
  /** Changes the size. 0 leaves a value as it is. */
  resize(window: number, width: number, height: number): Later<number>;
  /** Waits until a window has another size, or 15 seconds have passed. */
  waitForResize(window: number, before: { width: number; height: number }): Later<void>;
  reparent(window: number, parent: number): Later<number>;
  set(window: number, properties: WindowProperties): Later<void>;
  /** @param how Of EWMH's _NET_WM_STATE: 0 removes, 1 adds, 2 toggles. */
  setState(window: number, how: 0 | 1 | 2, state: string): Later<number>;
}

/** A result: a code, and a value that is printed even if the code means failure. */
export interface Coded<T> {
  code: number;
  value: T;
}

/** The workspaces. */
export interface WorkspaceTarget {
  desktopCount(): Later<Coded<number>>;
  setDesktopCount(count: number): Later<number>;
  desktop(): Later<Coded<number>>;
  setDesktop(desktop: number): Later<number>;
  desktopOf(window: number): Later<Coded<number>>;
  setDesktopOf(window: number, desktop: number): Later<number>;
  viewport(): Later<Coded<{ x: number; y: number }>>;
  setViewport(x: number, y: number): Later<number>;
}

/** Events on the desktop. */
export interface EventTarget {
  /**
   * Waits for events of windows, without end.
   * @param happened Gets the window of each.
   */
  watch(windows: number[], event: WindowEvent, happened: (window: number) => Later<void>): Later<never>;
  /**
   * Waits for the pointer at an edge, without end.
   * @param delay How long it must stay there, in milliseconds.
   * @param quiesce The pause after the command has run, in milliseconds.
   */
  watchEdge(edge: Edge, delay: number, quiesce: number, happened: () => Later<void>): Later<never>;
}

/** Names of commands, in lower case. */
export type CommandNames = Pick<ReadonlySet<string>, "has">;

/** All parts of a target. */
export interface Target extends InputTarget, WindowTarget, WorkspaceTarget, EventTarget {
  /** The version of xdotool whose commands these are. */
  readonly version: string;
  /** Commands that this version lacks. */
  readonly lacks: CommandNames;
  /** The inputs that wait to be sent together; left out if each input is sent at once. */
  readonly steps?: Steps;
  /** Sends the remaining requests and ends. */
  close(): Later<void>;
}
