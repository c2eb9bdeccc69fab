/**
 * Verdicts on this page's inputs, at the lines of the log: inputs without effect, and inputs with an unsure effect.
 * The screen is watched only while the log is open, and one input at a time is observed.
 */

import { isModifier } from "./key_names.js";

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
