/** The pointer of a virtual desktop. */

import type { Button, Direction, InputAction, Point, Pointer } from "../../control/desktop.ts";
import type { VirtualScreen } from "./screen.ts";
import type { VirtualObserver } from "./watch.ts";

/** Buttons leave rings on the screen, the wheel leaves text. */
export class VirtualPointer implements Pointer {
  constructor(readonly screen: VirtualScreen, readonly observer: VirtualObserver) {}

  position(): Promise<Point> {
    return Promise.resolve({ ...this.screen.pointer });
  }

  move({ x, y }: Point): Promise<void> {
    this.screen.pointer = { x, y };
    return this.#happened({ type: "move", x, y });
  }

  button(button: Button, down: boolean): Promise<void> {
    this.screen.ring(button, down);
    return this.#happened({ type: "button", button, down, ...this.screen.pointer });
  }

  scroll(direction: Direction, amount: number): Promise<void> {
    this.screen.write(`[${direction} ${amount}]`);
    return this.#happened({ type: "scroll", direction, amount, ...this.screen.pointer });
  }

  #happened(action: InputAction): Promise<void> {
    this.observer.append(action);
    this.observer.report(action);
    return Promise.resolve();
  }
}
