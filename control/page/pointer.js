/** Sends mouse and touch input on the picture to the desktop. */

import { SLACK } from "./touch.js";

/** Buttons by `PointerEvent.button`, with their bits in `buttons` (Pointer Events, section 4.1.1). */
const BUTTONS =
  /** @type {const} */ ([["left", 1], ["middle", 4], ["right", 2], ["back", 8], ["forward", 16]]);
/** Size of a wheel notch, by WheelEvent.deltaMode: pixels, lines, pages. */
const NOTCH = [100, 3, 1];

/** @typedef {import("./touch.js").Place} Place */
/** @typedef {import("./touch.js").Point} Point */

export class Pointer {
  /** @type {Map<string, Place & { at: Point }>} Buttons that are down, with where they were pressed. */
  #pressed = new Map();
  /** @type {Place} The last position of the device that presses the buttons. */ #last = {
    clientX: 0,
    clientY: 0,
  };
  #wheel = { x: 0, y: 0 };

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{ send: (message: object) => boolean, zoom: (factor: number, at: Point) => void,
   *   region: () => Point, log: import("./log.js").Log, focus: (device: string) => void }} to `focus` moves
   *   the focus to the picture.
   * @param {(hand: Pointer) => import("./touch.js").Touch} makeTouch
   */
  constructor(canvas, to, makeTouch) {
    this.canvas = canvas;
    this.to = to;
    const touch = makeTouch(this);
    /** @param {"down" | "move" | "up" | "cancel"} what */
    const on = (what) =>
      canvas.addEventListener(`pointer${what}`, (event) => {
        if (what !== "move") event.preventDefault(); // otherwise, the mouse's back button leaves the page
        if (what === "down") {
          to.focus(event.pointerType);
          canvas.setPointerCapture(event.pointerId);
        }
        if (event.pointerType === "touch") touch[what](event);
        else if (what === "cancel") this.releaseAll();
        else this.#mouse(event);
      });
    for (const what of /** @type {const} */ (["down", "move", "up", "cancel"])) on(what);
    canvas.addEventListener("wheel", (event) => this.#turn(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("auxclick", (event) => event.preventDefault());
  }

  /** Whether a button is down. */
  get isDown() {
    return this.#pressed.size > 0;
  }

  /**
   * The desktop pixel at a page position.
   * @param {Place} place
   * @returns {Point}
   */
  #pixelAt({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect(), { x, y } = this.to.region();
    const scale = (/** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ pixels) =>
      Math.max(0, Math.min(pixels - 1, Math.floor(at * pixels / size)));
    return {
      x: x + scale(clientX - box.left, box.width, this.canvas.width),
      y: y + scale(clientY - box.top, box.height, this.canvas.height),
    };
  }

  /**
   * The page position that shows a desktop pixel.
   * @param {Point} point
   * @returns {Place}
   */
  shownAt({ x, y }) {
    const box = this.canvas.getBoundingClientRect(), origin = this.to.region();
    return {
      clientX: box.left + (x - origin.x + 0.5) * box.width / this.canvas.width,
      clientY: box.top + (y - origin.y + 0.5) * box.height / this.canvas.height,
    };
  }

  /** Releases every button. */
  releaseAll() {
    for (const button of [...this.#pressed.keys()]) this.release(button, this.#last);
  }

  /**
   * A second button pressed or released while one is down arrives as a move (Pointer Events, section
   * 4.1.1.3).
   * @param {PointerEvent} event
   */
  #mouse(event) {
    const [button, bit] = BUTTONS[event.button] ?? ["", 0];
    const isNew = (event.buttons & bit) !== 0 && !this.#pressed.has(button);
    // A button pressed elsewhere on the page is not meant for the desktop.
    const goesDown = isNew && (event.type === "pointerdown" || this.#pressed.size > 0);
    const goUp = BUTTONS.filter(([name, bit]) => this.#pressed.has(name) && !(event.buttons & bit));
    for (const [name] of goUp) this.release(name, event);
    if (goesDown) this.press(button, event);
    else if (!goUp.length) this.drag(event);
  }

  /** Moves the pointer, and drags while a button is down. @param {Place} place */
  drag(place) {
    this.#last = place;
    this.to.send({ type: "move", ...this.#pixelAt(place) });
  }

  /** @param {string} button @param {Place} place */
  press(button, place) {
    const { clientX, clientY } = this.#last = place, at = this.#pixelAt(place);
    this.#pressed.set(button, { clientX, clientY, at });
    this.to.send({ type: "button", button, down: true, ...at });
  }

  /** @param {string} button @param {Place} place */
  release(button, place) {
    const start = this.#pressed.get(button);
    if (!start) return;
    this.#pressed.delete(button);
    const end = this.#pixelAt(place);
    this.to.send({ type: "button", button, down: false, ...end });
    const moved = Math.hypot(place.clientX - start.clientX, place.clientY - start.clientY) > SLACK;
    if (moved) this.to.log.drag(start.at, end, button);
    else this.to.log.click(start.at, button);
  }

  /** @param {string} button @param {Place} place */
  tap(button, place) {
    this.press(button, place);
    this.release(button, place);
  }

  /** @param {WheelEvent} event */
  #turn(event) {
    event.preventDefault();
    if (event.ctrlKey) { // a touch pad's pinch
      return this.to.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1, { x: event.clientX, y: event.clientY });
    }
    const notch = NOTCH[event.deltaMode] ?? NOTCH[0];
    this.turn(event.deltaX / notch, event.deltaY / notch, event);
  }

  /**
   * Turns the wheel.
   * @param {number} x Notches to the right.
   * @param {number} y Notches down. Partial notches add up.
   * @param {Place} place
   */
  turn(x, y, place) {
    this.#wheel.x += x;
    this.#wheel.y += y;
    for (const [axis, less, more] of /** @type {const} */ ([["x", "left", "right"], ["y", "up", "down"]])) {
      const notches = Math.trunc(this.#wheel[axis]);
      if (!notches) continue;
      this.#wheel[axis] -= notches;
      const direction = notches < 0 ? less : more, amount = Math.min(100, Math.abs(notches));
      const at = this.#pixelAt(place);
      this.to.send({ type: "scroll", direction, amount, ...at });
      this.to.log.scroll(direction, amount, at);
    }
  }
}
