/** The line of words at the top, and notices. */

const WORDS = /** @type {Record<string, string>} */ ({
  connecting: "Connecting",
  connected: "Connected",
  looking: "Connected, only looking",
  reconnecting: "Connection lost, trying again",
  refused: "Needs its token",
  recording: "Recording",
  playing: "Playing",
});
/** The time that a notice stays, in milliseconds. */
const NOTICE = 6000;

/** State of the page, as it is shown. */
export class Status {
  /** One of the keys of WORDS but "looking". */ connection = "connecting";
  /** The number of viewers of the desktop, this page included. */ viewers = 1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;

  /** @param {HTMLElement} line @param {HTMLElement} notice */
  constructor(line, notice) {
    this.line = line;
    this.noticed = notice;
  }

  get isConnected() {
    return this.connection === "connected";
  }

  /**
   * @param {string} recorder The recorder's state.
   * @param {boolean} isLooking Whether the page only shows the desktop.
   */
  show(recorder, isLooking) {
    const state = this.isConnected && recorder !== "idle" ? recorder : this.connection;
    const words = WORDS[state === "connected" && isLooking ? "looking" : state];
    const text = this.isConnected && this.viewers > 1 ? `${words}, ${this.viewers} viewers` : words;
    this.line.dataset.state = state;
    this.line.title = text;
    // Screen readers would read an unchanged text out again.
    if (this.line.textContent !== text) this.line.textContent = text;
  }

  /** @param {string} message */
  notice(message) {
    const { noticed } = this;
    if (noticed.hidden || noticed.textContent !== message) noticed.textContent = message;
    noticed.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => noticed.hidden = true, NOTICE);
  }
}
