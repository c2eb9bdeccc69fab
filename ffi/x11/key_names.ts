/** Symbols of X11 keys and the names of `control/keys.ts`. Pure. */

import { KEYS } from "../../control/keys.ts";

const NAMES = new Map(KEYS.map(({ keysym, name }) => [keysym, name]));

/**
 * The name of a key.
 * @param codePoint What the symbol stands for as a character, 0 for none.
 */
export function keyName(keysym: number, codePoint: number): string {
  const named = NAMES.get(keysym);
  if (named) return named;
  const character = codePoint ? String.fromCodePoint(codePoint) : "";
  return character && !/[\p{C}\p{Z}]/u.test(character) ? character : `keysym:0x${keysym.toString(16)}`;
}
