/** Selects one display or all, if the desktop has several. The selection is stored for next time. */

import { ask } from "./api.js";
import { element, recall, remember } from "./status.js";

/** The value that selects all displays; no display has an empty name. */
const ALL = "";

/** @typedef {import("./live.js").Region} Region */
/** @typedef {Region & { name: string }} Display */

export class Displays {
  /** @type {Display[]} */ #displays = [];

  /**
   * @param {HTMLSelectElement} choice Its label is hidden while there is only one display.
   * @param {(display: Display | undefined) => void} show Receives the selected display; undefined stands for
   * all.
   */
  constructor(choice, show) {
    this.choice = choice;
    this.show = show;
    choice.addEventListener("change", () => {
      remember("display", choice.value);
      this.#choose();
    });
  }

  /** Requests the list of displays. */
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

// Picture quality, which is stored for next time.

/**
 * Lets the person choose.
 * @param {HTMLSelectElement} choice
 * @param {(quality: string) => void} chosen Called immediately, and on each selection.
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

// Full screen, in which the desktop also receives the keys that browsers and systems normally reserve, if
// they allow it.

/** @typedef {{ lock?: () => Promise<void>, unlock?: () => void }} KeyboardLock */

export class FullScreen {
  /**
   * @param {HTMLButtonElement} button
   * @param {HTMLElement} handle Shows and hides the bar in full screen.
   * @param {{ notice: (message: string) => void, acts: () => boolean, changed: () => void }} to `acts` says
   * whether keys go to the desktop.
   */
  constructor(button, handle, to) {
    this.button = button;
    this.handle = handle;
    this.to = to;
    button.hidden = !document.fullscreenEnabled; // iPhones support full screen only for videos
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
    // With the keyboard lock, the page also receives Alt+Tab, Super and Escape, and holding Escape leaves
    // full screen. Only Chromium has the lock, on pages from this machine or with TLS.
    if (isFull && this.to.acts()) keyboard?.lock?.().catch(() => {});
    else keyboard?.unlock?.();
  }

  /** @param {boolean} isShown */
  #showBar(isShown) {
    document.body.classList.toggle("bar-shown", isShown);
    this.handle.setAttribute("aria-expanded", String(isShown));
  }
}

// On an upright phone, the picture may fill the height of the screen. The choice is stored for next time.

/** How long the offer stays, in milliseconds. */
const OFFER = 8000;
/** Maximum time, in milliseconds, and distance, in page pixels, between the taps of a double tap. */
const DOUBLE = { time: 350, way: 40 };

/** @typedef {import("./touch.js").Point} Point */
/** @typedef {import("./view.js").View} View */

/** Connects the view with its button, the offer, and double taps that are not double clicks. */
export class Filling {
  /** @type {Point & { at: number } | undefined} */ #last;
  #offered = recall("fill") !== undefined;

  /**
   * @param {View} view
   * @param {() => boolean} acts Whether taps on the picture reach the desktop.
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

  /** Shows whether the picture fills the height, after the view was laid out. */
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
    // On the picture, a double tap is the desktop's double click.
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

  /** @param {Point} [at] The page position whose pixel stays in place; the middle if left out. */
  #toggle(at) {
    const { view } = this;
    if (view.fills) view.fit();
    else view.fill(at);
    remember("fill", view.fills ? "on" : "off");
    element("offer").hidden = true;
    this.#offered = true;
  }
}
