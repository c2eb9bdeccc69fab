/** Input by the portal's RemoteDesktop. */

import type { Point } from "../../../control/desktop.ts";
import type { RemoteInput } from "../streamed/remote_input.ts";
import { awaitKeyboard, awaitPointer } from "../streamed/seat.ts";
import type { PlacedOutput } from "../wire/geometry.ts";
import type { PortalSession } from "./session.ts";
import type { SharedOutput } from "./shared_outputs.ts";

/** Sends input to a session. */
export class PortalInput implements RemoteInput {
  #keyboard: Promise<void> | undefined;
  #pointer: Promise<void> | undefined;

  /**
   * @param socket The path of the compositor's Wayland socket.
   * @param countsPixels Whether places are in pixels of the picture, as GNOME takes them, or in logical pixels, as the
   *   portal's description has it. They differ on scaled displays.
   */
  constructor(
    readonly session: Pick<PortalSession, "notify">,
    readonly socket: string,
    readonly countsPixels: boolean,
  ) {}

  async move({ output }: PlacedOutput<SharedOutput>, { x, y }: Point): Promise<void> {
    await this.#withPointer();
    const { width, height } = this.countsPixels ? output.mode : output.logical;
    await this.session.notify("NotifyPointerMotionAbsolute", "udd", [output.node, x * width, y * height]);
  }

  async button(code: number, down: boolean): Promise<void> {
    await this.#withPointer();
    await this.session.notify("NotifyPointerButton", "iu", [code, Number(down)]);
  }

  async scroll(axis: number, notches: number): Promise<void> {
    await this.#withPointer();
    await this.session.notify("NotifyPointerAxisDiscrete", "ui", [axis, notches]);
  }

  async key(code: number, down: boolean): Promise<void> {
    const keyboard = this.#keyboard ??= awaitKeyboard(this.socket, (...key) => this.#sendKey(...key));
    await keyboard.catch((error) => {
      this.#keyboard = undefined; // the next key looks again
      throw error;
    });
    await this.#sendKey(code, down);
  }

  async #withPointer(): Promise<void> {
    const move = () => this.session.notify("NotifyPointerMotion", "dd", [0, 0]);
    this.#pointer ??= awaitPointer(this.socket, move);
    await this.#pointer.catch((error) => {
      this.#pointer = undefined; // the next use looks again
      throw error;
    });
  }

  async #sendKey(code: number, down: boolean): Promise<void> {
    await this.session.notify("NotifyKeyboardKeycode", "iu", [code, Number(down)]);
  }
}
