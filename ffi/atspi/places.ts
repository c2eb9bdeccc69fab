/** Positions of elements on the desktop: the origin used by each kind of desktop and toolkit. */

import type { Region } from "../../control/desktop/desktop.ts";
import { QUIRKS } from "../quirks.ts";
import type { Calls } from "./calls.ts";
import { type Call, interfaceOf, type Ref } from "./objects.ts";
import { has, type StateName } from "./roles.ts";

/** Returns an element's region on the desktop. */
export type PlaceMap = (place: Region) => Region;

/** Maximum width of a window's frame and height of its title bar, in unscaled pixels. */
const FRAME = 80;
/** Toolkit scales on desktops that count in pixels, such as X11 with GDK_SCALE=2. */
const WHOLE_SCALES: readonly number[] = [1, 2, 3, 4];

/** The data for converting a window's positions. */
interface PlaceFacts {
  /** The window's region as reported by the desktop, with frame, without shadow, in pixels of the desktop. */
  window: Region;
  /** The region of the window's own element, as reported by its program. */
  root: Region;
  /** Whether positions are relative to the window, even those that the program calls screen positions. */
  isRelative: boolean;
  /** Desktop pixels per program pixel, if the desktop reports it; 1 if programs do their own scaling. */
  scale: number;
}

/**
 * Finds the mapping for a window's elements.
 * @returns undefined if the window and its element do not match, so that no position is known.
 */
export function placeMap({ window, root, isRelative, scale }: PlaceFacts): PlaceMap | undefined {
  const factor = fittingScale(window, root, scale === 1 ? WHOLE_SCALES : [scale, 1]);
  if (factor === undefined) return undefined;
  return isRelative || !isWithin(window, root, factor) ? windowMap(window, root, factor) : screenMap(factor);
}

/**
 * Maps screen positions; a scaled toolkit (GDK_SCALE=2) halves all coordinates.
 * @param scale Desktop pixels per program pixel.
 * @example
 * const map = screenMap(2);
 * map({ x: 10, y: 20, width: 30, height: 40 }); // { x: 20, y: 40, width: 60, height: 80 }
 */
export function screenMap(scale: number): PlaceMap {
  return ({ x, y, width, height }) => ({
    x: Math.round(x * scale),
    y: Math.round(y * scale),
    width: Math.round(width * scale),
    height: Math.round(height * scale),
  });
}

/**
 * Maps positions that are relative to the window. The frame is assumed to be equally wide on the left, on the
 * right and at the bottom; the rest of its height is the title bar.
 * @param window The window's region as reported by the desktop, with its frame and without its shadow.
 * @param root The window's own element, to which positions are relative.
 * @param scale Desktop pixels per program pixel.
 * @example
 * const map = windowMap({ x: 100, y: 50, width: 402, height: 321 }, { x: 0, y: 0, width: 400, height: 300 }, 1);
 * map({ x: 10, y: 20, width: 30, height: 40 }); // { x: 111, y: 90, width: 30, height: 40 }
 */
export function windowMap(window: Region, root: Region, scale: number): PlaceMap {
  const side = Math.max(0, (window.width - root.width * scale) / 2);
  const top = Math.max(0, window.height - root.height * scale - side);
  return ({ x, y, width, height }) => ({
    x: Math.round(window.x + side + (x - root.x) * scale),
    y: Math.round(window.y + top + (y - root.y) * scale),
    width: Math.round(width * scale),
    height: Math.round(height * scale),
  });
}

/** The scale with which the element best fills its window, except for a frame; undefined if no scale fits. */
function fittingScale(window: Region, root: Region, scales: readonly number[]): number | undefined {
  const excess = (scale: number) =>
    Math.max(
      Math.abs(window.width - root.width * scale),
      Math.abs(window.height - root.height * scale),
    );
  const best = scales.reduce((best, scale) => excess(scale) < excess(best) ? scale : best);
  return root.width > 0 && root.height > 0 && excess(best) <= FRAME * best ? best : undefined;
}

