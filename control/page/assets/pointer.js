/** Mouse and touch on the picture for the desktop. */

const BUTTONS = ["left", "middle", "right", "back", "forward"];
/** A hand shakes by this many pixels of the page. */
const SLACK = 6;
/** A finger that rests this long means the right button, in milliseconds. */
const LONG_PRESS = 550;
/** A notch of the wheel in pixels, by WheelEvent.deltaMode: pixels, lines, pages. */
const NOTCH = [100, 3, 1];
/** A notch for two fingers, in pixels of the page. */
const FINGER_NOTCH = 30;

export class Pointer {
  /** @type {Map<number, { x: number, y: number }>} Fingers that are down. */ #fingers = new Map();
  /** @type {{ button: string, x: number, y: number, at: { x: number, y: number } } | undefined} */ #pressed;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #long;
  #wheel = { x: 0, y: 0 };
  /** @type {{ distance: number, x: number, y: number } | undefined} */ #pair;
  #touchUsed = false;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{ send: (message: object) => boolean, zoom: (factor: number) => void,
   *   region: () => { x: number, y: number }, log: import("./log.js").Log }} to
   */
  constructor(canvas, to) {
    this.canvas = canvas;
    this.to = to;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", (event) => this.#cancel(event));
    canvas.addEventListener("wheel", (event) => this.#turn(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("auxclick", (event) => event.preventDefault());
  }

  /**
   * The pixel of the desktop under a place of the page.
   * @param {{ clientX: number, clientY: number }} event
   */
  place({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect(), { x, y } = this.to.region();
    const scale = (/** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ pixels) =>
      Math.max(0, Math.min(pixels - 1, Math.floor(at * pixels / size)));
    return {
      x: x + scale(clientX - box.left, box.width, this.canvas.width),
      y: y + scale(clientY - box.top, box.height, this.canvas.height),
    };
  }

  /** @param {PointerEvent} event */
  #down(event) {
    event.preventDefault();
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") return this.#fingerDown(event);
    this.#press(BUTTONS[[0, 1, 2, 3, 4][event.button] ?? 0], event);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (event.pointerType === "touch") return this.#fingerMove(event);
    // A second button that goes down or up while one is down comes as a move (Pointer Events, section 4.1.1).
    this.to.send({ type: "move", ...this.place(event) });
  }

  /** @param {PointerEvent} event */
  #up(event) {
    if (event.pointerType === "touch") return this.#fingerUp(event);
    this.#release(event);
  }

  /** @param {PointerEvent} event */
  #cancel(event) {
    clearTimeout(this.#long);
    this.#fingers.delete(event.pointerId);
    if (this.#pressed) this.#release(event);
  }

  /** @param {string} button @param {PointerEvent} event */
  #press(button, event) {
    const at = this.place(event);
    this.#pressed = { button, x: event.clientX, y: event.clientY, at };
    this.to.send({ type: "button", button, down: true, ...at });
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const pressed = this.#pressed;
    if (!pressed) return;
    this.#pressed = undefined;
    const end = this.place(event);
    this.to.send({ type: "button", button: pressed.button, down: false, ...end });
    const moved = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > SLACK;
    if (moved) this.to.log.drag(pressed.at, end, pressed.button);
    else this.to.log.click(pressed.at, pressed.button);
  }

  /** @param {string} button @param {PointerEvent} event */
  #tap(button, event) {
    this.#press(button, event);
    this.#release(event);
  }

  /** @param {PointerEvent} event */
  #fingerDown(event) {
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    clearTimeout(this.#long);
    if (this.#fingers.size > 1) {
      this.#touchUsed = true;
      if (this.#pressed) this.#release(event);
      this.#pair = this.#pairOf();
      return;
    }
    this.#touchUsed = false;
    this.#long = setTimeout(() => {
      this.#touchUsed = true;
      this.#tap("right", event);
    }, LONG_PRESS);
  }

  /** @param {PointerEvent} event */
  #fingerMove(event) {
    const start = this.#fingers.get(event.pointerId);
    if (!start) return;
    if (this.#fingers.size > 1) {
      this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      return this.#twoFingers(event);
    }
    if (this.#touchUsed) {
      if (this.#pressed) this.to.send({ type: "move", ...this.place(event) });
      return;
    }
    if (Math.hypot(event.clientX - start.x, event.clientY - start.y) <= SLACK) return;
    clearTimeout(this.#long);
    this.#touchUsed = true;
    const from = new PointerEvent("pointerdown", { clientX: start.x, clientY: start.y });
    this.#press("left", from);
  }

  /** @param {PointerEvent} event */
  #fingerUp(event) {
    clearTimeout(this.#long);
    this.#fingers.delete(event.pointerId);
    this.#pair = undefined;
    if (this.#pressed) this.#release(event);
    else if (!this.#touchUsed) this.#tap("left", event);
  }

  /** @param {PointerEvent} event */
  #twoFingers(event) {
    const before = this.#pair, now = this.#pairOf();
    if (!before || !now) return;
    if (Math.abs(now.distance - before.distance) > 12) {
      this.to.zoom(now.distance / before.distance);
      this.#pair = now;
    }
    // The content goes with the fingers: down is back up.
    this.#wheel.x -= (now.x - before.x) / FINGER_NOTCH;
    this.#wheel.y -= (now.y - before.y) / FINGER_NOTCH;
    this.#pair = { ...now, distance: this.#pair?.distance ?? now.distance };
    this.#sendWheel(event);
  }

  #pairOf() {
    const [a, b] = [...this.#fingers.values()];
    if (!a || !b) return undefined;
    return { distance: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  /** @param {WheelEvent} event */
  #turn(event) {
    event.preventDefault();
    if (event.ctrlKey) return this.to.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1); // a touch pad's pinch
    const notch = NOTCH[event.deltaMode] ?? NOTCH[0];
    this.#wheel.x += event.deltaX / notch;
    this.#wheel.y += event.deltaY / notch;
    this.#sendWheel(event);
  }

  /** @param {MouseEvent} event */
  #sendWheel(event) {
    for (const [axis, less, more] of /** @type {const} */ ([["x", "left", "right"], ["y", "up", "down"]])) {
      const notches = Math.trunc(this.#wheel[axis]);
      if (!notches) continue;
      this.#wheel[axis] -= notches;
      const direction = notches < 0 ? less : more, amount = Math.min(100, Math.abs(notches));
      const at = this.place(event);
      this.to.send({ type: "wheel", direction, amount, ...at });
      this.to.log.scroll(direction, amount, at);
    }
  }
}
