/** Log of actions; each line is the curl command that does the same. */

import { hasToken } from "./api.js";
import { isModifier } from "./key_names.js";
import { copyText } from "./status.js";

/** The header in each command if there is a token; the token itself is in no line. */
const AUTHORIZATION = '-H "Authorization: Bearer $DESKHAND_TOKEN" ';
/** Lines that are kept. */
const LINES = 200;
/** Events of one kind within this time become one line, in milliseconds. */
const TOGETHER = 1200;

export class Log {
  /** @type {{ path: string, body: Record<string, unknown>, code: HTMLElement, at: number } | undefined} */ #last;

  /**
   * @param {HTMLElement} list
   * @param {() => void} added Called when there is a new line.
   * @param {(line: HTMLElement) => void} noted Called with a line that is new, or is extended.
   */
  constructor(list, added, noted) {
    this.list = list;
    this.added = added;
    this.noted = noted;
    /** Tells whether the log is off, as on a page that may not act. */
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
      `${location.origin}/api/${this.#last.path} -d '${json}'`;
    this.list.scrollTop = this.list.scrollHeight;
    if (this.#last.code.parentElement) this.noted(this.#last.code.parentElement);
  }
}

// Verdicts on this page's inputs, at the lines of the log: inputs without effect, and inputs with an unsure
// effect. The screen is watched only while the log is open, and one input at a time is observed.

/** The time that a verdict may take, in milliseconds; the server takes two seconds and the program's time. */
const PATIENCE = 8000;

/** @typedef {{ type: string, key?: string, down?: boolean, observe?: number }} Message */

export class Verdicts {
  #isOpen = false;
  #isReady = false;
  #number = 0;
  /**
   * The observed action: its number, its time, and its line once there is a verdict.
   * @type {{ number: number, at: number, line?: HTMLElement, type: string } | undefined}
   */
  #observed;

  /** @param {(message: object) => boolean} send */
  constructor(send) {
    this.send = send;
  }

  /** Notes whether the log is open. @param {boolean} isOpen */
  open(isOpen) {
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    if (this.#isReady) this.send({ type: "watch", on: isOpen });
  }

  /** Notes that the connection is open, perhaps again. */
  connected() {
    this.#observed = undefined;
    this.#isReady = true;
    if (this.#isOpen) this.send({ type: "watch", on: true });
  }

  /**
   * Adds the request for a verdict to a message, if it can have one.
   * @param {Message} message
   * @returns {Message}
   */
  asked(message) {
    const { type, key, down } = message, observed = this.#observed;
    if (type === "button" && !down && observed?.type === "button" && !observed.line) {
      return { ...message, observe: observed.number };
    }
    const isBusy = observed !== undefined && performance.now() - observed.at < PATIENCE;
    if (!this.#isOpen || isBusy || down === false || !/^(button|scroll|key|text)$/.test(type)) return message;
    if (key && isModifier(key)) return message;
    this.#observed = { number: ++this.#number, at: performance.now(), type };
    return { ...message, observe: this.#number };
  }

  /** Notes the log's line of the last input. @param {HTMLElement} line */
  noted(line) {
    if (!this.#observed || this.#observed.line) return;
    this.#observed.line = line;
    line.querySelector(".verdict")?.remove();
  }

  /** Shows a verdict behind its line. @param {{ observe: number, verdict: string, reason: string }} seen */
  seen({ observe, verdict, reason }) {
    const observed = this.#observed;
    if (observed?.number !== observe) return;
    this.#observed = undefined;
    if (verdict === "hit" || !observed.line) return;
    const words = document.createElement("span");
    words.className = "verdict";
    words.textContent = `${verdict}: ${reason}`;
    observed.line.querySelector("code")?.after(words);
  }
}
