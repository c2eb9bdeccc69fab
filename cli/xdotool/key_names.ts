/** Keys as xdotool names them, in deskhand's names. */

import { canonicalKey } from "../../control/keys.ts";

/** Names of keys that xdotool knows in addition to X11's. */
export const ALIASES: Readonly<Record<string, string>> = {
  alt: "Alt_L",
  ctrl: "Control_L",
  control: "Control_L",
  meta: "Meta_L",
  super: "Super_L",
  shift: "Shift_L",
};

/** Characters that no combination has. */
const WRONG = /[ \t\n.\-[\]{}\\|]/;

/**
 * Reads a combination such as `ctrl+Return`.
 * @param unknown Receives each name that is no key; such names are left out.
 * @returns deskhand's names in order; undefined if the combination is wrong.
 * @example
 * keysOf("ctrl+Return", () => {}); // ["ctrl", "enter"]
 * keysOf("a.b", () => {}); // undefined
 */
export function keysOf(combination: string, unknown: (name: string) => void): string[] | undefined {
  if (WRONG.test(combination)) return undefined;
  return combination.split("+").filter(Boolean).flatMap((name) => {
    const key = canonicalKey(ALIASES[name.toLowerCase()] ?? name);
    if (key === undefined) unknown(name);
    return key ?? [];
  });
}
