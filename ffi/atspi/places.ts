/** Places of elements on the desktop: where each kind of desktop and toolkit counts from. */

import type { Region } from "../../control/desktop/desktop.ts";
import { QUIRKS } from "../quirks.ts";
import type { Calls } from "./calls.ts";
import { interfaceOf, type Ref } from "./objects.ts";
import { has, type StateName } from "./roles.ts";

/** Gives the place of an element on the desktop. */
export type PlaceMap = (place: Region) => Region;

/** The frame of a window is at most so wide, and its title bar so high, in pixels that are not scaled. */
const FRAME = 80;
/** Scales that toolkits have on desktops that count in pixels, such as X11 with GDK_SCALE=2. */
const WHOLE_SCALES: readonly number[] = [1, 2, 3, 4];

/** Facts for the conversion of a window's places. */
interface PlaceFacts {
  /** The window's region as the desktop tells it, with its frame and without its shadow, in pixels of the desktop. */
  window: Region;
  /** The window's own element, as its program gives it. */
  root: Region;
  /** Whether places count from the window, also those that the program calls places of the screen. */
  isRelative: boolean;
  /**
   * Pixels of the desktop for each pixel of the program, if the desktop reports it; 1 if programs scale by
   * themselves.
   */
  scale: number;
}

/**
 * Finds the mapping of a window's elements.
 * @returns undefined if the window and its element do not fit each other, so that no place is known.
 */
export function placeMap({ window, root, isRelative, scale }: PlaceFacts): PlaceMap | undefined {
  const factor = fittingScale(window, root, scale === 1 ? WHOLE_SCALES : [scale, 1]);
  if (factor === undefined) return undefined;
  return isRelative || !isWithin(window, root, factor) ? windowMap(window, root, factor) : screenMap(factor);
}

/**
 * Maps places in pixels of the screen; a scaled toolkit (GDK_SCALE=2) halves all coordinates.
 * @param scale Pixels of the desktop for each pixel of the program.
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
 * Maps places that are relative to the window. The frame is assumed to be equally wide at the left, the right and the
 * bottom; the rest of its height is the title bar.
 * @param window The window's region as the desktop tells it, with its frame and without its shadow.
 * @param root The window's own element, of which places are relative.
 * @param scale Pixels of the desktop for each pixel of the program.
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

/** The scale with which the element fills its window best, up to a frame; undefined if no scale fits. */
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
 * Whether the element lies in the window, up to a frame. If not, the program reports outdated places, or places
 * relative to its window.
 */
function isWithin(window: Region, root: Region, scale: number): boolean {
  return Math.abs(root.x * scale - window.x) <= FRAME * scale &&
    Math.abs(root.y * scale - window.y) <= FRAME * scale;
}

// The places that a reading asks programs for. The next reading of a window needs most of them again.

/** Coordinates that `Component` is asked for (AtspiCoordType): of the screen. */
export const SCREEN = 0;
/** GTK 3 counts from G_MININT what is hidden or scrolled away; no screen reaches that far. */
const NOWHERE = -(2 ** 30);
/** The most places that are asked for because an earlier reading needed them. */
const MOST = 2000;

/** A place that may come before the reading needs it. */
interface Expected {
  isThere: boolean;
  place?: Region;
  then?: (place: Region) => void;
}

/** The places of one reading. */
export class PlacesAsked {
  /** The elements whose places were needed. */
  readonly needed: Ref[] = [];
  readonly #expected = new Map<string, Expected>();

  constructor(readonly calls: Calls) {}

  /** Asks for places that an earlier reading needed. */
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
   * Gets the place of an element.
   * @param then Gets the place; not called if the element has none.
   */
  of({ app, path }: Ref, then: (place: Region) => void): void {
    this.needed.push({ app, path });
    const expected = this.#expected.get(path);
    if (!expected) this.#ask({ app, path }, (place) => place && then(place));
    else if (!expected.isThere) expected.then = then;
    else if (expected.place) then(expected.place);
  }

  #ask(ref: Ref, then: (place: Region | undefined) => void): void {
    this.calls.add({
      object: interfaceOf(ref, "Component"),
      member: "GetExtents",
      signature: "u",
      args: [SCREEN],
      decode(reader, signature) {
        if (signature !== "(iiii)") return [];
        reader.align(8);
        return [reader.readInt(), reader.readInt(), reader.readInt(), reader.readInt()];
      },
      then(values) {
        const [x, y, width, height] = (values ?? []) as number[];
        const isPlaced = width > 0 && height > 0 && x > NOWHERE && y > NOWHERE;
        then(isPlaced ? { x, y, width, height } : undefined);
      },
    });
  }
}

// Oddities of toolkits in the description of elements.

/** A row of the table: a toolkit's differences from the specification. */
export interface Toolkit {
  /** The state that says that an element is on the screen. */
  readonly shown: StateName;
  /** The states of which one says that a person can use an element. */
  readonly usable: readonly StateName[];
  /** Whether places are relative to the window's content, even if places on the screen are requested. */
  readonly isRelative: boolean;
  /**
   * Whether a program asked for more characters than a text has gives all of it. Other programs are first asked
   * how long the text is: Firefox gives no text for a range that ends behind it.
   */
  readonly clipsText?: boolean;
  /** Changes a name into the text that a person would read. */
  name(name: string): string;
  /** Roles for which the toolkit reports wrong places. */
  readonly unplaced?: ReadonlySet<string>;
  /** The reason why a window of the toolkit shows no elements but itself, and the remedy. */
  readonly silence?: string;
  /** Whether the program's cache must not be asked for, so that its elements are read one by one. */
  readonly isUncached?: boolean;
}

const COMMON: Toolkit = {
  shown: "showing",
  // One of the two is enough: LibreOffice's documents and cells are never both.
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
  if (name === "J2SE-access-bridge") return JAVA;
  return COMMON;
}

/** Whether an element is on the screen as far as its program knows. */
export function isShown(toolkit: Toolkit, states: readonly number[]): boolean {
  return has(states, toolkit.shown);
}
