/** Buttons and the wheel as the X11 protocol counts them: a notch of the wheel is a press and release of a button. */

import type { Button, Direction } from "../../control/desktop.ts";

/** Button numbers; 8 and 9 by convention (X.Org's evdev and libinput drivers). */
export const BUTTON_NUMBERS: Readonly<Record<Button, number>> = {
  left: 1,
  middle: 2,
  right: 3,
  back: 8,
  forward: 9,
};

/** Button numbers of the wheel's directions. */
export const WHEEL_NUMBERS: Readonly<Record<Direction, number>> = { up: 4, down: 5, left: 6, right: 7 };

/** Buttons by number. */
export const BUTTONS_BY_NUMBER: ReadonlyMap<number, Button> = inverted(BUTTON_NUMBERS);

/** Directions of the wheel by number. */
export const DIRECTIONS_BY_NUMBER: ReadonlyMap<number, Direction> = inverted(WHEEL_NUMBERS);

function inverted<Name extends string>(numbers: Readonly<Record<Name, number>>): Map<number, Name> {
  return new Map((Object.keys(numbers) as Name[]).map((name) => [numbers[name], name]));
}
