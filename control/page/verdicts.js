/**
 * Verdicts on what was done here, behind the lines of the log: what did nothing, and where that is unsure. The screen is
 * watched for them while the log is open, and one thing at a time is observed.
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

  /** The connection is there, perhaps anew. */
  connected() {
    this.#observed = undefined;
    this.#isReady = true;
    if (this.#isOpen) this.send({ type: "watch", on: true });
  }

  /**
   * Asks for a verdict on what is sent, where that may be.
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

  /** Notes the line of what was done last. @param {HTMLElement} line */
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
