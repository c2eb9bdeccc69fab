/** The pointer of Windows. */

import type { Button, Direction, Point, Pointer } from "../../control/desktop/desktop.ts";
import { virtualScreen } from "./screen.ts";
import { type InputSender, type MouseInput, moveTo, pressButton, turnWheel } from "./input.ts";
import type { Libraries } from "./symbols.ts";

/** SM_SWAPBUTTON: the person uses the right-hand button as the left one. */
const SM_SWAPBUTTON = 23;
const SWAPPED: Partial<Record<Button, Button>> = { left: "right", right: "left" };

/** GetCursorPos may lag behind an absolute move by this much (2 ms at most were seen). */
const MOVE_SETTLES_MS = 20;
/** Notches in one call of SendInput. */
const NOTCHES_AT_ONCE = 100;

/** Moves, buttons and wheel by SendInput. */
export class WindowsPointer implements Pointer {
  readonly #point = new Int32Array(2);
  /** The last move, and until when Windows may still report the place before it. */
  #moved: { to: Point; until: number } | undefined;

  constructor(readonly user32: Libraries["user32"], readonly sender: InputSender) {}

  position(): Promise<Point> {
    return Promise.try(() => this.#position());
  }

  move(point: Point): Promise<void> {
    return Promise.try(() => {
      this.sender.send([moveTo(point, virtualScreen(this.user32))]);
      this.#moved = { to: { ...point }, until: performance.now() + MOVE_SETTLES_MS };
    });
  }

  button(button: Button, down: boolean): Promise<void> {
    return Promise.try(() => {
      if (down) this.sender.guard.checkPointer(this.#position()); // releasing is tried in any case
      const swapped = this.user32.GetSystemMetrics(SM_SWAPBUTTON) !== 0;
      this.#sendHere([pressButton(swapped ? SWAPPED[button] ?? button : button, down)]);
    });
  }

  scroll(direction: Direction, amount: number): Promise<void> {
    return Promise.try(() => {
      this.sender.guard.checkPointer(this.#position());
      for (let left = amount; left > 0; left -= NOTCHES_AT_ONCE) {
        this.#sendHere(Array.from({ length: Math.min(left, NOTCHES_AT_ONCE) }, () => turnWheel(direction)));
      }
    });
  }

  #position(): Point {
    if (!this.user32.GetCursorPos(this.#point)) throw this.sender.refused("the pointer's position");
    const [x, y] = this.#point;
    return this.#recentMove() ?? { x, y };
  }

  /**
   * Sends inputs at the pointer's place. A recent move is repeated in the same call: under Wine the X server's echo
   * of an earlier move may put the pointer back for an instant, and a person may push the mouse.
   */
  #sendHere(inputs: readonly MouseInput[]): void {
    const to = this.#recentMove();
    this.sender.send(to ? [moveTo(to, virtualScreen(this.user32)), ...inputs] : inputs);
  }

  /** The destination of the last move, as long as Windows may still report the place before it. */
  #recentMove(): Point | undefined {
    if (this.#moved && performance.now() > this.#moved.until) this.#moved = undefined;
    return this.#moved && { ...this.#moved.to };
  }
}
