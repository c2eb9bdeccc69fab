/**
 * Aids for people at the keyboard (AccessX: XKB protocol, "Keyboard Controls"): Slow Keys take a key only when it is held,
 * Bounce Keys take no key twice at once, and Sticky Keys end at two keys at once. Keys of programs pass them, too.
 */

import type { Connection } from "./connection.ts";
import { noXkb, USE_CORE_KEYBOARD } from "./xkb.ts";

/** XkbSlowKeysMask, XkbBounceKeysMask and XkbStickyKeysMask (X11/extensions/XKB.h). */
export const AIDS = { slow: 1 << 1, bounce: 1 << 2, sticky: 1 << 3 } as const;
/** XkbControlsEnabledMask (X11/extensions/XKB.h). */
const ENABLED = 1n << 31n;
/** Offsets in XkbDescRec and XkbControlsRec (X11/extensions/XKBstr.h). */
export const CONTROLS = { inDescription: 16, enabled: 12 } as const;
const ALL_COMPONENTS = 0x7f;

/**
 * The aids that are switched on, as a mask of {@linkcode AIDS}.
 * @throws DesktopUnavailableError if the server is gone; InputError if it has no XKB.
 */
export function aidsOn(connection: Connection): number {
  const { libraries: { x11 }, display } = connection, description = x11.XkbAllocKeyboard();
  if (!description) throw new Error("out of memory");
  try {
    if (x11.XkbGetControls(display, ENABLED, description) !== 0) throw noXkb(connection);
    const controls = new Deno.UnsafePointerView(description).getPointer(CONTROLS.inDescription)!;
    const enabled = new Deno.UnsafePointerView(controls).getUint32(CONTROLS.enabled);
    return enabled & (AIDS.slow | AIDS.bounce | AIDS.sticky);
  } finally {
    x11.XkbFreeKeyboard(description, ALL_COMPONENTS, 1);
  }
}

/** Switches aids on or off. @param aids A mask of {@linkcode AIDS}. */
export function switchAids({ libraries: { x11 }, display }: Connection, aids: number, on: boolean): void {
  if (aids) x11.XkbChangeEnabledControls(display, USE_CORE_KEYBOARD, aids, on ? aids : 0);
}