/**
 * Whether the element lies in the window, except for a frame. Otherwise the program reports outdated
 * positions, or positions relative to its window.
 */
function isWithin(window: Region, root: Region, scale: number): boolean {
  return Math.abs(root.x * scale - window.x) <= FRAME * scale &&
    Math.abs(root.y * scale - window.y) <= FRAME * scale;
}

// The positions that a reading requests from programs. The next reading of a window needs most of them again.

/** Coordinates requested from `Component` (AtspiCoordType): those of the screen. */
export const SCREEN = 0;
/** GTK 3 puts what is hidden or scrolled away at G_MININT; no screen extends that far. */
const NOWHERE = -(2 ** 30);
/** Maximum number of positions requested because an earlier reading needed them. */
const MOST = 2000;

/** A position that may arrive before the reading needs it. */
interface Expected {
  isThere: boolean;
  place?: Region;
  then?: (place: Region) => void;
}

/** The positions requested by one reading. */
export class PlacesAsked {
  /** The elements whose positions were needed. */
  readonly needed: Ref[] = [];
  /** The paths of those that have no size, such as closed popovers of GTK 4. */
  readonly nothing = new Set<string>();
  readonly #expected = new Map<string, Expected>();

  constructor(readonly calls: Calls) {}

  /** Requests positions that an earlier reading needed. */
  expect(refs: readonly Ref[]): void {
    for (const ref of refs.slice(0, MOST)) {
      const expected: Expected = { isThere: false };
      this.#expected.set(ref.path, expected);
      this.#ask(ref, (place) => {
        Object.assign(expected, { isThere: true, place });
        if (place) expected.then?.(place);
      });
    }
  }

  /**
   * Requests an element's position.
   * @param then Receives the position; not called if the element has none.
   */
  of({ app, path }: Ref, then: (place: Region) => void): void {
    this.needed.push({ app, path });
    const expected = this.#expected.get(path);
    if (!expected) this.#ask({ app, path }, (place) => place && then(place));
    else if (!expected.isThere) {
      const others = expected.then;
      expected.then = (place) => {
        others?.(place);
        then(place);
      };
    } else if (expected.place) then(expected.place);
  }

  #ask(ref: Ref, then: (place: Region | undefined) => void): void {
    this.calls.add(extentsCall(ref, ([x, y, width, height]) => {
      if (width === 0 && height === 0) this.nothing.add(ref.path);
      const isPlaced = width > 0 && height > 0 && x > NOWHERE && y > NOWHERE;
      then(isPlaced ? { x, y, width, height } : undefined);
    }));
  }
}

/**
 * The call that reads an element's extents.
 * @param then Receives x, y, width and height; nothing if the element has no extents.
 */
export function extentsCall(ref: Ref, then: (extents: number[]) => void): Call {
  return {
    object: interfaceOf(ref, "Component"),
    member: "GetExtents",
    signature: "u",
    args: [SCREEN],
    decode(reader, signature) {
      if (signature !== "(iiii)") return [];
      reader.align(8);
      return [reader.readInt(), reader.readInt(), reader.readInt(), reader.readInt()];
    },
    then: (values) => then((values ?? []) as number[]),
  };
}

// Toolkits' peculiarities in describing elements.

