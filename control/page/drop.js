/** Files that are dropped on the picture go to the served folder, one after the other. */

import { authorization } from "./api.js";
import { sendWhole } from "../../http/page/resumed_upload.js";

/** The time that the place of a file stays on the page, in milliseconds. */
const SAID = 12_000;

export class Drop {
  /** @type {File[]} */ #waiting = [];
  #isBusy = false;

  /**
   * @param {HTMLElement} stage Gets the files.
   * @param {HTMLElement} list Gets a line for each.
   * @param {() => boolean} acts Tells whether this page may do more than look.
   */
  constructor(stage, list, acts) {
    this.list = list;
    stage.addEventListener("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = acts() ? "copy" : "none";
    });
    stage.addEventListener("drop", (event) => {
      const files = [...event.dataTransfer?.files ?? []];
      if (!files.length) return;
      event.preventDefault();
      if (!acts()) return;
      this.#waiting.push(...files);
      this.#sendAll();
    });
    addEventListener("beforeunload", (event) => {
      if (this.#isBusy) event.preventDefault();
    });
  }

  async #sendAll() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let file = this.#waiting.shift(); file; file = this.#waiting.shift()) await this.#send(file);
    this.#isBusy = false;
  }

  /** @param {File} file */
  async #send(file) {
    const { row, show, say } = this.#row(file.name);
    const { status, text } = await sendWhole(`/api/file?name=${encodeURIComponent(file.name)}`, file, {
      headers: authorization(),
      show: (sent) => show(file.size ? sent / file.size : 1),
      waits: () => say("waiting for the network"),
    });
    const { path, error = "the upload failed" } = parsed(text);
    row.textContent = path && status !== 202 ? `${file.name} is at ${path}` : `${file.name}: ${error}`;
    setTimeout(() => {
      row.remove();
      this.list.hidden = !this.list.children.length;
    }, SAID);
  }

  /** @param {string} name */
  #row(name) {
    const row = document.createElement("li"), bar = document.createElement("progress");
    const share = document.createElement("span");
    bar.setAttribute("aria-label", name);
    row.append(`${name} `, bar, share);
    this.list.append(row);
    this.list.hidden = false;
    const show = (/** @type {number} */ part) => {
      bar.value = part;
      share.textContent = ` ${Math.floor(100 * part)} %`;
    };
    const say = (/** @type {string} */ words) => share.textContent = ` ${words}`;
    return { row, show, say };
  }
}

/** The answer's fields. @param {string} text @returns {{ path?: string, error?: string }} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // no answer, or a proxy's
  }
}
