/** The pointer of a VNC desktop. */

import type { Button, Direction, Point, Pointer } from "../../control/desktop/desktop.ts";
import { StateError, UnsupportedError } from "../../core/errors.ts";
import { BUTTON_BITS, CLIENT_MESSAGE, message, WHEEL_BITS, words } from "../../rfb/protocol.ts";
import type { OwnActions } from "../own_actions.ts";
import type { Link } from "./link.ts";

/** Buttons of one byte, of which the last bit says that a second byte follows where the server takes one. */
const FIRST_BYTE = 7, HAS_SECOND = 0x80;

/** Moves, presses and turns. */
export class VncPointer implements Pointer {
  /** Bits of the buttons that are down. */
  #down = 0;

  constructor(readonly link: Link, readonly own: OwnActions) {}

  async position(): Promise<Point> {
    return await Promise.resolve(this.#place);
  }

  async move({ x, y }: Point): Promise<void> {
    const { picture } = this.link;
    picture.place = { x, y };
    this.own.report({ type: "move", x, y });
    await this.link.send(this.#event({ x, y }, this.#down));
  }

  async moveThrough(points: readonly Point[]): Promise<void> {
    this.link.picture.place = points.at(-1)!;
    this.own.report(...points.map(({ x, y }) => ({ type: "move" as const, x, y })));
    await this.link.send(message(...points.map((point) => this.#event(point, this.#down))));
  }

  async button(button: Button, down: boolean): Promise<void> {
    const place = this.#place, bit = 1 << BUTTON_BITS[button];
    if (bit >> FIRST_BYTE > 1 && !this.link.facts.hasManyButtons) {
      throw new UnsupportedError(`this VNC server has no button ${button}`);
    }
    this.#down = down ? this.#down | bit : this.#down & ~bit;
    this.own.report({ type: "button", button, down, ...place });
    await this.link.send(this.#event(place, this.#down));
  }

  async scroll(direction: Direction, amount: number): Promise<void> {
    const place = this.#place, turned = this.#down | 1 << WHEEL_BITS[direction];
    const notch = message(this.#event(place, turned), this.#event(place, this.#down));
    this.own.report({ type: "scroll", direction, amount, ...place });
    await this.link.send(message(...Array.from({ length: amount }, () => notch)));
  }

  get #place(): Point {
    const { place } = this.link.picture;
    if (place) return place;
    throw new StateError("the VNC server does not report where the pointer is; move it once");
  }

  #event({ x, y }: Point, buttons: number): Uint8Array {
    if (!this.link.facts.hasManyButtons || buttons < HAS_SECOND) {
      return message([CLIENT_MESSAGE.pointer, buttons & 0xff], words(x, y));
    }
    const first = buttons & HAS_SECOND - 1 | HAS_SECOND;
    return message([CLIENT_MESSAGE.pointer, first], words(x, y), [buttons >> FIRST_BYTE]);
  }
}
