/** Combinations of keys as xdotool presses them, in deskhand's names. */

import { canonicalKey, namedKey } from "../../control/keys.ts";
import { ALIASES } from "./key_names.ts";

/** The symbols (keysyms) of an X server. */
export interface Symbols {
  /** The symbol of a key's name; 0 if Xlib does not know the name. */
  symbolOf(name: string): number;
  /** The symbol without Shift on the key of a symbol that needs Shift. */
  unshifted(symbol: number): number | undefined;
}

/** The order in which xdotool releases modifiers: the order of their bits. */
const RELEASED = [
  "shift",
  "rightshift",
  "ctrl",
  "rightctrl",
  "alt",
  "rightalt",
  "super",
  "rightsuper",
  "altgr",
];

/** Names of keys that no keyboard map has above another key: the symbols of a server need not be asked for them. */
const NEVER_SHIFTED = /^(?:[a-z]|ctrl|shift|alt|super)$/;

/**
 * Reads a combination.
 * @returns For each name the keys that are pressed, in order; undefined if a name is not a symbol's, such as a keycode.
 */
export function strokesOf(combination: string, symbols: Symbols): string[][] | undefined {
  const strokes: string[][] = [];
  for (const name of combination.split("+").filter(Boolean)) {
    if (NEVER_SHIFTED.test(name)) {
      strokes.push([name]);
      continue;
    }
    const symbol = symbols.symbolOf(ALIASES[name.toLowerCase()] ?? name);
    if (!symbol) return undefined;
    const base = symbols.unshifted(symbol);
    strokes.push(base === undefined ? [keyOfSymbol(symbol, name)] : ["shift", keyOfSymbol(base)]);
  }
  return strokes.length ? strokes : undefined;
}

/**
 * The keys of strokes in the order in which xdotool's `key` releases them.
 * @example
 * modifiersFirst([["ctrl"], ["shift", "t"]]); // [["shift", "ctrl"], ["t"]]
 */
export function modifiersFirst(strokes: readonly string[][]): string[][] {
  const pressed = new Set(strokes.flat()), modifiers = RELEASED.filter((key) => pressed.has(key));
  const others = strokes.map((stroke) => stroke.filter((key) => !RELEASED.includes(key)));
  return others.map((keys, i) => i ? keys : [...modifiers, ...keys]);
}

/**
 * deskhand's name of a key, by its symbol: the same name may stand for another key there.
 * @param symbol A keysym.
 * @param name How xdotool's command line names it.
 * @example
 * keyOfSymbol(0xff0d, "Return"); // "enter"
 * keyOfSymbol(0xffe7, "meta"); // "keysym:0xffe7"
 * keyOfSymbol(0x61); // "a"
 */
export function keyOfSymbol(symbol: number, name = ""): string {
  // The symbols of ASCII and Latin-1 are their characters.
  const key = canonicalKey(symbol < 0x100 ? String.fromCodePoint(symbol) : name);
  const isIt = key !== undefined && (symbol < 0x100 || namedKey(key)?.keysym === symbol);
  return isIt ? key : `keysym:0x${symbol.toString(16)}`;
}
