/** libxdo's functions for buttons and keys, which send them by XTEST to the window that gets the input. */

import type { Connection } from "./connection.ts";

/** CURRENTWINDOW (xdo.h): no particular window, so events go through XTEST. */
const CURRENT_WINDOW = 0n;
/** Bytes that are allocated for an xdo_t, whose size is 80. */
export const XDO_SIZE = 128;
/** Offsets in charcodemap_t (xdo.h); also wchar_t key 0, KeySym symbol 8, modmask 20, needs_binding 24. */
export const CHAR_CODE_MAP = { size: 32, code: 4, group: 16 } as const;

/** An `xdo_t` on a connection. */
export class Xdo {
  /**
   * A public structure (xdo.h), with its first field set, the display. libxdo's own function for making it also reads
   * the keyboard map, which deskhand does not need, and crashes if the server dies during that.
   */
  readonly #memory = new Uint8Array(XDO_SIZE);
  readonly #xdo: Deno.PointerObject;

  constructor(readonly connection: Connection) {
    new BigUint64Array(this.#memory.buffer)[0] = Deno.UnsafePointer.value(connection.display);
    this.#xdo = Deno.UnsafePointer.of(this.#memory)!;
  }

  /**
   * Presses or releases a button.
   * @param number As the X11 protocol counts them, wheel directions included.
   */
  button(number: number, down: boolean): void {
    const { xdo } = this.connection.libraries;
    if (down) xdo.xdo_mouse_down(this.#xdo, CURRENT_WINDOW, number);
    else xdo.xdo_mouse_up(this.#xdo, CURRENT_WINDOW, number);
  }

  /**
   * Presses or releases a key.
   * @param group The keyboard group of the key, counted from 0.
   */
  key(keycode: number, down: boolean, group: number): void {
    const keys = new Uint8Array(CHAR_CODE_MAP.size);
    const view = new DataView(keys.buffer);
    view.setUint8(CHAR_CODE_MAP.code, keycode);
    view.setInt32(CHAR_CODE_MAP.group, group, true);
    // libxdo presses the modifiers that an earlier call left in this argument, so each call gets a new one.
    const modifiers = new Int32Array(1);
    const { xdo } = this.connection.libraries;
    xdo.xdo_send_keysequence_window_list_do(
      this.#xdo,
      CURRENT_WINDOW,
      keys,
      1,
      Number(down),
      modifiers,
      0,
    );
  }
}
