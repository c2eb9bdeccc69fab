/** Choice of one display or all, where the desktop has several. It is kept for the next time. */

import { ask } from "./api.js";
import { element, recall, remember } from "./status.js";

/** The value of the choice of all displays; no display has an empty name. */
const ALL = "";

/** @typedef {import("./live.js").Region} Region */
/** @typedef {Region & { name: string }} Display */

export class Displays {
  /** @type {Display[]} */ #displays = [];

  /**
   * @param {HTMLSelectElement} choice Its label is hidden while there is one display.
   * @param {(display: Display | undefined) => void} show Gets the display that is chosen; undefined stands for all.
   */
  constructor(choice, show) {
    this.choice = choice;
    this.show = show;
    choice.addEventListener("change", () => {
      remember("display", choice.value);
      this.#choose();
    });
  }

  /** Asks for the list of displays. */
  async look() {
    const { displays } = await ask("/api/screen");
    this.#displays = displays;
    const names = [ALL, ...this.#displays.map(({ name }) => name)];
    this.choice.replaceChildren(...names.map((name) => new Option(name || "All displays", name)));
    element("display-choice").hidden = displays.length < 2;
    const kept = recall("display") ?? ALL;
    this.choice.value = names.includes(kept) && displays.length > 1 ? kept : ALL;
    this.#choose();
  }

  #choose() {
    this.show(this.#displays.find(({ name }) => name === this.choice.value));
  }
}

// The quality of the picture: a choice that is kept for the next time.

/**
 * Lets the person choose.
 * @param {HTMLSelectElement} choice
 * @param {(quality: string) => void} chosen Called at once, and with each choice.
 */
export function chooseQuality(choice, chosen) {
  const kept = recall("quality") ?? "";
  if ([...choice.options].some(({ value }) => value === kept)) choice.value = kept;
  choice.addEventListener("change", () => {
    remember("quality", choice.value);
    chosen(choice.value);
  });
  chosen(choice.value);
}

// Full screen, in which the desktop also gets the keys that browsers and systems normally keep, if they allow
// it.

/** @typedef {{ lock?: () => Promise<void>, unlock?: () => void }} KeyboardLock */

export class FullScreen {
  /**
   * @param {HTMLButtonElement} button
   * @param {HTMLElement} handle Shows and hides the bar in full screen.
   * @param {{ notice: (message: string) => void, acts: () => boolean, changed: () => void }} to `acts` says whether
   *   keys go to the desktop.
   */
  constructor(button, handle, to) {
    this.button = button;
    this.handle = handle;
    this.to = to;
    button.hidden = !document.fullscreenEnabled; // an iPhone has full screen for films alone
    button.addEventListener("click", () => this.#toggle());
    handle.addEventListener("click", () => this.#showBar(!document.body.classList.contains("bar-shown")));
    document.addEventListener("fullscreenchange", () => this.#changed());
  }

  async #toggle() {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await document.documentElement.requestFullscreen({ navigationUI: "hide" });
    } catch (error) {
      this.to.notice(`Full screen: ${/** @type {Error} */ (error).message}`);
    }
  }

  #changed() {
    const isFull = document.fullscreenElement !== null;
    this.button.setAttribute("aria-pressed", String(isFull));
    this.#showBar(false);
    this.to.changed();
    const { keyboard } = /** @type {Navigator & { keyboard?: KeyboardLock }} */ (navigator);
    // With the keyboard lock the page gets Alt+Tab, Super and Escape too, and holding Escape leaves full screen. Only
    // Chromium has the lock, on pages of this machine or with TLS.
    if (isFull && this.to.acts()) keyboard?.lock?.().catch(() => {});
    else keyboard?.unlock?.();
  }

  /** @param {boolean} isShown */
  #showBar(isShown) {
    document.body.classList.toggle("bar-shown", isShown);
    this.handle.setAttribute("aria-expanded", String(isShown));
  }
}

// A phone upright: the picture may fill the height of its glass. The choice is kept for the next time.

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
