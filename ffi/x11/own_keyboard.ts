/**
 * Which keyboard's map an X server shows. Each keyboard has a map of its own, and programs see that of the keyboard used
 * last: a person's may be German while the XTEST keyboard, through which deskhand's keys go, is American.
 */

import type { Connection } from "./connection.ts";

/** The lowest keycode of the protocol (X11 protocol, section 5), which X.Org gives to no key. */
const NO_KEY = 8;

/**
 * Makes the XTEST keyboard the one used last, so that the map that is read next is the one by which its keys are looked
 * up. A release of a key that is up does that, and reaches no program; the server handles it before the requests behind
 * it, so that nothing has to wait.
 */
export function useOwnKeyboard({ libraries: { xtst }, display }: Connection): void {
  xtst.XTestFakeKeyEvent(display, NO_KEY, 0, 0n);
}
