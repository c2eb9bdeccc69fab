/** A phone upright: the picture may fill the height of its glass. The choice is kept for the next time. */

import { element } from "./element.js";
import { recall, remember } from "./remembered.js";

/** The time that the offer stays, in milliseconds. */
const OFFER = 8000;
/** Two taps within this time are a double tap, in milliseconds, and within this way, in pixels of the page. */
const DOUBLE = { time: 350, way: 40 };

/** @typedef {import("./touch.js").Point} Point */
/** @typedef {import("./view.js").View} View */

/** Joins the view with its button, the offer, and double taps where they are no double click. */
export class Filling {
  /** @type {Point & { at: number } | undefined} */ #last;
  #offered = recall("fill") !== undefined;

  /**
   * @param {View} view
   * @param {() => boolean} acts Tells whether taps on the picture reach the desktop.
   */
  constructor(view, acts) {
    this.view = view;
    this.acts = acts;
    if (recall("fill") === "on") view.fill();
    element("fill").addEventListener("click", () => this.#toggle());
    element("offer-fill").addEventListener("click", () => this.#toggle());
    view.stage.addEventListener("pointerup", (event) => {
      if (event.pointerType === "touch") this.#tapped(event);
    });
  }

  /** Shows the chosen filling, after the view was laid out. */
  show() {
    const { view } = this;
    document.body.classList.toggle("tall", view.isTall);
    element("fill").setAttribute("aria-pressed", String(view.isTall && !view.isFitted && view.fills));
    if (!view.isTall) element("offer").hidden = true;
  }

  /** @param {PointerEvent} event */
  #tapped({ clientX: x, clientY: y, target, timeStamp: at }) {
    if (!this.view.isTall) return;
    if (!this.#offered) this.#offer();
    // On the picture a double tap is the desktop's double click.
    if (target === this.view.canvas && this.acts()) return;
    const last = this.#last;
    const isDouble = last && at - last.at < DOUBLE.time && Math.hypot(x - last.x, y - last.y) < DOUBLE.way;
    this.#last = isDouble ? undefined : { x, y, at };
    if (isDouble) this.#toggle({ x, y });
  }

  #offer() {
    this.#offered = true;
    const offer = element("offer");
    offer.hidden = false;
    setTimeout(() => offer.hidden = true, OFFER);
  }

  /** @param {Point} [at] The place of the page whose pixel stays where it is; the middle if left out. */
  #toggle(at) {
    const { view } = this;
    if (view.fills) view.fit();
    else view.fill(at);
    remember("fill", view.fills ? "on" : "off");
    element("offer").hidden = true;
    this.#offered = true;
  }
}
