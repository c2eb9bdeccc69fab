/** libxkbcommon, which every Wayland desktop has: it parses the keyboard maps that compositors send. */

import { prototypes } from "../../../core/binding.ts";
import { NoDesktopError } from "../../../core/errors.ts";
import { cString } from "../../linux/libc.ts";
import { XKB_OFFSET } from "../wire/keymaps.ts";

const FUNCTIONS = prototypes({
  xkb_context_new: "pointer (i32 flags)",
  xkb_context_unref: "void (pointer)",
  xkb_context_set_log_level: "void (pointer, i32)",
  xkb_keymap_new_from_string: "pointer (pointer, buffer char *, i32 format, i32 flags)",
  xkb_keymap_unref: "void (pointer)",
  xkb_keymap_num_levels_for_key: "u32 (pointer, u32 keycode, u32 layout)",
  xkb_keymap_key_get_syms_by_level: "i32 (pointer, u32, u32, u32 level, buffer xkb_keysym_t **)",
  xkb_keymap_key_get_mods_for_level: "usize (pointer, u32, u32, u32, buffer xkb_mod_mask_t *, usize)",
  xkb_keysym_to_utf32: "u32 (u32)",
  xkb_state_new: "pointer (pointer)",
  xkb_state_unref: "void (pointer)",
  xkb_state_update_key: "u32 (pointer, u32, i32 direction)",
  xkb_state_serialize_mods: "u32 (pointer, i32 components)",
});

type Xkbcommon = Deno.DynamicLibrary<typeof FUNCTIONS>["symbols"];

/** XKB_CONTEXT_NO_DEFAULT_INCLUDES and XKB_CONTEXT_NO_ENVIRONMENT_NAMES: keymaps must not include other files. */
const CONTEXT_FLAGS = 1 | 2;
const XKB_LOG_LEVEL_CRITICAL = 10;
const XKB_KEYMAP_FORMAT_TEXT_V1 = 1;
const XKB_KEY_DOWN = 1;
const XKB_STATE_MODS_DEPRESSED = 1;
/** Maximum number of modifier combinations read for a level. */
const MASKS = 8;

let opened: Xkbcommon | undefined;

/** @throws NoDesktopError if libxkbcommon is missing, or older than version 1.0. */
function library(): Xkbcommon {
  try {
    return opened ??= Deno.dlopen("libxkbcommon.so.0", FUNCTIONS).symbols;
  } catch (cause) {
    throw new NoDesktopError(
      "libxkbcommon.so.0, version 1.0 or later, cannot be loaded (Debian and Ubuntu: apt-get install libxkbcommon0)",
      { cause },
    );
  }
}

/**
 * A compiled keyboard map. `using` frees it. Keys have kernel codes (linux/input-event-codes.h); layouts and
 * levels count from 0.
 */
export class CompiledKeymap {
  readonly #pointers = new BigUint64Array(1);
  readonly #masks = new Uint32Array(MASKS);

  private constructor(
    readonly xkb: Xkbcommon,
    readonly context: Deno.PointerObject,
    readonly keymap: Deno.PointerObject,
  ) {}

  /**
   * Compiles a map, which takes 5 to 10 ms.
   * @param text The map as sent by a compositor (XKB text format, version 1).
   * @returns undefined if the text is not a map.
   * @throws NoDesktopError if there is no libxkbcommon.
   */
  static of(text: string): CompiledKeymap | undefined {
    const xkb = library(), context = xkb.xkb_context_new(CONTEXT_FLAGS)!;
    xkb.xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL);
    const keymap = xkb.xkb_keymap_new_from_string(context, cString(text), XKB_KEYMAP_FORMAT_TEXT_V1, 0);
    if (keymap) return new CompiledKeymap(xkb, context, keymap);
    xkb.xkb_context_unref(context);
    return undefined;
  }

  /** A key's symbols by level; undefined for none or several. Another layout replaces a missing one. */
  symbols(code: number, layout: number): (number | undefined)[] {
    const levels = this.xkb.xkb_keymap_num_levels_for_key(this.keymap, code + XKB_OFFSET, layout);
    return Array.from({ length: levels }, (_, level) => {
      const count = this.xkb.xkb_keymap_key_get_syms_by_level(
        this.keymap,
        code + XKB_OFFSET,
        layout,
        level,
        this.#pointers,
      );
      const symbols = Deno.UnsafePointer.create(this.#pointers[0]);
      return count === 1 && symbols ? new Deno.UnsafePointerView(symbols).getUint32() : undefined;
    });
  }

  /** Modifier combinations, as bits, that each select a key's level. */
  modifiers(code: number, layout: number, level: number): number[] {
    const count = this.xkb.xkb_keymap_key_get_mods_for_level(
      this.keymap,
      code + XKB_OFFSET,
      layout,
      level,
      this.#masks,
      BigInt(MASKS),
    );
    return [...this.#masks.subarray(0, Number(count))];
  }

  /** The bits of the modifiers that are down while a key is. */
  bitsOf(code: number): number {
    const { xkb } = this, state = xkb.xkb_state_new(this.keymap);
    xkb.xkb_state_update_key(state, code + XKB_OFFSET, XKB_KEY_DOWN);
    const bits = xkb.xkb_state_serialize_mods(state, XKB_STATE_MODS_DEPRESSED);
    xkb.xkb_state_unref(state);
    return bits;
  }

  /** A symbol's character; 0 if it has none. */
  character(symbol: number): number {
    return this.xkb.xkb_keysym_to_utf32(symbol);
  }

  [Symbol.dispose](): void {
    this.xkb.xkb_keymap_unref(this.keymap);
    this.xkb.xkb_context_unref(this.context);
  }
}
