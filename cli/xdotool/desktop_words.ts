/** Words and numbers of xdotool as deskhand's actions have them, for desktops that are no X server. */

import type { Button, Direction } from "../../control/desktop.ts";
import type { WindowCall } from "./calls.ts";
import type { WindowAct } from "./target.ts";

/** Names of xdotool's numbers of buttons. */
export const BUTTONS: Readonly<Record<number, Button>> = {
  1: "left",
  2: "middle",
  3: "right",
  8: "back",
  9: "forward",
};
/** Directions of xdotool's numbers of the wheel. */
export const WHEEL: Readonly<Record<number, Direction>> = { 4: "up", 5: "down", 6: "left", 7: "right" };
/** Names of keys that are modifiers. */
export const MODIFIERS = [
  "ctrl",
  "shift",
  "alt",
  "super",
  "rightctrl",
  "rightshift",
  "rightalt",
  "rightsuper",
  "altgr",
];
/**
 * The longest delay that is ignored, in microseconds: such delays are for programs that lose keys, and deskhand waits
 * for those programs in other ways.
 */
export const DEFAULT_DELAY = 12_000;

/** Changes that a desktop may make of a window. */
export const ACTS: Partial<Record<WindowAct, WindowCall>> = {
  activate: "activate",
  focus: "activate",
  raise: "activate",
  map: "restore",
  minimize: "minimize",
  close: "close",
  quit: "close",
};
/** Reasons why deskhand does not make the other changes. */
export const REFUSED: Partial<Record<WindowAct, string>> = {
  unmap:
    "no window of another program can be hidden here; windowminimize minimizes it where that is possible",
  lower: "no window can be put below others here",
  kill: "no program can be ended by its window here; windowclose asks the window to close",
};

/** States of windows (EWMH) that deskhand knows. */
export const STATES: Readonly<Record<string, WindowCall>> = {
  FULLSCREEN: "fullscreen",
  MAXIMIZED_VERT: "maximize",
  MAXIMIZED_HORZ: "maximize",
  HIDDEN: "minimize",
};
