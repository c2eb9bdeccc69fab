/** Choice of one display or all, where the desktop has several. It is kept for the next time. */

import { ask } from "./api.js";
import { recall, remember } from "./remembered.js";

/** The value of the choice of all displays; no display has an empty name. */
const ALL = "";

/** @typedef {import("./live.js").Region} Region */
/** @typedef {Region & { name: string }} Display */

export class Displays {
  /** @type {Display[]} */ #displays = [];

  /**
   * @param {HTMLSelectElement} choice Hidden while there is one display.
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
    this.choice.hidden = displays.length < 2;
    const kept = recall("display") ?? ALL;
    this.choice.value = names.includes(kept) && displays.length > 1 ? kept : ALL;
    this.#choose();
  }

  #choose() {
    this.show(this.#displays.find(({ name }) => name === this.choice.value));
  }
}
