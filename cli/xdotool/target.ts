/** Words of xdotool's commands as types: places, searches, changes of windows. */

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

/** The windows to search for. */
export interface WindowSearch {
  /** An extended regular expression of POSIX. */
  pattern?: string;
  /** Whether the pattern is for the window's title. */
  name: boolean;
  /** Whether the pattern is for the window's class. */
  class: boolean;
  /** Whether the pattern is for the name of the class's instance, which is the class here. */
  className: boolean;
  pid?: number;
  desktop?: number;
  isVisible: boolean;
  /** Whether all conditions must match, rather than one. */
  isAll: boolean;
  /** How deep the search goes below the root window; 0 finds nothing. */
  depth: number;
  /** The most windows to find; 0 for all. */
  limit: number;
}

/** The ways to send keys: pressed and released, or one of both. */
export type KeyWay = "key" | "keydown" | "keyup";

/** A change of a window that needs no further value. */
export type WindowAct = "activate" | "focus" | "map" | "minimize" | "raise" | "close" | "quit";
