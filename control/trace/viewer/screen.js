/** The screen at a moment: pictures from the last key picture on, drawn one after the other. */

import { Picture } from "../../page/picture.js";

/** @param {string} text Base64. @returns {Uint8Array<ArrayBuffer>} */
function decoded(text) {
  // @ts-ignore: newer than the types of some browsers
  return Uint8Array.fromBase64
    ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

export class Screen {
  /** @type {number} The picture that is shown; -1 at first. */ shown = -1;
  #wanted = 0;
  /** @type {Promise<void> | undefined} */ #drawing;

  /** @param {HTMLCanvasElement} canvas @param {import("./store.js").Store} store */
  constructor(canvas, store) {
    this.canvas = canvas;
    this.store = store;
    this.picture = new Picture(canvas);
  }

  /**
   * Shows a moment; a later request for another moment replaces this one.
   * @param {number} t
   * @returns {Promise<void>}
   */
  async show(t) {
    this.#wanted = t;
    await (this.#drawing ??= this.#draw().finally(() => this.#drawing = undefined));
  }

  async #draw() {
    for (;;) {
      const t = this.#wanted;
      await this.#drawTo(this.store.frameAt(t));
      if (t === this.#wanted) return;
    }
  }

  /** @param {number} last */
  async #drawTo(last) {
    const { frames } = this.store;
    let key = last;
    while (key >= 0 && !frames[key].key) key--;
    if (key < 0 || last === this.shown) return;
    const goesOn = this.shown >= key && this.shown < last;
    if (!goesOn) {
      const screen = this.store.screenAt(key);
      if (screen) await this.picture.resize(screen);
    }
    for (let at = goesOn ? this.shown + 1 : key; at <= last; at++) {
      const { screen, text } = frames[at];
      if (screen) await this.picture.resize(screen);
      else if (text !== undefined) await this.#drawOne(text);
    }
    this.shown = last;
  }

  /** @param {string} text */
  async #drawOne(text) {
    try {
      await this.picture.draw(decoded(text).buffer);
    } catch {
      // The file ends within this picture.
    }
  }
}
