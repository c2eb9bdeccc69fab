/** Keyboard maps as compositors send them. */

import { cString } from "../../../../ffi/linux/libc.ts";

const XKBCOMMON = {
  xkb_context_new: { parameters: ["i32"], result: "pointer" },
  xkb_keymap_new_from_names: {
    parameters: ["pointer", "buffer", /* struct xkb_rule_names * */ "i32"],
    result: "pointer",
  },
  xkb_keymap_get_as_string: { parameters: ["pointer", "i32"], result: "pointer" },
} as const;

/**
 * Makes a map of the layouts that the system has.
 * @param layouts Names with commas between them; `de,us`.
 * @param options The options of XKB.
 */
export function mapOf(layouts: string, options = "", variants = ""): string {
  const { symbols: xkb } = Deno.dlopen("libxkbcommon.so.0", XKBCOMMON);
  const names = ["evdev", "pc105", layouts, variants, options].map(cString);
  const rules = BigUint64Array.from(names, (name) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(name)));
  const keymap = xkb.xkb_keymap_new_from_names(xkb.xkb_context_new(0), new Uint8Array(rules.buffer), 0);
  if (!keymap) throw new Error(`no keyboard map of ${layouts} (${names.length} names)`);
  return new Deno.UnsafePointerView(xkb.xkb_keymap_get_as_string(keymap, 1)!).getCString();
}
