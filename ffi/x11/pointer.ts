/** The pointer of one connection. */

import type { Button, Direction, Point, Pointer } from "../../control/desktop.ts";
import { BUTTON_NUMBERS, WHEEL_NUMBERS } from "./buttons.ts";
import type { Connection } from "./connection.ts";
import type { Xdo } from "./xdo.ts";

/** The distance that the pointer may have from a place, in pixels: KWin keeps it out of the screen's corners. */
const NEAR = 1;

/** Moves by XTEST, buttons and wheel by libxdo. */
export class X11Pointer implements Pointer {
  /** The place of the pointer after the last move. */
  #place: Point | undefined;

  constructor(readonly connection: Connection, readonly xdo: Xdo) {}

  position(): Promise<Point> {
    return Promise.try(() => this.connection.queryPointer());
  }

  /**
   * Moves by XTEST rather than libxdo's warp: a warp makes no motion of a device, so that programs that listen to
   * devices (games, recorders, deskhand itself) would not see it.
   */
  move({ x, y }: Point): Promise<void> {
    return Promise.try(() => {
      const { libraries: { x11, xtst }, display, screen, root } = this.connection;
      xtst.XTestFakeMotionEvent(display, screen, x, y, 0n);
      this.#place = this.connection.queryPointer();
      // XTEST stays on the first of several screens that Xinerama joins.
      if (!this.elsewhere({ x, y })) return this.connection.check();
      x11.XWarpPointer(display, 0n, root, 0, 0, 0, 0, x, y);
      this.#place = this.connection.queryPointer();
    });
  }

  /** The question of {@linkcode move} takes 60 us, a motion 3. */
  moveThrough(points: readonly Point[]): Promise<void> {
    const { libraries: { xtst }, display, screen } = this.connection;
    for (const { x, y } of points.slice(0, -1)) xtst.XTestFakeMotionEvent(display, screen, x, y, 0n);
    return this.move(points.at(-1)!);
  }

  elsewhere(point: Point): Point | undefined {
    const place = this.#place;
    if (!place) return undefined;
    const distance = Math.max(Math.abs(place.x - point.x), Math.abs(place.y - point.y));
    return distance > NEAR ? place : undefined;
  }

  button(button: Button, down: boolean): Promise<void> {
    return Promise.try(() => {
      this.xdo.button(BUTTON_NUMBERS[button], down);
      this.connection.sync();
    });
  }

  scroll(direction: Direction, amount: number): Promise<void> {
    return Promise.try(() => {
      for (let i = 0; i < amount; i++) {
        this.xdo.button(WHEEL_NUMBERS[direction], true);
        this.xdo.button(WHEEL_NUMBERS[direction], false);
      }
      this.connection.sync();
    });
  }
}
