/** A pointer device of a connection's own (zwlr_virtual_pointer_v1). Programs see it as long as the connection is open. */

import type { Button, Direction, Point } from "../../../control/desktop/desktop.ts";
import type { Connection } from "./connection.ts";
import { motionTo, type Outputs } from "./outputs.ts";
import { AXES, BUTTON_CODES, NOTCH } from "./keymaps.ts";
import { VIRTUAL_POINTER, VIRTUAL_POINTER_MANAGER } from "./wire.ts";
import type { Registry } from "./registry.ts";

const MANAGER = "zwlr_virtual_pointer_manager_v1";

/** Sends events. The compositor has handled each when its method returns. */
export class VirtualPointer {
  readonly #object: number;

  /**
   * Makes the device.
   * @param seat The object of the seat that the device belongs to.
   * @throws DesktopUnavailableError if the compositor does not offer virtual pointers.
   */
  constructor(readonly connection: Connection, registry: Registry, seat: number) {
    const manager = registry.bindFirst(MANAGER, 2);
    this.#object = connection.newId();
    connection.request(manager, VIRTUAL_POINTER_MANAGER.create, seat, this.#object);
  }

  /** Whether a compositor offers virtual pointers. */
  static isOffered(registry: Registry): boolean {
    return registry.version(MANAGER) > 0;
  }

  /** Moves to a place of the desktop. */
  move(outputs: Outputs, point: Point): void {
    const { x, y, width, height } = motionTo(outputs.arrangement(), point);
    this.connection.request(this.#object, VIRTUAL_POINTER.motionAbsolute, now(), x, y, width, height);
    this.#frame();
  }

  /** Moves by nothing: some compositors look for the surface below the pointer only at a motion. */
  nudge(): void {
    const still = { fixed: 0 };
    this.connection.request(this.#object, VIRTUAL_POINTER.motion, now(), still, still);
    this.#frame();
  }

  button(button: Button, down: boolean): void {
    const code = BUTTON_CODES[button];
    this.connection.request(this.#object, VIRTUAL_POINTER.button, now(), code, down ? 1 : 0);
    this.#frame();
  }

  /** Turns the wheel by some notches. */
  scroll(direction: Direction, amount: number): void {
    const { connection } = this, [axis, sign] = AXES[direction], length = { fixed: sign * NOTCH };
    for (let i = 0; i < amount; i++) {
      connection.request(this.#object, VIRTUAL_POINTER.axisSource, VIRTUAL_POINTER.wheel);
      connection.request(this.#object, VIRTUAL_POINTER.axisDiscrete, now(), axis, length, sign);
      connection.request(this.#object, VIRTUAL_POINTER.frame);
    }
    connection.roundtrip();
  }

  #frame(): void {
    this.connection.request(this.#object, VIRTUAL_POINTER.frame);
    this.connection.roundtrip();
  }
}

/** The time of an event: milliseconds from any start, as a 32-bit number. */
export function now(): number {
  return performance.now() >>> 0;
}
