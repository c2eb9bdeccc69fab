/** Mouse and touch on the picture for the desktop. */

/** By `PointerEvent.button`, with its bit in `buttons` (Pointer Events, section 4.1.1). */
const BUTTONS =
  /** @type {const} */ ([["left", 1], ["middle", 4], ["right", 2], ["back", 8], ["forward", 16]]);
/** A hand shakes by this many pixels of the page. */
const SLACK = 6;
/** A finger that rests this long means the right button, in milliseconds. */
const LONG_PRESS = 550;
/** A notch of the wheel in pixels, by WheelEvent.deltaMode: pixels, lines, pages. */
const NOTCH = [100, 3, 1];
/** A notch for two fingers, in pixels of the page. */
const FINGER_NOTCH = 30;

/** @typedef {{ clientX: number, clientY: number }} Place A place of the page. */
/** @typedef {{ x: number, y: number }} Point */

export class Pointer {
  /** @type {Map<number, { x: number, y: number }>} Fingers that are down. */ #fingers = new Map();
  /** @type {Map<string, Place & { at: Point }>} Buttons that are down, with where they went down. */
  #pressed = new Map();
  /** @type {Place} Where what presses them was last. */ #last = { clientX: 0, clientY: 0 };
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #long;
  #wheel = { x: 0, y: 0 };
  /** @type {{ distance: number, x: number, y: number } | undefined} */ #pair;
  #touchUsed = false;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{ send: (message: object) => boolean, zoom: (factor: number, at: Point) => void,
   *   pan: (by: Point) => Point, region: () => Point, log: import("./log.js").Log }} to `pan` moves the view with
   *   what is in it, and gives what there was no room for.
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
   * @param {Place} event
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

  /** Releases every button. */
  releaseAll() {
    for (const button of [...this.#pressed.keys()]) this.#release(button, this.#last);
  }

  /** @param {PointerEvent} event */
  #down(event) {
    event.preventDefault();
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") return this.#fingerDown(event);
    this.#mouse(event);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (event.pointerType === "touch") return this.#fingerMove(event);
    this.#mouse(event);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    event.preventDefault(); // else the back button leaves the page
    if (event.pointerType === "touch") return this.#fingerUp(event);
    this.#mouse(event);
  }

  /** @param {PointerEvent} event */
  #cancel(event) {
    clearTimeout(this.#long);
    this.#fingers.delete(event.pointerId);
    this.releaseAll();
  }

  /**
   * A second button that goes down or up while one is down comes as a move (Pointer Events, section 4.1.1.3).
   * @param {PointerEvent} event
   */
  #mouse(event) {
    const [button, bit] = BUTTONS[event.button] ?? ["", 0];
    const isNew = (event.buttons & bit) !== 0 && !this.#pressed.has(button);
    // One that went down elsewhere on the page is none of the desktop's.
    const goesDown = isNew && (event.type === "pointerdown" || this.#pressed.size > 0);
    const goUp = BUTTONS.filter(([name, bit]) => this.#pressed.has(name) && !(event.buttons & bit));
    for (const [name] of goUp) this.#release(name, event);
    if (goesDown) this.#press(button, event);
    else if (!goUp.length) this.#drag(event);
  }

  /** @param {Place} place */
  #drag(place) {
    this.#last = place;
    this.to.send({ type: "move", ...this.place(place) });
  }

  /** @param {string} button @param {Place} place */
  #press(button, place) {
    const { clientX, clientY } = this.#last = place, at = this.place(place);
    this.#pressed.set(button, { clientX, clientY, at });
    this.to.send({ type: "button", button, down: true, ...at });
  }

  /** @param {string} button @param {Place} place */
  #release(button, place) {
    const start = this.#pressed.get(button);
    if (!start) return;
    this.#pressed.delete(button);
    const end = this.place(place);
    this.to.send({ type: "button", button, down: false, ...end });
    const moved = Math.hypot(place.clientX - start.clientX, place.clientY - start.clientY) > SLACK;
    if (moved) this.to.log.drag(start.at, end, button);
    else this.to.log.click(start.at, button);
  }

  /** @param {string} button @param {PointerEvent} event */
  #tap(button, event) {
    this.#press(button, event);
    this.#release(button, event);
  }

  /** @param {PointerEvent} event */
  #fingerDown(event) {
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    clearTimeout(this.#long);
    if (this.#fingers.size > 1) {
      this.#touchUsed = true;
      this.releaseAll(); // where the first finger is
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
      if (this.#pressed.size) this.#drag(event);
      return;
    }
    if (Math.hypot(event.clientX - start.x, event.clientY - start.y) <= SLACK) return;
    clearTimeout(this.#long);
    this.#touchUsed = true;
    this.#press("left", { clientX: start.x, clientY: start.y });
    this.#drag(event);
  }

  /** @param {PointerEvent} event */
  #fingerUp(event) {
    clearTimeout(this.#long);
    this.#fingers.delete(event.pointerId);
    this.#pair = undefined;
    if (this.#pressed.size) this.#release("left", event);
    else if (!this.#touchUsed) this.#tap("left", event);
  }

  /** @param {PointerEvent} event */
  #twoFingers(event) {
    const before = this.#pair, now = this.#pairOf();
    if (!before || !now) return;
    if (Math.abs(now.distance - before.distance) > 12) {
      this.to.zoom(now.distance / before.distance, now);
      this.#pair = now;
    }
    // The content goes with the fingers, first the view's and then the desktop's: down is back up.
    const rest = this.to.pan({ x: now.x - before.x, y: now.y - before.y });
    this.#wheel.x -= rest.x / FINGER_NOTCH;
    this.#wheel.y -= rest.y / FINGER_NOTCH;
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
    if (event.ctrlKey) { // a touch pad's pinch
      return this.to.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1, { x: event.clientX, y: event.clientY });
    }
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
      this.to.send({ type: "scroll", direction, amount, ...at });
      this.to.log.scroll(direction, amount, at);
    }
  }
}
