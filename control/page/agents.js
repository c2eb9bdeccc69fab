/** Shows that an AI agent is working, and the card with its question. */

import { ApiError, ask, call } from "./api.js";
import { element } from "./status.js";

/** Polling interval of the server, in milliseconds. */
const INTERVAL = 1000;
/**
 * How long a new question accepts no permission, in milliseconds: the card may appear under a finger that was
 * about to touch the picture or the previous question.
 */
const GUARD = 500;

/** Shows the working agents. */
export class Agents {
  #allowed = true;
  #isAsking = false;
  /** @type {number | undefined} The question on the card. */
  #question;
  /** @type {number | undefined} Runs while the question accepts no permission. */
  #guard;

  /**
   * @param {HTMLElement} sign Hidden while no agent is working.
   * @param {HTMLElement} words Receives the text.
   * @param {HTMLElement} button
   * @param {HTMLElement} card Hidden while no agent asks.
   * @param {{ isConnected: () => boolean, notice: (message: string) => void, silent: () => void }} to
   * `notice` receives failures; `silent` is called when no answer arrives: a lost network closes no socket.
   */
  constructor(sign, words, button, card, to) {
    this.sign = sign;
    this.words = words;
    this.button = button;
    this.card = card;
    card.addEventListener("click", ({ target }) => {
      const answer = target instanceof HTMLElement ? target.dataset.answer : undefined;
      if (answer && this.#question) this.#answer(answer).catch((error) => to.notice(error.message));
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !card.contains(document.activeElement)) return;
      event.preventDefault();
      this.#answer("deny").catch((error) => to.notice(error.message));
    });
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
    const { allowed, at_work, client, tool, questions = [] } = await ask("/api/agents").finally(() =>
      this.#isAsking = false
    );
    this.#allowed = allowed;
    this.#show(questions[0]);
    this.sign.hidden = allowed && !at_work;
    const name = !client || client === "unknown" ? "An AI agent" : client;
    const words = allowed ? `${name} is at work: ${tool}` : "AI agents are stopped";
    if (this.words.textContent !== words) this.words.textContent = words;
    this.button.textContent = allowed ? "Stop the agent" : "Allow agents";
  }

  /**
   * Shows an agent's question.
   * @param {{ id: number, client: string, action: string, title: string, class?: string, exe?: string } | undefined} question
   */
  #show(question) {
    if (this.#question === question?.id) return;
    const isNew = question && !this.#question;
    this.#question = question?.id;
    this.card.hidden = !question;
    document.title = document.title.replace(/^\(\?\) /, "");
    if (!question) return;
    document.title = `(?) ${document.title}`;
    clearTimeout(this.#guard);
    this.#take(false);
    this.#guard = setTimeout(() => this.#take(true), GUARD);
    const { client, action, title, class: name, exe } = question;
    const words = `${client} wants to act in ${name ?? exe ?? "a program"}: ${action} in “${title}”`;
    element("question-text").textContent = words;
    if (isNew) /** @type {HTMLElement} */ (this.card.querySelector("[data-answer=deny]")).focus();
  }

  /** @param {boolean} takes Whether the card accepts a permission; it always accepts a refusal. */
  #take(takes) {
    for (const button of this.card.querySelectorAll("button:not([data-answer=deny])")) {
      /** @type {HTMLButtonElement} */ (button).disabled = !takes;
    }
  }

  /** @param {string} answer */
  async #answer(answer) {
    const id = this.#question;
    await call("POST", "/api/agents/answer", { id, answer }).finally(() => this.#look());
  }
}
