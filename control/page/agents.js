/** The sign that an AI agent is at work, and the button that stops agents or allows them again. */

import { call } from "./api.js";

/** How often the page asks, in milliseconds. */
const INTERVAL = 1000;

/** Shows what agents do. */
export class Agents {
  #allowed = true;

  /**
   * @param {HTMLElement} sign Hidden while there is nothing to tell.
   * @param {HTMLElement} words Gets what there is to tell.
   * @param {HTMLElement} button
   * @param {() => boolean} isConnected
   * @param {(message: string) => void} notice Gets what went wrong.
   */
  constructor(sign, words, button, isConnected, notice) {
    this.sign = sign;
    this.words = words;
    this.button = button;
    button.addEventListener("click", () => {
      call("POST", "/api/agents", { allowed: !this.#allowed }).then(() => this.#look())
        .catch((error) => notice(error.message));
    });
    setInterval(() => {
      if (isConnected() && !document.hidden) this.#look().catch(() => {}); // the connection tells what is wrong
    }, INTERVAL);
  }

  async #look() {
    const { allowed, at_work } = await (await call("GET", "/api/agents")).json();
    this.#allowed = allowed;
    this.sign.hidden = allowed && !at_work;
    const words = allowed ? "An AI agent is at work" : "AI agents are stopped";
    if (this.words.textContent !== words) this.words.textContent = words;
    this.button.textContent = allowed ? "Stop the agent" : "Allow agents";
  }
}
