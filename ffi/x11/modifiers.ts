/** Modifiers that are held while text is typed: released before it, and pressed again afterwards. */

import type { Connection } from "./connection.ts";
import { slaveKeyboards } from "./devices.ts";
import { type Keymap, LOCK_MASK } from "./keymap.ts";
import { USE_CORE_KEYBOARD } from "./xkb.ts";

/** Offsets in XDeviceState and XKeyState (X11/extensions/XInput.h). */
export const DEVICE_STATE = { classes: 8, data: 16 } as const;
export const KEY_STATE = { class: 0, length: 1, keys: 4, bytes: 32 } as const;
const KEY_CLASS = 0;

/**
 * Releases the modifiers that are down and switches Caps Lock off.
 * @returns A function that presses the modifiers again that programs held, except the keycodes of `released`, and the
 * modifiers that a person still holds on a device. It switches Caps Lock on again if it was on.
 */
export function suspendModifiers(connection: Connection, keymap: Keymap): (released: Set<number>) => void {
  const { libraries: { x11, xtst }, display } = connection;
  const down = new Uint8Array(32);
  x11.XQueryKeymap(display, down);
  const held = keysDown(down).filter((keycode) => keymap.isModifier(keycode));
  const byPrograms = held.length ? heldBy(connection, (name) => /XTEST/.test(name)) : new Set<number>();
  const capsLock = (keymap.lockedMods & LOCK_MASK) !== 0;
  for (const keycode of held) xtst.XTestFakeKeyEvent(display, keycode, 0, 0n);
  if (capsLock) x11.XkbLockModifiers(display, USE_CORE_KEYBOARD, LOCK_MASK, 0);
  return (released) => {
    const byDevices = held.length ? heldBy(connection, (name) => !/XTEST/.test(name)) : new Set<number>();
    const again = byPrograms.difference(released).union(byDevices);
    for (const keycode of held) {
      if (again.has(keycode)) xtst.XTestFakeKeyEvent(display, keycode, 1, 0n);
    }
    if (capsLock) x11.XkbLockModifiers(display, USE_CORE_KEYBOARD, LOCK_MASK, LOCK_MASK);
    x11.XSync(display, 0);
  };
}

/** Keycodes that are down in a bit vector, as XQueryKeymap gives it. */
function keysDown(bits: Uint8Array): number[] {
  const codes: number[] = [];
  for (let keycode = 0; keycode < 256; keycode++) {
    if (bits[keycode >> 3] & (1 << (keycode & 7))) codes.push(keycode);
  }
  return codes;
}

/** Keycodes that are down on the keyboards chosen by name. */
function heldBy(connection: Connection, chosen: (name: string) => boolean): Set<number> {
  const { libraries: { xi }, display } = connection;
  const codes = new Set<number>();
  for (const { id, name } of slaveKeyboards(connection)) {
    if (!chosen(name)) continue;
    const device = xi.XOpenDevice(display, BigInt(id));
    if (!device) continue;
    const state = xi.XQueryDeviceState(display, device);
    if (state) {
      for (const keycode of keysOfState(state)) codes.add(keycode);
      xi.XFreeDeviceState(state);
    }
    xi.XCloseDevice(display, device);
  }
  return codes;
}

function keysOfState(state: Deno.PointerObject): number[] {
  const view = new Deno.UnsafePointerView(state);
  let at = view.getPointer(DEVICE_STATE.data);
  for (let left = view.getInt32(DEVICE_STATE.classes); left > 0 && at; left--) {
    const input = new Deno.UnsafePointerView(at);
    if (input.getUint8(KEY_STATE.class) === KEY_CLASS) {
      const bits = new Uint8Array(KEY_STATE.bytes);
      input.copyInto(bits, KEY_STATE.keys);
      return keysDown(bits);
    }
    at = Deno.UnsafePointer.offset(at, input.getUint8(KEY_STATE.length));
  }
  return [];
}
