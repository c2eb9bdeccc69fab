/** Keys that share codes: which of them are down after some are pressed and others released. */

/** Keycodes of a US keyboard, as X11 and XKB count them. */
const SHIFT = 50, SLASH = 61, ONE = 10, A = 38;

/** Keys pressed (+) and released (-) in this order, and the codes that are down then, the same on every desktop. */
export const HELD_KEYS: [name: string, steps: string[], down: number[]][] = [
  ["a character that repeats", ["+?", "+?", "-?"], []],
  ["a character that repeats often", ["+?", "+?", "+?", "+?"], [SHIFT, SLASH]],
  ["a modifier pressed on its own too", ["+?", "+shift", "-?"], [SHIFT]],
  ["a modifier pressed before", ["+shift", "+?", "-?"], [SHIFT]],
  ["a modifier released before", ["+?", "+shift", "-shift"], [SHIFT, SLASH]],
  ["two characters with one modifier", ["+?", "+!", "-?"], [SHIFT, ONE]],
  ["two characters of one key", ["+a", "+A", "-A"], [A]],
  ["everything released", ["+?", "+shift", "+!", "-shift", "-!", "-?"], []],
];
