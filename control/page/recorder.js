/** Recording and replay, by the API's endpoints. */

import { ask, call, noticed, saveAs } from "./api.js";
import { element } from "./element.js";

/** The time between two looks at the recorder, in milliseconds. */
const INTERVAL = 1000;

const button = (/** @type {string} */ id) => /** @type {HTMLButtonElement} */ (element(id));

export class Recorder {
  state = "idle";

  /**
   * @param {{ changed: (state: string) => void, notice: (message: string) => void, wanted: () => boolean }} to
   *   `wanted` says whether to ask for the state by itself: without access each request would count as one more
   *   wrong token.
   */
  constructor(to) {
    this.to = to;
    const file = /** @type {HTMLInputElement} */ (element("file"));
    this.#on("record", () => call("POST", "/api/recording/start", {}));
    this.#on("stop", () => call("POST", "/api/recording/stop", {}));
    this.#on("play", () => call("POST", "/api/recording/play", { scale: true }));
    this.#on("download", async () => saveAs(await call("GET", "/api/recording"), "recording.json"));
    this.#on("script", async () => saveAs(await call("GET", "/api/recording?format=sh"), "recording.sh"));
    button("load").addEventListener("click", () => file.click());
    file.addEventListener("change", () =>
      this.#try(async () => {
        const [chosen] = file.files ?? [];
        const text = await chosen?.text();
        file.value = ""; // otherwise the same file could not be chosen again after a correction
        if (text !== undefined) await call("PUT", "/api/recording", text);
      }));
    setInterval(() => {
      if (!document.hidden && to.wanted()) this.look();
    }, INTERVAL);
  }

  /** Asks for the recorder's state. */
  async look() {
    try {
      const { state, events } = await ask("/api/recording/state");
      const isIdle = state === "idle";
      button("show-recorder").disabled = !isIdle;
      button("stop").hidden = isIdle;
      button("record").disabled = !isIdle;
      for (const id of ["play", "download", "script"]) button(id).disabled = !isIdle || !events;
      button("load").disabled = !isIdle;
      button("recorder").hidden = false;
      if (state !== this.state) this.to.changed(this.state = state);
    } catch (error) {
      // Under --read-only there is no recorder.
      if (/** @type {{ status?: number }} */ (error).status === 403) button("recorder").hidden = true;
    }
  }

  /** @param {string} id @param {() => Promise<unknown>} act */
  #on(id, act) {
    button(id).addEventListener("click", () => this.#try(act));
  }

  /** @param {() => Promise<unknown>} act */
  async #try(act) {
    await noticed(this.to.notice, act);
    await this.look();
  }
}
