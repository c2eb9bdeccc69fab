/** The pointer and the keyboard of an X server, by libxdo. */

import { cString } from "../../ffi/linux/libc.ts";
import { big, type XdoSession } from "../../ffi/x11/xdotool/session.ts";
import type { InputTarget, KeyWay } from "./target.ts";
import { waitUntil } from "./wait_until.ts";

/** Milliseconds between a press and a release, as in libxdo. */
const CLICK_PAUSE_MS = 0.012;

/** Sends keys and clicks as xdotool does. */
export class X11Input implements InputTarget {
  /** @param session The session; its creator closes the connection. */
  constructor(readonly session: XdoSession) {}

  get #xdo() {
    return this.session.libraries.xdo;
  }

  location = () => this.session.location();

  move = (x: number, y: number, screen: number) => this.#xdo.xdo_move_mouse(this.session.xdo, x, y, screen);

  moveBy = (x: number, y: number) => this.#xdo.xdo_move_mouse_relative(this.session.xdo, x, y);

  button(window: number, button: number, isDown: boolean) {
    const send = isDown ? this.#xdo.xdo_mouse_down : this.#xdo.xdo_mouse_up;
    return send(this.session.xdo, big(window), button);
  }

  /** The time of the requests counts as part of a delay, so that a script takes no longer than by xdotool. */
  click(window: number, button: number, times: number, delay: number, isLast = false) {
    for (let time = 1; time <= times; time++) {
      const began = performance.now(), code = this.button(window, button, true);
      if (code) return code;
      waitUntil(performance.now() + CLICK_PAUSE_MS);
      this.button(window, button, false);
      if (!isLast || time < times) waitUntil(began + delay / 1000);
    }
    return 0;
  }

  keys(way: KeyWay, window: number, keys: string, delay: number, isLast = false): number {
    if (way === "key" && !window && !keys.includes("+")) {
      const began = performance.now(), down = this.keys("keydown", 0, keys, 0);
      waitUntil(began + delay / 2000);
      const up = this.keys("keyup", 0, keys, 0);
      if (!isLast) waitUntil(began + delay / 1000);
      return down + up;
    }
    const send = {
      key: this.#xdo.xdo_send_keysequence_window,
      keydown: this.#xdo.xdo_send_keysequence_window_down,
      keyup: this.#xdo.xdo_send_keysequence_window_up,
    }[way];
    return send(this.session.xdo, big(window), cString(keys), delay);
  }

  type(window: number, text: string, delay: number) {
    return this.#xdo.xdo_enter_text_window(this.session.xdo, big(window), cString(text), delay);
  }

  clearModifiers = (window: number) => this.session.clearModifiers(window);
}
