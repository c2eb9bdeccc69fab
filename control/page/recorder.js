/** Recording and replay, using the API's endpoints. */

import { addressOf, ask, call, hasToken, noticed, saveAs } from "./api.js";
import { foldPanel } from "./folding.js";
import { element } from "./status.js";

/** Polling interval of the recorder, in milliseconds. */
const INTERVAL = 1000;

/** Formats for saving a recording: the button, the API's format, and the file name. */
const FORMATS = [
  ["script", "sh", "recording.sh"],
  ["test-playwright", "playwright", "recorded.spec.ts"],
  ["test-pytest", "pytest", "test_recorded.py"],
];

const button = (/** @type {string} */ id) => /** @type {HTMLButtonElement} */ (element(id));

export class Recorder {
  state = "idle";

  /**
   * @param {{ changed: (state: string) => void, notice: (message: string) => void, wanted: () => boolean }}
   * to `wanted` says whether to request the state automatically: without access, each request would count as
   * another wrong token.
   */
  constructor(to) {
    this.to = to;
    const file = /** @type {HTMLInputElement} */ (element("file"));
    this.#on("record", () => call("POST", "/api/recording/start", {}));
    this.#on("stop", () => call("POST", "/api/recording/stop", {}));
    this.#on("play", () => call("POST", "/api/recording/play", { scale: true }));
    this.#on("download", async () => saveAs(await call("GET", "/api/recording"), "recording.json"));
    for (const [id, format, name] of FORMATS) {
      this.#on(id, async () => saveAs(await call("GET", `/api/recording?format=${format}`), name));
    }
    button("load").addEventListener("click", () => file.click());
    file.addEventListener("change", () =>
      this.#try(async () => {
        const [chosen] = file.files ?? [];
        const text = await chosen?.text();
        file.value = ""; // otherwise, the same file could not be selected again after a correction
        if (text !== undefined) await call("PUT", "/api/recording", text);
      }));
    setInterval(() => {
      if (!document.hidden && to.wanted()) this.look();
    }, INTERVAL);
  }

  /** Requests the recorder's state. */
  async look() {
    try {
      const { state, events } = await ask("/api/recording/state");
      const isIdle = state === "idle";
      button("stop").hidden = isIdle;
      button("record").disabled = !isIdle;
      for (const id of ["play", "download", ...FORMATS.map(([id]) => id)]) {
        button(id).disabled = !isIdle || !events;
      }
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

// Traces are started, stopped and listed in a panel; an indicator in the bar tells all viewers that a trace
// is running.

/** Maximum number of listed files. */
const LISTED = 20;

/** @typedef {{ name: string, bytes: number, modified: string, running: boolean }} File */

export class Trace {
  state = "off";

  /** @param {(message: string) => void} notice */
  constructor(notice) {
    this.notice = notice;
    this.panel = element("trace-panel");
    this.button = element("trace");
    foldPanel(this.button, this.panel, () => this.#try(() => this.#list()));
    element("trace-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#try(() => this.#toggle());
    });
    element("trace-pause").addEventListener("click", () =>
      this.#try(async () => {
        await call("POST", `/api/trace/${this.state === "paused" ? "resume" : "pause"}`, {});
      }));
    this.show("off");
  }

  /** Shows the trace's state, as the server reports it. @param {string} state */
  show(state) {
    this.state = state;
    const isOn = state !== "off", isPaused = state === "paused";
    element("traced").hidden = state !== "running";
    this.button.title = state === "running"
      ? "A trace is recorded: what is done, with pictures"
      : isPaused
      ? "A trace is paused"
      : "Record what is done, with pictures, in a file";
    element("trace-state").textContent = state === "running"
      ? "A trace is recorded, with pictures of all that the screen shows."
      : isPaused
      ? "The trace is paused: nothing is kept."
      : "A trace keeps what is done here, with pictures of the screen, in a file that any browser opens.";
    element("trace-start").textContent = isOn ? "Stop" : "Start a trace";
    element("trace-named").hidden = isOn;
    element("trace-pause").hidden = !isOn;
    element("trace-pause").textContent = isPaused ? "Resume" : "Pause";
    if (this.panel.matches(":popover-open")) this.#try(() => this.#list());
  }

  async #toggle() {
    if (this.state !== "off") return void await call("POST", "/api/trace/stop", {});
    const field = /** @type {HTMLInputElement} */ (element("trace-name")), name = field.value.trim();
    await call("POST", "/api/trace/start", name ? { name } : {});
    field.value = "";
  }

  async #list() {
    const { traces } = /** @type {{ traces: File[] }} */ (await ask("/api/traces"));
    const rows = traces.reverse().slice(0, LISTED).map((file) => this.#row(file));
    element("trace-list").replaceChildren(...rows);
  }

  /** @param {File} file */
  #row({ name, bytes, running }) {
    const row = document.createElement("li"), words = document.createElement("span");
    const query = `name=${encodeURIComponent(name)}`, buttons = document.createElement("span");
    words.textContent = `${name.replace(/\.html$/, "")}, ${(bytes / 1e6).toFixed(1)} MB${
      running ? ", recorded now" : ""
    }`;
    const add = (/** @type {string} */ word, /** @type {() => unknown} */ act) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: word });
      button.setAttribute("aria-label", `${word} ${name}`);
      button.addEventListener("click", () => this.#try(act));
      buttons.append(button);
    };
    // A browser sends no token when it navigates.
    if (!hasToken()) add("Open", () => void open(addressOf(`/api/trace?${query}`), "_blank", "noopener"));
    add("Save", async () => saveAs(await call("GET", `/api/trace?${query}&follow=false`), name));
    if (!running) {
      add("Remove", async () => {
        await call("DELETE", `/api/traces?${query}`);
        await this.#list();
      });
    }
    row.append(words, buttons);
    return row;
  }

  /** @param {() => unknown} act */
  #try(act) {
    return noticed(this.notice, act);
  }
}
