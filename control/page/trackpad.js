/**
 * A finger as on a trackpad: it moves the pointer from its current position, taps click there, a tap followed
 * by a move drags, and two fingers click the right button.
 */

import { LONG_PRESS, SLACK } from "./touch.js";

/** Maximum time after a tap for a second touch to be a drag or a double click, in milliseconds. */
const AGAIN = 220;
/** Time without a move by this page after which it requests the pointer position again, in milliseconds. */
const FRESH = 1000;
/**
 * Picture pixels per pixel of finger movement: slow movement is precise, fast movement crosses the screen.
 */
const SPEED = { least: 0.6, most: 2.5 };

/** @typedef {import("./pointer.js").Pointer} Hand */
/** @typedef {import("./touch.js").Point} Point */

export class TrackpadFinger {
  /** @type {Point | undefined} The pointer position on the desktop; may lie between pixels. */ #point;
  #movedAt = -Infinity;
  /** Actions queue here for the pointer position. @type {Promise<unknown>} */ #turn = Promise.resolve();
  /** @type {{ x: number, y: number, at: number }} */ #last = { x: 0, y: 0, at: 0 };
  /** @type {"resting" | "moving" | "used"} */ #state = "used";
  /** Whether the button is held for a drag. */ #isDragging = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #long;
  /** @type {ReturnType<typeof setTimeout> | undefined} Releases the button after a tap. */ #tapped;

  /**
   * @param {Hand} hand
   * @param {{ position: () => Promise<Point>, bounds: () => Point & { width: number, height: number },
   *   reveal: (place: Point) => void }} to `position` requests the pointer position, `bounds` is the
   *   desktop, `reveal` moves the view.
   */
  constructor(hand, to) {
    this.hand = hand;
    this.to = to;
  }

  /** @param {PointerEvent} event */
  down({ clientX, clientY, timeStamp }) {
    this.#last = { x: clientX, y: clientY, at: timeStamp };
    this.#state = "resting";
    this.#isDragging = this.#tapped !== undefined;
    clearTimeout(this.#tapped);
    this.#tapped = undefined;
    if (!this.#isDragging) this.#locate(timeStamp);
    this.#long = setTimeout(() => {
      if (this.#isDragging) return;
      this.#state = "used";
      this.#do((place) => this.hand.tap("right", place));
    }, LONG_PRESS);
  }

  /** @param {PointerEvent} event */
  move({ clientX, clientY, timeStamp }) {
    if (this.#state === "used") return;
    const x = clientX - this.#last.x, y = clientY - this.#last.y, far = Math.hypot(x, y);
    if (this.#state === "resting" && far <= SLACK) return;
    clearTimeout(this.#long);
    this.#state = "moving";
    const speed = far / Math.max(1, timeStamp - this.#last.at);
    const factor = Math.min(SPEED.most, SPEED.least + speed) / this.#scale();
    this.#last = { x: clientX, y: clientY, at: timeStamp };
    this.#movedAt = timeStamp;
    this.#do(() => this.#moveBy(x * factor, y * factor));
  }

  up() {
    clearTimeout(this.#long);
    const wasTap = this.#state === "resting", wasDragging = this.#isDragging;
    this.#state = "used";
    this.#isDragging = false;
    if (wasDragging) this.#do((place) => this.hand.release("left", place));
    if (!wasTap) return;
    if (wasDragging) return this.#do((place) => this.hand.tap("left", place)); // a double click
    this.#do((place) => this.hand.press("left", place));
    this.#tapped = setTimeout(() => {
      this.#tapped = undefined;
      this.#do((place) => this.hand.release("left", place));
    }, AGAIN);
  }

  cancel() {
    clearTimeout(this.#long);
    clearTimeout(this.#tapped);
    this.#tapped = undefined;
    this.#state = "used";
    this.#isDragging = false;
    this.#do(() => this.hand.releaseAll());
  }

  twoTap() {
    this.#do((place) => this.hand.tap("right", place));
  }

  wheelAt() {
    return this.#place();
  }

  /** @param {number} now By `Event.timeStamp`. */
  #locate(now) {
    if (this.#point && now - this.#movedAt < FRESH) return;
    this.#turn = this.#turn.then(async () => this.#point = await this.to.position()).catch(() => {});
  }

  /** @param {(place: import("./touch.js").Place) => void} act */
  #do(act) {
    this.#turn = this.#turn.then(() => act(this.#place()));
  }

  /** @param {number} x In desktop pixels. @param {number} y */
  #moveBy(x, y) {
    const at = this.#point ?? this.#middle(), bounds = this.to.bounds();
    /** @param {number} value @param {number} from @param {number} size */
    const within = (value, from, size) => Math.max(from, Math.min(from + size - 1, value));
    this.#point = {
      x: within(at.x + x, bounds.x, bounds.width),
      y: within(at.y + y, bounds.y, bounds.height),
    };
    const place = this.#place();
    this.hand.drag(place);
    this.to.reveal({ x: place.clientX, y: place.clientY });
  }

  #place() {
    const { x, y } = this.#point ?? this.#middle();
    return this.hand.shownAt({ x: Math.round(x), y: Math.round(y) });
  }

  #middle() {
    const { x, y, width, height } = this.to.bounds();
    return { x: x + width / 2, y: y + height / 2 };
  }

  /** Page pixels per desktop pixel. */
  #scale() {
    const { canvas } = this.hand;
    return canvas.getBoundingClientRect().width / canvas.width;
  }
}

// Uses of one finger on the picture: it acts on the desktop, or only moves the view.

/** @typedef {import("./pointer.js").Pointer} Hand */
/** @typedef {import("./touch.js").Place} Place */

/**
 * A finger on the picture: it clicks with a tap, drags with a move, and presses the right button by resting.
 */
export class DirectFinger {
  /** @type {Place} */ #start = { clientX: 0, clientY: 0 };
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #long;
  /** Whether the finger was already used for something, so that it is not a tap. */ #used = false;

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

/** Moves the view if nothing may reach the desktop. */
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
