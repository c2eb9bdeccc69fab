/** The pointer of one connection. */

import type { Button, Direction, Point, Pointer } from "../../control/desktop.ts";
import { BUTTON_NUMBERS, WHEEL_NUMBERS } from "./buttons.ts";
import type { Connection } from "./connection.ts";
import type { Xdo } from "./xdo.ts";

/** Moves by XTEST, buttons and wheel by libxdo. */
export class X11Pointer implements Pointer {
  constructor(readonly connection: Connection, readonly xdo: Xdo) {}

  position(): Point {
    return this.connection.queryPointer();
  }

  /**
   * By XTEST rather than libxdo's warp: a warp makes no motion of a device, so that programs that listen to
   * devices (games, recorders, deskhand itself) would not see it.
   */
  move({ x, y }: Point): void {
    const { libraries: { xtst }, display, screen } = this.connection;
    xtst.XTestFakeMotionEvent(display, screen, x, y, 0n);
    this.connection.sync();
  }

  button(button: Button, down: boolean): void {
    this.xdo.button(BUTTON_NUMBERS[button], down);
    this.connection.sync();
  }

  scroll(direction: Direction, amount: number): void {
    for (let i = 0; i < amount; i++) {
      this.xdo.button(WHEEL_NUMBERS[direction], true);
      this.xdo.button(WHEEL_NUMBERS[direction], false);
    }
    this.connection.sync();
  }
}