/** A row in the table: a toolkit's differences from the specification. */
export interface Toolkit {
  /** The state of an element that is on the screen. */
  readonly shown: StateName;
  /** States of which one is set if a person can use an element. */
  readonly usable: readonly StateName[];
  /** Whether positions are relative to the window's content, even if screen positions are requested. */
  readonly isRelative: boolean;
  /**
   * Whether a program that is asked for more characters than a text has returns all of it. Other programs are
   * first asked for the text's length: Firefox returns no text for a range that extends beyond the end.
   */
  readonly clipsText?: boolean;
  /** Converts a name to the text that a person would read. */
  name(name: string): string;
  /** Roles for which the toolkit reports wrong positions. */
  readonly unplaced?: ReadonlySet<string>;
  /** Why a window of the toolkit shows no elements except itself, and the remedy. */
  readonly silence?: string;
  /** Whether windows may show web pages. */
  readonly isWeb?: boolean;
  /** Whether a window has its dialogs as children, which the program's cache lacks. */
  readonly hasInnerDialogs?: boolean;
  /** Whether a window has its open popovers as children: any press elsewhere closes a modal one. */
  readonly hasInnerPopovers?: boolean;
  /** Whether the elements show which menus, lists and popovers are open: any press elsewhere closes them. */
  readonly showsMenus?: boolean;
  /** Whether a button is pressed while its menu is open, which is no element. */
  readonly staysPressed?: boolean;
  /** The name of what a popover holds, whose positions are wrong: {@linkcode QUIRKS}, `popoversAtCorner`. */
  readonly popover?: string;
  /** Whether the contents of a closed popover keep their positions and states. */
  readonly keepsClosed?: boolean;
  /** Whether the options of a closed combo box do. */
  readonly keepsOptions?: boolean;
  /** Whether the program's cache must not be requested, so that its elements are read one by one. */
  readonly isUncached?: boolean;
}

const COMMON: Toolkit = {
  shown: "showing",
  // One of the two is sufficient: LibreOffice's documents and cells never have both.
  usable: ["sensitive", "enabled"],
  isRelative: false,
  // GTK 3 programs append the accelerator to a menu item's name, separated by spaces.
  name: (name) => name.replaceAll("\ufffc", "").trim(),
};

/** A widget's class used in place of a name, such as `GtkMenuButton`. */
const CLASS_NAME = /^(?:[A-Z][a-z]+){2,}$/;

/**
 * GTK 4.8 never reports `showing` or `enabled`, uses the class as the name of nameless elements, and reports
 * a button's label twice.
 */
const GTK4: Toolkit = {
  clipsText: true,
  showsMenus: true,
  popover: QUIRKS.popoversAtCorner.name,
  keepsClosed: true,
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

const GTK3: Toolkit = { ...COMMON, clipsText: true, hasInnerPopovers: true, showsMenus: true };

/** Qt 5.15 and 6.4 report options where they were last, or at the corner of the screen. */
const QT: Toolkit = { ...COMMON, keepsOptions: true, showsMenus: true, staysPressed: true };

const GECKO: Toolkit = { ...COMMON, isWeb: true };

const CHROMIUM: Toolkit = {
  ...COMMON,
  isWeb: true,
  hasInnerDialogs: true,
  clipsText: true,
  silence: "start it with --force-renderer-accessibility",
};

/** Swing reports wrong positions for the items of an open menu (java-atk-wrapper 0.40). */
const JAVA: Toolkit = {
  ...COMMON,
  unplaced: new Set(["menuitem", "menuitemcheckbox", "menuitemradio"]),
};

/**
 * A program's row.
 * @param name `Application.ToolkitName`, empty if the program does not report it.
 * @param version `Application.Version`.
 * @param program The program's own name.
 */
export function toolkitOf(name: string, version: string, program = ""): Toolkit {
  const names: readonly string[] = QUIRKS.freedElements.names;
  const toolkit = named(name, version);
  return names.includes(program) ? { ...toolkit, isUncached: true } : toolkit;
}

function named(name: string, version: string): Toolkit {
  if (name.toLowerCase() === "gtk") {
    return version.startsWith("4.") ? GTK4 : version.startsWith("3.") ? GTK3 : COMMON;
  }
  if (/chromium|chrome|electron/i.test(name)) return CHROMIUM;
  if (name === "Gecko" || /webkit/i.test(name)) return GECKO;
  if (name === "J2SE-access-bridge") return JAVA;
  if (name === "Qt") return QT;
  return COMMON;
}

/** Whether an element is on the screen, as far as its program knows. */
export function isShown(toolkit: Toolkit, states: readonly number[]): boolean {
  return has(states, toolkit.shown);
}

/** Whether an element may be in something closed, although it says that it is shown. */
export function mayBeClosed({ keepsClosed, keepsOptions }: Toolkit, role: string): boolean {
  return keepsClosed || keepsOptions && role === "listitem" || false;
}
