/** Links for guests: created, listed and revoked in a panel, which also lists the current viewers. */

import { sendWhole } from "../../http/page/resumed_upload.js";
import { addressOf, ask, authorization, call, noticed } from "./api.js";
import { foldPanel } from "./folding.js";
import { copyText, element } from "./status.js";

const RIGHTS =
  /** @type {Record<string, string>} */ ({ look: "view only", act: "view and control", all: "" });

/** Host names that reach only this machine. */
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** @typedef {{ id: string, name: string, rights: string, ends: string }} Link */
/** @typedef {{ name: string, rights: string }} Guest */

export class Share {
  /** @param {(message: string) => void} notice */
  constructor(notice) {
    this.notice = notice;
    this.panel = element("share-panel");
    this.made = /** @type {HTMLInputElement} */ (element("share-link"));
    foldPanel(element("share"), this.panel, () => this.#try(() => this.look()));
    element("share-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#try(() => this.#make());
    });
    element("share-copy").addEventListener("click", () =>
      this.#try(async () => {
        await copyText(this.made.value);
        notice("The link is copied");
      }));
  }

  /** Shows the links and viewers while the panel is open. */
  async look() {
    if (!this.panel.matches(":popover-open")) return;
    const { links, viewers } = /** @type {{ links: Link[], viewers: Guest[] }} */ (await ask("/api/links"));
    const others = viewers.filter(({ rights }) => rights !== "all").map(named);
    const owners = viewers.length - others.length;
    element("share-viewers").textContent = "Here now: " +
      [owners > 1 ? `you and ${owners - 1} more with every right` : "you", ...others].join(", ");
    element("share-list").replaceChildren(...links.map((link) => this.#row(link)));
  }

  async #make() {
    const value = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (element(id)).value;
    // The link uses this page's address, which reaches the desktop from here; a guest may need another
    // address.
    const isLocal = LOCAL.test(location.hostname);
    const body = {
      page: isLocal ? undefined : addressOf("/"),
      rights: value("share-rights"),
      hours: Number(value("share-hours")),
      name: value("share-name").trim(),
    };
    const { links, qr } = await (await call("POST", "/api/links", body)).json();
    this.made.value = isLocal ? links[0] : addressOf(`/${new URL(links[0]).hash}`);
    const code = /** @type {HTMLImageElement} */ (element("share-qr"));
    code.src = `data:image/svg+xml,${encodeURIComponent(qr)}`;
    // A phone that scans a local address would look for deskhand on itself.
    code.hidden = LOCAL.test(new URL(this.made.value).hostname);
    if (code.hidden) {
      this.notice("The link works on this machine only: others need a deskhand with --host, or a proxy");
    }
    element("share-made").hidden = false;
    this.made.select();
    await this.look();
  }

  /** @param {Link} link */
  #row(link) {
    const row = document.createElement("li"), words = document.createElement("span");
    const revoke = document.createElement("button"), ends = new Date(link.ends);
    words.textContent = `${named(link)}, until ${
      ends.toLocaleString([], { dateStyle: "short", timeStyle: "short" })
    }`;
    revoke.type = "button";
    revoke.textContent = "Revoke";
    revoke.addEventListener("click", () =>
      this.#try(async () => {
        await call("DELETE", `/api/links?id=${encodeURIComponent(link.id)}`);
        await this.look();
      }));
    row.append(words, revoke);
    return row;
  }

  /** @param {() => Promise<void>} act */
  #try(act) {
    return noticed(this.notice, act);
  }
}

/** @param {Guest} guest */
function named({ name, rights }) {
  return `${name || "a guest"} (${RIGHTS[rights]})`;
}

// Files dropped on the picture are uploaded to the served folder, one at a time.

/** How long a file's location stays on the page, in milliseconds. */
const SAID = 12_000;

export class Drop {
  /** @type {File[]} */ #waiting = [];
  #isBusy = false;

  /**
   * @param {HTMLElement} stage Receives the files.
   * @param {HTMLElement} list Receives a line for each.
   * @param {() => boolean} acts Whether this page may do more than look.
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
    const { status, text } = await sendWhole(
      addressOf(`/api/file?name=${encodeURIComponent(file.name)}`),
      file,
      {
        headers: authorization(),
        show: (sent) => show(file.size ? sent / file.size : 1),
        waits: () => say("waiting for the network"),
      },
    );
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

/** The fields of the answer. @param {string} text @returns {{ path?: string, error?: string }} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // no answer, or one from a proxy
  }
}
