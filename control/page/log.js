/** Log of actions; each line is the equivalent curl command. */

import { addressOf, hasToken } from "./api.js";
import { copyText } from "./status.js";

/** The header in each command if there is a token; the token itself is never logged. */
const AUTHORIZATION = '-H "Authorization: Bearer $DESKHAND_TOKEN" ';
/** Maximum number of lines. */
const LINES = 200;
/** Maximum time between similar events that form one line, in milliseconds. */
const TOGETHER = 1200;

export class Log {
  /** @type {{ path: string, body: Record<string, unknown>, code: HTMLElement, at: number } | undefined} */ #last;

  /**
   * @param {HTMLElement} list
   * @param {() => void} added Called when there is a new line.
   */
  constructor(list, added) {
    this.list = list;
    this.added = added;
    /** Whether the log is off, as on a page that may not act. */
    this.off = false;
  }

  /** @param {{ x: number, y: number }} at @param {string} button */
  click(at, button) {
    if (this.off) return;
    const last = this.#recent("click");
    const same = last && last.body.x === at.x && last.body.y === at.y && last.body.button === button;
    const count = same ? Number(last.body.count ?? 1) + 1 : 1;
    if (same && count <= 3) this.#change({ ...at, button, count });
    else this.#add("click", { ...at, button });
  }

  /** @param {{ x: number, y: number }} from @param {{ x: number, y: number }} to @param {string} button */
  drag(from, to, button) {
    this.#add("drag", button === "left" ? { from, to } : { from, to, button });
  }

  /** @param {string} direction @param {number} amount @param {{ x: number, y: number }} at */
  scroll(direction, amount, at) {
    if (this.off) return;
    const last = this.#recent("scroll");
    if (last?.body.direction === direction) {
      this.#change({ ...last.body, amount: Math.min(1000, Number(last.body.amount) + amount) });
    } else this.#add("scroll", { direction, amount, ...at });
  }

  /** @param {string} text */
  text(text) {
    if (this.off) return;
    const last = this.#recent("type");
    if (last) this.#change({ text: last.body.text + text });
    else this.#add("type", { text });
  }

  /** @param {string[]} names */
  key(names) {
    this.#add("key", { keys: names.map((name) => name === "+" ? "plus" : name).join("+") });
  }

  clear() {
    this.list.replaceChildren();
    this.#last = undefined;
  }

  /** All lines. */
  toString() {
    return [...this.list.querySelectorAll("code")].map((code) => code.textContent).join("\n");
  }

  /** @param {string} path */
  #recent(path) {
    return this.#last?.path === path && performance.now() - this.#last.at < TOGETHER ? this.#last : undefined;
  }

  /** @param {string} path @param {Record<string, unknown>} body */
  #add(path, body) {
    if (this.off) return;
    const line = document.createElement("li"), code = document.createElement("code");
    const copy = document.createElement("button");
    copy.textContent = "Copy";
    copy.addEventListener("click", () => copyText(code.textContent ?? ""));
    line.append(code, copy);
    this.list.append(line);
    while (this.list.children.length > LINES) this.list.firstChild?.remove();
    this.#last = { path, body, code, at: 0 };
    this.#change(body);
    this.added();
  }

  /** @param {Record<string, unknown>} body */
  #change(body) {
    if (!this.#last) return;
    const json = JSON.stringify(body).replaceAll("'", "'\\''");
    Object.assign(this.#last, { body, at: performance.now() });
    this.#last.code.textContent = `curl ${hasToken() ? AUTHORIZATION : ""}` +
      `${addressOf(`/api/${this.#last.path}`)} -d '${json}'`;
    this.list.scrollTop = this.list.scrollHeight;
  }
}
