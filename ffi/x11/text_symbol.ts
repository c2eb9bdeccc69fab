/** The symbols that stand for characters (KeySyms, X11 protocol, appendix A). */

import type { Connection } from "./connection.ts";

/** The last character of Latin-1, and what is added to the code points of all others. */
const LATIN_1 = 0xff, UNICODE = 0x1000000;

/**
 * The symbol that programs take for a character. Many characters have an older symbol, too, such as
 * `horizconnector` for "─", which libX11 and GTK know none or another character for.
 * @returns 0 if X11 has none.
 */
export function textSymbol({ libraries: { xkbcommon } }: Connection, codePoint: number): number {
  const symbol = xkbcommon.xkb_utf32_to_keysym(codePoint);
  return symbol && codePoint > LATIN_1 ? UNICODE + codePoint : symbol;
}
