/**
 * The keyboard state that would alter a text: held, latched and locked modifiers, and AccessX features. It is
 * suspended before the text and restored afterwards.
 */

import type { Connection } from "./connection.ts";
import { type Keymap, LOCK_MASK, readState } from "./keymap.ts";
import { slaveKeyboards } from "./raw_selection.ts";
import { AIDS, aidsOn, switchAids, USE_CORE_KEYBOARD } from "./xkb.ts";

/** Offsets in XDeviceState and XKeyState (X11/extensions/XInput.h). */
export const DEVICE_STATE = { classes: 8, data: 16 } as const;
export const KEY_STATE = { class: 0, length: 1, keys: 4, bytes: 32 } as const;
const KEY_CLASS = 0;
/** All modifiers of a mask. */
const ALL_MODS = 0xff;

/** The keyboard state during a text. */
interface SuspendedState {
  /** Modifiers that stay locked, as a mask. */
  lockedMods: number;
  /**
   * Sends what restores the state: modifiers that programs held, except the keycodes in `released`, and those
   * that a person still holds on a device; latches, locks and AccessX features.
   * @returns Keycodes that are down on XTEST's keyboard on behalf of a person.
   */
  restore(released: Set<number>): Set<number>;
}

/**
 * Releases the modifiers that are down, clears latches, Caps Lock and locked command modifiers, and turns off
 * Slow Keys, Bounce Keys and Sticky Keys: Sticky Keys turn off on their own when a text needs two keys at the
 * same time.
 */
export function suspendState(connection: Connection, keymap: Keymap): SuspendedState {
  const { libraries: { x11, xtst }, display } = connection;
  const held = keysDown(connection).filter((keycode) => keymap.isModifier(keycode));
  const byPrograms = held.length ? heldBy(connection, (name) => /XTEST/.test(name)) : new Set<number>();
  const { latchedMods, lockedMods, lockedGroup } = readState(connection), aids = aidsOn(connection);
  const unlocked = lockedMods & (LOCK_MASK | keymap.commandMods), kept = lockedMods & ~unlocked;
  for (const keycode of held) xtst.XTestFakeKeyEvent(display, keycode, 0, 0n);
  switchAids(connection, aids, false);
  if (latchedMods) x11.XkbLatchModifiers(display, USE_CORE_KEYBOARD, ALL_MODS, 0);
  if (unlocked) x11.XkbLockModifiers(display, USE_CORE_KEYBOARD, unlocked, 0);
  const relock = (mods: number) => {
    x11.XkbLockModifiers(display, USE_CORE_KEYBOARD, ALL_MODS, mods);
    if (lockedGroup) x11.XkbLockGroup(display, USE_CORE_KEYBOARD, lockedGroup);
  };
  if (aids & AIDS.sticky) relock(kept); // turning off Sticky Keys clears all locks
  return {
    lockedMods: kept,
    restore(released) {
      const byDevices = held.length ? heldBy(connection, (name) => !/XTEST/.test(name)) : new Set<number>();
      const again = byPrograms.difference(released).union(byDevices);
      switchAids(connection, aids & AIDS.sticky, true); // before the keys that it latches
      for (const keycode of held) {
        if (again.has(keycode)) xtst.XTestFakeKeyEvent(display, keycode, 1, 0n);
      }
      if (unlocked) x11.XkbLockModifiers(display, USE_CORE_KEYBOARD, unlocked, unlocked);
      if (latchedMods) x11.XkbLatchModifiers(display, USE_CORE_KEYBOARD, latchedMods, latchedMods);
      switchAids(connection, aids & ~AIDS.sticky, true); // after the presses
      x11.XFlush(display);
      return byDevices.intersection(new Set(held)).difference(byPrograms);
    },
  };
}

/** Keycodes that are down for programs, on any keyboard. */
export function keysDown({ libraries: { x11 }, display }: Connection): number[] {
  const down = new Uint8Array(32);
  x11.XQueryKeymap(display, down);
  return modifierCodes(down);
}

/** Keycodes that are down in a bit vector, as returned by XQueryKeymap. */
function modifierCodes(bits: Uint8Array): number[] {
  const codes: number[] = [];
  for (let keycode = 0; keycode < 256; keycode++) {
    if (bits[keycode >> 3] & (1 << (keycode & 7))) codes.push(keycode);
  }
  return codes;
}

/** Keycodes that are down on the keyboards selected by name. */
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
      return modifierCodes(bits);
    }
    at = Deno.UnsafePointer.offset(at, input.getUint8(KEY_STATE.length));
  }
  return [];
}
