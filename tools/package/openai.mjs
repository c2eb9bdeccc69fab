// Desktop drivers for OpenAI's SDKs: the computer's actions, implemented with deskhand over HTTP.

import { endpointOf } from "./endpoint.mjs";

const connect = (options) => endpointOf("openai", options, (message) => new Error(message));

/** The picture in a response, as base64. */
async function pictureOf(act, signal) {
  return (await act({ action: { type: "screenshot" } }, signal)).image;
}

/** The actions that `ComputerToolset` passes on as the model writes them. */
const ACTIONS = ["click", "double_click", "drag", "keypress", "move", "scroll", "type", "wait"];

/** The driver for `ComputerToolset` (openai/helpers/computer). openai.d.mts describes the options. */
export class DeskhandDriver {
  constructor(options = {}) {
    const act = connect(options);
    for (const name of ACTIONS) {
      this[name] = async (action, { signal } = {}) => {
        await act({ action }, signal);
      };
    }
    this.screenshot = async ({ signal } = {}) => ({
      type: "computer_screenshot",
      image_url: `data:image/png;base64,${await pictureOf(act, signal)}`,
    });
  }
}

/** The `Computer` for the Agents SDK (@openai/agents). */
export class DeskhandComputer {
  #act;

  constructor(options = {}) {
    this.#act = connect(options);
  }

  async #run(action) {
    await this.#act({ action });
  }

  click(x, y, button) {
    return this.#run({ type: "click", x, y, button });
  }

  doubleClick(x, y) {
    return this.#run({ type: "double_click", x, y });
  }

  drag(path) {
    return this.#run({ type: "drag", path: path.map(([x, y]) => ({ x, y })) });
  }

  keypress(keys) {
    return this.#run({ type: "keypress", keys });
  }

  move(x, y) {
    return this.#run({ type: "move", x, y });
  }

  scroll(x, y, scrollX, scrollY) {
    return this.#run({ type: "scroll", x, y, scroll_x: scrollX, scroll_y: scrollY });
  }

  type(text) {
    return this.#run({ type: "type", text });
  }

  wait() {
    return this.#run({ type: "wait" });
  }

  screenshot() {
    return pictureOf(this.#act);
  }
}

/** Refuses whatever OpenAI's service flags: without a handler, the Agents SDK continues. */
const refuse = () => Promise.resolve(false);

/** The options of `computerTool` (@openai/agents) for a deskhand. */
export function deskhandTool({ url, token, fetch, onSafetyCheck = refuse, ...options } = {}) {
  return { ...options, onSafetyCheck, computer: new DeskhandComputer({ url, token, fetch }) };
}
