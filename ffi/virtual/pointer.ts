/** The pointer of a virtual desktop. */

import type { Button, Direction, InputAction, Point, Pointer } from "../../control/desktop.ts";
import type { VirtualScreen } from "./screen.ts";
import type { VirtualObserver } from "./watch.ts";

/** Buttons leave rings on the screen, the wheel leaves text. */
export class VirtualPointer implements Pointer {
  constructor(readonly screen: VirtualScreen, readonly observer: VirtualObserver) {}

  position(): Point {
    return { ...this.screen.pointer };
  }

  move({ x, y }: Point): void {
    this.screen.pointer = { x, y };
    this.#happened({ type: "move", x, y });
  }

  button(button: Button, down: boolean): void {
    this.screen.ring(button, down);
    this.#happened({ type: "button", button, down, ...this.position() });
  }

  scroll(direction: Direction, amount: number): void {
    this.screen.write(`[${direction} ${amount}]`);
    this.#happened({ type: "scroll", direction, amount, ...this.position() });
  }

  #happened(action: InputAction) {
    this.observer.append(action);
    this.observer.report(action);
  }
}
