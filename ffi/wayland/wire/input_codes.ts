/** Codes of buttons as the kernel counts them (linux/input-event-codes.h), and axes of wheels, as Wayland has them. */

import type { Button, Direction } from "../../../control/desktop.ts";

/** BTN_LEFT, BTN_RIGHT, BTN_MIDDLE, and the two at the side as most mice have them: BTN_SIDE and BTN_EXTRA. */
export const BUTTON_CODES: Readonly<Record<Button, number>> = {
  left: 0x110,
  right: 0x111,
  middle: 0x112,
  back: 0x113,
  forward: 0x114,
};

/** Buttons by code; BTN_FORWARD and BTN_BACK, which some mice have instead, are included. */
export const BUTTONS_BY_CODE: ReadonlyMap<number, Button> = new Map<number, Button>([
  ...(Object.keys(BUTTON_CODES) as Button[]).map((name) => [BUTTON_CODES[name], name] as const),
  [0x115, "forward"],
  [0x116, "back"],
]);

/** The length of a wheel's notch, in the units of wl_pointer.axis; the value of libinput's wheels. */
export const NOTCH = 15;
/** wl_pointer.axis and the sign of its values. */
export const AXES: Readonly<Record<Direction, readonly [axis: number, sign: number]>> = {
  up: [0, -1],
  down: [0, 1],
  left: [1, -1],
  right: [1, 1],
};
