/**
 * A finger as on a trackpad: it moves the pointer from where it is, taps click there, a tap that is followed by a move
 * drags, two fingers click the right button.
 */

import { LONG_PRESS, SLACK } from "./touch.js";

/** A second touch within this time after a tap is a drag or a double click, in milliseconds. */
const AGAIN = 220;
/** The time without a move by this page after which it asks for the pointer's place again, in milliseconds. */
const FRESH = 1000;
/** Pixels of the picture for one of a finger: slow ones are fine, fast ones cross the screen. */
const SPEED = { least: 0.6, most: 2.5 };

/** @typedef {import("./pointer.js").Pointer} Hand */
/** @typedef {import("./touch.js").Point} Point */

export class TrackpadFinger {
  /** @type {Point | undefined} Where the pointer is on the desktop; may lie between pixels. */ #point;
  #movedAt = -Infinity;
  /** Actions wait here for the pointer's place. @type {Promise<unknown>} */ #turn = Promise.resolve();
  /** @type {{ x: number, y: number, at: number }} */ #last = { x: 0, y: 0, at: 0 };
  /** @type {"resting" | "moving" | "used"} */ #state = "used";
  /** Whether the button is down for a drag. */ #isDragging = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #long;
  /** @type {ReturnType<typeof setTimeout> | undefined} Releases the button after a tap. */ #tapped;

  /**
   * @param {Hand} hand
   * @param {{ position: () => Promise<Point>, bounds: () => Point & { width: number, height: number },
   *   reveal: (place: Point) => void }} to `position` asks where the pointer is, `bounds` is the desktop, `reveal` moves
   *   the view.
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

  /** @param {number} x In pixels of the desktop. @param {number} y */
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

  /** Pixels of the page for one of the desktop. */
  #scale() {
    const { canvas } = this.hand;
    return canvas.getBoundingClientRect().width / canvas.width;
  }
}

// Use of one finger on the picture: it touches the desktop, or only moves the view.

/** @typedef {import("./pointer.js").Pointer} Hand */
/** @typedef {import("./touch.js").Place} Place */

/** A finger on the picture: it clicks by a tap, drags by a move, and presses the right button by a rest. */
export class DirectFinger {
  /** @type {Place} */ #start = { clientX: 0, clientY: 0 };
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #long;
  /** Whether the finger was used for something, so that it is no tap. */ #used = false;

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
