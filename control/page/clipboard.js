/** The clipboard of the desktop: its text and pictures, both ways, in a panel. */

import { call, noticed } from "./api.js";
import { pngOf } from "./clipboard_keys.js";
import { copyText } from "./copy_text.js";
import { element } from "./element.js";
import { foldPanel } from "./folding.js";

export class Clipboard {
  /** @param {{ notice: (message: string) => void, type: (text: string) => void }} to */
  constructor(to) {
    this.to = to;
    this.text = /** @type {HTMLTextAreaElement} */ (element("clipboard-text"));
    this.picture = /** @type {HTMLImageElement} */ (element("clipboard-picture"));
    foldPanel(element("clipboard"), element("clipboard-panel"), () => this.#try(() => this.#fetch()));
    element("clipboard-fetch").addEventListener("click", () => this.#try(() => this.#fetch()));
    element("clipboard-send").addEventListener(
      "click",
      () => this.#try(() => this.#send(this.text.value, "The text is on the desktop's clipboard")),
    );
    element("clipboard-type").addEventListener("click", () => this.text.value && to.type(this.text.value));
    this.text.addEventListener("paste", (event) => {
      const file = event.clipboardData?.files[0];
      if (!file || !/^image\//.test(file.type)) return; // a text goes into the field
      event.preventDefault();
      this.#try(async () => this.#send(await pngOf(file), "The picture is on the desktop's clipboard"));
    });
  }

  /** Shows the content of the desktop's clipboard; a text is copied on this device too, where the browser allows it. */
  async #fetch() {
    const before = this.text.value;
    const { text = "", types } = await (await call("GET", "/api/clipboard")).json();
    if (this.text.value === before) this.text.value = text; // keeps text that was typed since
    const isPicture = types.includes("png");
    this.picture.hidden = !isPicture;
    URL.revokeObjectURL(this.picture.src);
    if (isPicture) {
      this.picture.src = URL.createObjectURL(await (await call("GET", "/api/clipboard?format=png")).blob());
    }
    if (text) await copyText(text).catch(() => {}); // without permission the field has the text
    this.text.focus();
  }

  /** @param {string | Blob} content @param {string} done */
  async #send(content, done) {
    await call("PUT", "/api/clipboard", typeof content === "string" ? { text: content } : content);
    this.to.notice(done);
  }

  /** @param {() => Promise<void>} act */
  #try(act) {
    return noticed(this.to.notice, act);
  }
}
