/** Files that are dropped on the picture go to the served folder, one after the other. */

import { authorization } from "./api.js";

/** How often an upload that broke off is resumed. */
const TRIES = 5;
/** How long the place of a file stays on the page, in milliseconds. */
const SAID = 12_000;

/** @typedef {{ status: number, there: number, said: { path?: string, error?: string } }} Answer */

export class Drop {
  /** @type {File[]} */ #waiting = [];
  #isBusy = false;

  /**
   * @param {HTMLElement} stage Gets the files. @param {HTMLElement} list Gets a line for each.
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
    const { row, show } = this.#row(file.name), url = `/api/file?name=${encodeURIComponent(file.name)}`;
    const showFrom = (/** @type {number} */ start) => (/** @type {number} */ loaded) =>
      show(file.size ? (start + loaded) / file.size : 1);
    let answer = await put(url, file, undefined, showFrom(0));
    for (let tries = 1; answer.status === 0 && file.size && tries <= TRIES; tries++) {
      row.title = "Waiting for the network";
      await new Promise((resolve) => setTimeout(resolve, 1000 * tries));
      const { status, there } = await put(url, null, `bytes */${file.size}`);
      if (status !== 202) continue;
      const range = there < file.size ? `bytes ${there}-${file.size - 1}/${file.size}` : undefined;
      answer = await put(url, range ? file.slice(there) : file, range, showFrom(range ? there : 0));
    }
    const { path, error = "the upload failed" } = answer.said;
    row.textContent = path && answer.status !== 202 ? `${file.name} is at ${path}` : `${file.name}: ${error}`;
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
    return { row, show };
  }
}

/**
 * Sends bytes, of which fetch would not tell the progress.
 * @param {string} url @param {Blob | null} body @param {string} [range] @param {(loaded: number) => void} [show]
 * @returns {Promise<Answer>} With the status 0 where no answer came, and how many bytes the folder has.
 */
function put(url, body, range, show = () => {}) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value);
    if (range) request.setRequestHeader("Content-Range", range);
    request.upload.onprogress = ({ loaded }) => show(loaded);
    request.onloadend = () => {
      const there = Number(request.getResponseHeader("Upload-Offset"));
      resolve({ status: request.status, there, said: parsed(request.responseText) });
    };
    request.send(body);
  });
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // no answer, or a proxy's
  }
}
