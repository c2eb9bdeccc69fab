/** Use of one finger on the picture: it touches the desktop, or only moves the view. */

import { LONG_PRESS, SLACK } from "./touch.js";

/** @typedef {import("./pointer.js").Pointer} Hand */
/** @typedef {import("./touch.js").Place} Place */

/** A finger on the picture: it clicks by a tap, drags by a move, and presses the right button by a rest. */
export class DirectFinger {
  /** @type {Place} */ #start = { clientX: 0, clientY: 0 };
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #long;
  /** Tells whether the finger was used for something, so that it is no tap. */ #used = false;

  /** @param {Hand} hand */
  constructor(hand) {
    this.hand = hand;
  }

  /** @param {PointerEvent} event */
  down(event) {
    this.#start = { clientX: event.clientX, clientY: event.clientY };
    this.#used = false;
    this.#long = setTimeout(() => {
      this.#used = true;
      this.hand.tap("right", this.#start);
    }, LONG_PRESS);
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (this.#used) {
      if (this.hand.isDown) this.hand.drag(event);
      return;
    }
    const { clientX, clientY } = this.#start;
    if (Math.hypot(event.clientX - clientX, event.clientY - clientY) <= SLACK) return;
    clearTimeout(this.#long);
    this.#used = true;
    this.hand.press("left", this.#start);
    this.hand.drag(event);
  }

  /** @param {PointerEvent} event */
  up(event) {
    clearTimeout(this.#long);
    if (this.hand.isDown) this.hand.release("left", event);
    else if (!this.#used) this.hand.tap("left", event);
    this.#used = true;
  }

  cancel() {
    clearTimeout(this.#long);
    this.#used = true;
    this.hand.releaseAll(); // where the finger is
  }

  twoTap() {}

  /** @param {PointerEvent} event */
  wheelAt(event) {
    return event;
  }
}

/** Moves the view, where nothing reaches the desktop. */
export class LookingFinger {
  /** @type {Place | undefined} */ #last;

  /** @param {(by: { x: number, y: number }) => unknown} pan */
  constructor(pan) {
    this.pan = pan;
  }

  /** @param {PointerEvent} event */
  down({ clientX, clientY }) {
    this.#last = { clientX, clientY };
  }

  /** @param {PointerEvent} event */
  move({ clientX, clientY }) {
    if (this.#last) this.pan({ x: clientX - this.#last.clientX, y: clientY - this.#last.clientY });
    this.#last = { clientX, clientY };
  }

  up() {}

  cancel() {
    this.#last = undefined;
  }

  twoTap() {}

  /** @param {PointerEvent} event */
  wheelAt(event) {
    return event;
  }
}
