/**
 * Synchronizes the clipboards of this device and the desktop when keys copy or paste: content that Ctrl+C
 * copies on the desktop is copied to this device, if the browser allows it; this device's content is sent to
 * the desktop before Ctrl+V.
 */

import { ApiError, call, noticed } from "./api.js";
import { foldPanel } from "./folding.js";
import { copyText, element } from "./status.js";

/** Delays between checks for a copy on the desktop's clipboard, in milliseconds. */
const LOOKS = [80, 150, 300, 500, 1000];
/** Keys that copy with Control. */
const COPIES = /^(c|x|insert)$/i;

/** @typedef {{ text?: string, picture?: Blob }} Content */

/** A text that differs if the contents differ. @param {Content} content */
const markOf = ({ text, picture }) => picture ? `picture ${picture.size}` : `text ${text ?? ""}`;

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Converts a picture to PNG, which the desktop accepts.
 * @param {Blob} picture
 * @returns {Promise<Blob>}
 */
async function pngOf(picture) {
  if (picture.type === "image/png") return picture;
  const bitmap = await createImageBitmap(picture);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  return await canvas.convertToBlob({ type: "image/png" });
}

/** @returns {Promise<Content>} What is on the desktop's clipboard. */
async function desktopContent() {
  const { text, types } = await (await call("GET", "/api/clipboard")).json();
  if (text !== undefined || !types.includes("png")) return { text };
  return { picture: await (await call("GET", "/api/clipboard?format=png")).blob() };
}

/** @param {Content} content */
async function copyHere({ text, picture }) {
  if (picture) await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
  else await copyText(text ?? "");
}

export class ClipboardKeys {
  #isControlDown = false;
  /** The content of both clipboards when they were last equal. */ #alike = "";
  /** @type {Promise<Content | undefined>} The desktop's content when Control went down. */
  #before = Promise.resolve(undefined);
  /** Whether the desktop has no clipboard. */ #isOff = false;

  /** @param {{ notice: (message: string) => void, type: (text: string) => void }} to */
  constructor(to) {
    this.to = to;
  }

  /**
   * Records a message that was sent to the desktop.
   * @param {{ type: string, key?: string, down?: boolean }} message
   */
  sent({ type, key = "", down = false }) {
    if (type === "release") this.#isControlDown = false;
    if (type !== "key" || this.#isOff) return;
    if (/ctrl$/.test(key)) {
      this.#isControlDown = down;
      if (down) this.#before = desktopContent().catch((error) => this.#failed(error));
    } else if (down && this.#isControlDown && COPIES.test(key)) this.#copied();
  }

  /**
   * Sends this device's content to the desktop's clipboard.
   * @param {DataTransfer | null} data From the browser's paste event.
   * @param {() => void} press Presses the keys that paste on the desktop.
   */
  async paste(data, press) {
    const text = data?.getData("text"),
      file = [...data?.files ?? []].find(({ type }) => /^image\//.test(type));
    if (!text && !file) return press(); // pastes the desktop's own content
    try {
      const content = text ? { text } : { picture: await pngOf(/** @type {File} */ (file)) };
      const mark = markOf(content);
      // Keeps content that the desktop has copied since, unless this device has new content.
      if (mark !== this.#alike) await call("PUT", "/api/clipboard", content.picture ?? { text });
      this.#alike = mark;
      press();
    } catch (error) {
      if (text) this.to.type(text); // a desktop without a clipboard
      else this.to.notice(/** @type {Error} */ (error).message);
    }
  }

  /** Copies new content of the desktop's clipboard to this device. */
  async #copied() {
    const before = await this.#before;
    if (!before) return;
    for (const pause of LOOKS) {
      await sleep(pause);
      const now = await desktopContent().catch(() => undefined);
      if (!now || markOf(now) === markOf(before)) continue;
      this.#before = Promise.resolve(now);
      this.#alike = markOf(now);
      return await copyHere(now).catch(() =>
        this.to.notice(
          "Copied on the desktop; this browser does not allow the page to copy it here: see Clipboard",
        )
      );
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    if (error instanceof ApiError && error.status === 501) this.#isOff = true;
    return undefined;
  }
}

// The panel for the desktop's clipboard: text and pictures, in both directions.

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
      if (!file || !/^image\//.test(file.type)) return; // a text goes to the field
      event.preventDefault();
      this.#try(async () => this.#send(await pngOf(file), "The picture is on the desktop's clipboard"));
    });
  }

  /**
   * Shows the content of the desktop's clipboard; a text is also copied to this device, if the browser allows
   * it.
   */
  async #fetch() {
    const before = this.text.value;
    const { text = "", types } = await (await call("GET", "/api/clipboard")).json();
    if (this.text.value === before) this.text.value = text; // keeps text typed since then
    const isPicture = types.includes("png");
    this.picture.hidden = !isPicture;
    URL.revokeObjectURL(this.picture.src);
    if (isPicture) {
      this.picture.src = URL.createObjectURL(await (await call("GET", "/api/clipboard?format=png")).blob());
    }
    if (text) await copyText(text).catch(() => {}); // without permission, the text is at least in the field
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
