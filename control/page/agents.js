/** The sign that an AI agent is at work, and the button that stops agents or allows them again. */

import { ApiError, ask, call } from "./api.js";

/** The time between two questions of the page, in milliseconds. */
const INTERVAL = 1000;

/** Shows the agents at work. */
export class Agents {
  #allowed = true;
  #isAsking = false;

  /**
   * @param {HTMLElement} sign Hidden while no agent works.
   * @param {HTMLElement} words Receives the text.
   * @param {HTMLElement} button
   * @param {{ isConnected: () => boolean, notice: (message: string) => void, silent: () => void }} to `notice` gets
   * the failure; `silent` is called when no answer comes: a network that is gone closes no socket.
   */
  constructor(sign, words, button, to) {
    this.sign = sign;
    this.words = words;
    this.button = button;
    button.addEventListener("click", () => {
      call("POST", "/api/agents", { allowed: !this.#allowed }).then(() => this.#look())
        .catch((error) => to.notice(error.message));
    });
    setInterval(() => {
      if (!to.isConnected() || document.hidden || this.#isAsking) return;
      this.#look().catch((error) => {
        if (!(error instanceof ApiError) && to.isConnected()) to.silent();
      });
    }, INTERVAL);
  }

  async #look() {
    this.#isAsking = true;
    const { allowed, at_work, client, tool } = await ask("/api/agents").finally(() => this.#isAsking = false);
    this.#allowed = allowed;
    this.sign.hidden = allowed && !at_work;
    const name = !client || client === "unknown" ? "An AI agent" : client;
    const words = allowed ? `${name} is at work: ${tool}` : "AI agents are stopped";
    if (this.words.textContent !== words) this.words.textContent = words;
    this.button.textContent = allowed ? "Stop the agent" : "Allow agents";
  }
}
