/**
 * Fingers on the picture. One acts directly or like on a trackpad; two move and zoom the view, and turn the
 * wheel.
 */

/** Maximum movement of a shaking hand, in page pixels. */
export const SLACK = 6;
/** Time after which a resting finger means the right button, in milliseconds. */
export const LONG_PRESS = 550;
/** Maximum time between two fingers touching and leaving for a tap, in milliseconds. */
const TAP = 300;
/** Two-finger movement per wheel notch, in page pixels. */
const FINGER_NOTCH = 30;
/** How far fingers must spread before the view is zoomed, in page pixels. */
const PINCH = 12;

/** @typedef {{ clientX: number, clientY: number }} Place A page position. */
/** @typedef {{ x: number, y: number }} Point A desktop pixel, or a position or distance on the page. */
/**
 * The effects of one finger.
 * @typedef {{ down: (event: PointerEvent) => void, move: (event: PointerEvent) => void,
 *   up: (event: PointerEvent) => void, cancel: () => void, twoTap: () => void,
 *   wheelAt: (event: PointerEvent) => Place }} Finger `cancel` ends the gesture at its place, since a second finger
 * came; `wheelAt` gives the place of the wheel for two fingers.
 */

export class Touch {
  /** @type {Map<number, Point>} Fingers that are down. */ #fingers = new Map();
  /** @type {{ distance: number, x: number, y: number } | undefined} */ #pair;
  /** Runs while two fingers may still be a tap. @type {ReturnType<typeof setTimeout> | undefined} */ #twoTap;
  /** @type {Finger} */ #finger;

  /**
   * @param {() => Finger} choose Returns the effects of the next finger.
   * @param {{ turn: (x: number, y: number, place: Place) => void, zoom: (factor: number, at: Point) => void,
   *   pan: (by: Point) => Point }} to `pan` moves the view with its content, and returns the distance that it could not move.
   */
  constructor(choose, to) {
    this.choose = choose;
    this.to = to;
    this.#finger = choose();
  }

  /** @param {PointerEvent} event */
  down(event) {
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#fingers.size > 1) {
      this.#finger.cancel();
      this.#pair = this.#pairOf();
      this.#endTap();
      if (this.#fingers.size === 2) this.#twoTap = setTimeout(() => this.#endTap(), TAP);
      return;
    }
    this.#finger = this.choose();
    this.#finger.down(event);
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.#fingers.has(event.pointerId)) return;
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#fingers.size === 1) this.#finger.move(event);
    else this.#two(event);
  }

  /** @param {PointerEvent} event */
  up(event) {
    this.#fingers.delete(event.pointerId);
    this.#pair = undefined;
    if (this.#fingers.size) return;
    if (this.#twoTap !== undefined) this.#finger.twoTap();
    this.#endTap();
    this.#finger.up(event);
  }

  /** @param {PointerEvent} event */
  cancel(event) {
    this.#fingers.delete(event.pointerId);
    this.#pair = undefined;
    this.#endTap();
    this.#finger.cancel();
  }

  /** Called when a two-finger gesture is not a tap. */
  #endTap() {
    clearTimeout(this.#twoTap);
    this.#twoTap = undefined;
  }

  /** @param {PointerEvent} event */
  #two(event) {
    const before = this.#pair, now = this.#pairOf();
    if (!before || !now) return;
    if (Math.hypot(now.x - before.x, now.y - before.y) > SLACK) this.#endTap();
    if (Math.abs(now.distance - before.distance) > PINCH) {
      this.to.zoom(now.distance / before.distance, now);
      this.#pair = now;
      this.#endTap();
    }
    // The content follows the fingers, first the view's and then the desktop's: dragging down scrolls back
    // up.
    const rest = this.to.pan({ x: now.x - before.x, y: now.y - before.y });
    this.#pair = { ...now, distance: this.#pair?.distance ?? now.distance };
    this.to.turn(-rest.x / FINGER_NOTCH, -rest.y / FINGER_NOTCH, this.#finger.wheelAt(event));
  }

  #pairOf() {
    const [a, b] = [...this.#fingers.values()];
    if (!a || !b) return undefined;
    return { distance: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }
}
