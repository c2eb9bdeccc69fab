/** Oddities of toolkits in the description of elements. */

import { has, type StateName } from "./roles.ts";

/** A row of the table: a toolkit's differences from the specification. */
export interface Toolkit {
  /** The state that says that an element is on the screen. */
  readonly shown: StateName;
  /** The states that together say that a person can use an element. */
  readonly usable: readonly StateName[];
  /** Tells whether places are relative to the window's content, even if places on the screen are requested. */
  readonly isRelative: boolean;
  /**
   * Tells whether a program asked for more characters than a text has gives all of it. Other programs are first asked
   * how long the text is: Firefox gives no text for a range that ends behind it.
   */
  readonly clipsText?: boolean;
  /** Changes a name into the text that a person would read. */
  name(name: string): string;
  /** Roles for which the toolkit reports wrong places. */
  readonly unplaced?: ReadonlySet<string>;
  /** The reason why a window of the toolkit shows no elements but itself, and the remedy. */
  readonly silence?: string;
}

const COMMON: Toolkit = {
  shown: "showing",
  usable: ["sensitive", "enabled"],
  isRelative: false,
  // Programs of GTK 3 put the accelerator behind a menu item's name, with spaces between them.
  name: (name) => name.replaceAll("\ufffc", "").trim(),
};

/** A class of a widget that stands in for a name, such as `GtkMenuButton`. */
const CLASS_NAME = /^(?:[A-Z][a-z]+){2,}$/;

/**
 * GTK 4.8 never reports `showing` or `enabled`, uses the class as the name of nameless elements, and reports the
 * label of a button twice.
 */
const GTK4: Toolkit = {
  clipsText: true,
  shown: "visible",
  usable: ["sensitive"],
  isRelative: true,
  name(name) {
    const trimmed = COMMON.name(name);
    if (CLASS_NAME.test(trimmed)) return "";
    const half = trimmed.slice(0, trimmed.length >> 1);
    return trimmed === `${half} ${half}` && half ? half : trimmed;
  },
};

const GTK3: Toolkit = { ...COMMON, clipsText: true };

const CHROMIUM: Toolkit = {
  ...COMMON,
  clipsText: true,
  silence: "start it with --force-renderer-accessibility",
};

/** Swing reports wrong places for the items of an open menu (java-atk-wrapper 0.40). */
const JAVA: Toolkit = {
  ...COMMON,
  unplaced: new Set(["menuitem", "menuitemcheckbox", "menuitemradio"]),
};

/**
 * The row of a program.
 * @param name `Application.ToolkitName`, empty if the program does not say.
 * @param version `Application.Version`.
 */
export function toolkitOf(name: string, version: string): Toolkit {
  if (name.toLowerCase() === "gtk") {
    return version.startsWith("4.") ? GTK4 : version.startsWith("3.") ? GTK3 : COMMON;
  }
  if (/chromium|chrome|electron/i.test(name)) return CHROMIUM;
  if (name === "J2SE-access-bridge") return JAVA;
  return COMMON;
}

/** Tells whether an element is on the screen as far as its program knows. */
export function isShown(toolkit: Toolkit, states: readonly number[]): boolean {
  return has(states, toolkit.shown);
}
